#pragma once

namespace gcan::test {

// Registers operations for the device `meta` that LibTorch only supports in Python there: their shapes come
// from running them on CPU zeros. Reading a number still fails.
void complete_meta_operations();

}  // namespace gcan::test
