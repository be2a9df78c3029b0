#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gcan::data {

// The parts of a data set: training, validation and test.
enum class Split : std::uint8_t { train, valid, test };
inline constexpr std::array kSplits{Split::train, Split::valid, Split::test};
inline constexpr std::array<const char*, 3> kSplitNames{"train", "valid", "test"};

constexpr const char* to_string(Split split) { return kSplitNames[static_cast<std::size_t>(split)]; }

// Error unless the text is "train", "valid" or "test".
Split split_named(const std::string& text);

}  // namespace gcan::data
