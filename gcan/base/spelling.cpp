#include "gcan/base/spelling.h"

#include <algorithm>

namespace gcan::base {
namespace {

// Levenshtein distance that counts a transposition of neighbours as one step.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> distances((a.size() + 1) * (b.size() + 1));
  const auto d = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return distances[i * (b.size() + 1) + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) d(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d(i, j) = std::min({d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d(i, j) = std::min(d(i, j), d(i - 2, j - 2) + 1);
      }
    }
  }
  return d(a.size(), b.size());
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
    // A word with no letter in common is not a misspelling: "x" does not mean "I".
    const std::size_t limit = std::min(least, word.size());
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= limit) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < limit) {
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
