#pragma once

// "Did you mean ...?": names what a user probably meant.

#include <string>
#include <string_view>
#include <vector>

namespace gcan::base {

// The candidate that is most like the word, or nothing when none is near enough to be what was meant.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// The end of a sentence about an unknown word: "; did you mean 'x'?" of the nearest, else `otherwise`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise = "");

}  // namespace gcan::base
