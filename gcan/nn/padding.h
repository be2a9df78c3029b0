#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>

#include "gcan/base/error.h"
#include "gcan/torch.h"

namespace gcan::nn {

// The padding mode. Unlike in LibTorch it may differ between dimensions: longitude is circular, latitude is
// not.
enum class Padding { zeros, circular, reflect };

// The padding modes of D dimensions; a single mode applies to all, and LibTorch's names (torch::kCircular)
// are accepted.
template <std::size_t D>
class PaddingModes : public std::array<Padding, D> {
 public:
  // NOLINTBEGIN(google-explicit-constructor): implicit, as for torch::ExpandingArray
  PaddingModes(Padding mode = Padding::zeros) { this->fill(mode); }
  PaddingModes(torch::enumtype::kZeros /*mode*/) : PaddingModes(Padding::zeros) {}
  PaddingModes(torch::enumtype::kCircular /*mode*/) : PaddingModes(Padding::circular) {}
  PaddingModes(torch::enumtype::kReflect /*mode*/) : PaddingModes(Padding::reflect) {}
  PaddingModes(const std::array<Padding, D>& modes) : std::array<Padding, D>(modes) {}
  PaddingModes(std::initializer_list<Padding> modes) {
    if (modes.size() != D) {
      throw Error("padding_mode got " + std::to_string(modes.size()) + " modes, expected " +
                  std::to_string(D));
    }
    std::copy(modes.begin(), modes.end(), this->begin());
  }
  // NOLINTEND(google-explicit-constructor)
};

}  // namespace gcan::nn
