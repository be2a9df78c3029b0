#pragma once

// "Did you mean ...?" suggestions.

#include <string>
#include <string_view>
#include <vector>

namespace gcan::base {

// The candidate closest to the word; empty if none is close enough.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// The end of a sentence about an unknown word: "; did you mean 'x'?", or `otherwise` if no candidate is close
// enough.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise = "");

}  // namespace gcan::base
