#pragma once

// Out-of-memory errors with the requested size, which the programs' operator new records.

#include <string>
#include <string_view>

namespace gcan::cli {

// After a std::bad_alloc.
std::string memory_sentence();

// The message for an exception that is not ours: torch's message about a failed allocation becomes the
// sentence above, all others are unchanged.
std::string sentence_of(std::string_view what);

}  // namespace gcan::cli
