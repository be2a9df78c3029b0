#pragma once

#include <cstdint>
#include <span>

namespace gcan::sim::tetris {

// Fills `out` with independent standard normal numbers that belong to (seed, stream): the first n are the
// same however many are asked for. Box-Muller on Philox, four numbers a call, from IEEE operations alone and
// without branches, so that the compiler runs several at once and every machine gets the same bits.
void fill_normals(std::uint64_t seed, std::uint64_t stream, std::span<double> out);

}  // namespace gcan::sim::tetris
