#pragma once

// Running out of memory, told with what was asked for. The programs' operator new notes how large a block was
// refused.

#include <string>
#include <string_view>

namespace gcan::cli {

// After a std::bad_alloc.
std::string memory_sentence();

// What to tell the user of an exception that is not ours: torch's words for a refused block become the
// sentence above, all others stay.
std::string sentence_of(std::string_view what);

}  // namespace gcan::cli
