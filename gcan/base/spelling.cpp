#include "gcan/base/spelling.h"

#include <algorithm>
#include <numeric>

namespace gcan::base {
namespace {

// Levenshtein distance that counts a transposition of neighbours as one step.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  std::iota(d[0].begin(), d[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  // No name is that long, and time and memory grow with the length.
  constexpr std::size_t kLongest = 64;
  if (word.size() > kLongest) return "";
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (equal_but_for_case(word, candidate)) return candidate;
    const std::size_t distance = edit_distance(word, candidate);
    // A word with no letter in common is not a misspelling: "x" does not mean "I".
    if (distance < std::min(least, word.size())) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? otherwise : std::string("; did you mean '").append(near).append("'?");
}

}  // namespace gcan::base
