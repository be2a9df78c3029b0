#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace gcan::sim {

// One cache line, and one 512-bit register: the unit in which latitudes and degrees are grouped.
inline constexpr std::size_t kLineBytes = 64;

// Numbers of type T in a line: 8 doubles or 16 floats.
template <typename T>
inline constexpr int kLine = static_cast<int>(kLineBytes / sizeof(T));

template <typename T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) {}  // NOLINT: implicit, as allocators must be
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kLineBytes}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kLineBytes}); }
  template <typename U>
  bool operator==(const LineAllocator<U>&) const {
    return true;
  }
};

// Storage on line boundaries, so that no vector load of the kernels crosses a line.
template <typename T>
using Array = std::vector<T, LineAllocator<T>>;

template <typename T>
constexpr int round_up_to_line(int n) {
  return (n + kLine<T> - 1) / kLine<T> * kLine<T>;
}

}  // namespace gcan::sim
