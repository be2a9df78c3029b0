#pragma once

// SIMD packs for the algebra's headers: GCC's and clang's vector types, as wide as the target's registers.
// (The kernels in gcan/kernels choose their width at run time instead.)

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "gcan/algebra/multivector.h"

namespace gcan {

inline namespace GCAN_SIMD_NAMESPACE {

namespace pack_detail {

template <class T>
struct PackOf {
  using type [[gnu::vector_size(kPackBytes)]] = T;
};

}  // namespace pack_detail

template <class T>
using Pack = typename pack_detail::PackOf<T>::type;
template <class T>
inline constexpr std::size_t kPackSize = kPackBytes / sizeof(T);

}  // namespace GCAN_SIMD_NAMESPACE

template <>
inline constexpr bool kIsPack<Pack<float>> = true;
template <>
inline constexpr bool kIsPack<Pack<double>> = true;

inline namespace GCAN_SIMD_NAMESPACE {

template <class T>
Pack<T> load_pack(const T* from) {
  Pack<T> pack;
  std::memcpy(&pack, from, kPackBytes);
  return pack;
}
template <class T>
void store_pack(const Pack<T>& pack, T* to) {
  std::memcpy(to, &pack, kPackBytes);
}

namespace pack_detail {

// Lane l of the result is lane index(l) of the 2 n lanes of a and b together.
template <class Index, class V, std::size_t... L>
[[gnu::always_inline]] inline V shuffle(const V& a, const V& b, Index, std::index_sequence<L...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(Index{}(L))...);
}

}  // namespace pack_detail

// Three packs of x y z x y z ... as one pack of each coordinate, and back. Each result takes two shuffles of
// two packs: the first serves the lanes that come from the first two packs, the second those from the third.
template <class T>
[[gnu::always_inline]] inline std::array<Pack<T>, 3> deinterleave3(const std::array<Pack<T>, 3>& in) {
  constexpr std::size_t n = kPackSize<T>;
  constexpr auto lanes = std::make_index_sequence<n>{};
  const auto coordinate = [&]<std::size_t C>(std::integral_constant<std::size_t, C>) {
    constexpr auto first = [](std::size_t l) { return 3 * l + C < 2 * n ? 3 * l + C : 0; };
    constexpr auto second = [](std::size_t l) { return 3 * l + C < 2 * n ? l : 3 * l + C - n; };
    return pack_detail::shuffle(pack_detail::shuffle(in[0], in[1], first, lanes), in[2], second, lanes);
  };
  return {coordinate(std::integral_constant<std::size_t, 0>{}),
          coordinate(std::integral_constant<std::size_t, 1>{}),
          coordinate(std::integral_constant<std::size_t, 2>{})};
}

template <class T>
[[gnu::always_inline]] inline std::array<Pack<T>, 3> interleave3(const std::array<Pack<T>, 3>& in) {
  constexpr std::size_t n = kPackSize<T>;
  constexpr auto lanes = std::make_index_sequence<n>{};
  const auto part = [&]<std::size_t P>(std::integral_constant<std::size_t, P>) {
    // Lane l of this part holds coordinate (P n + l) mod 3 of point (P n + l) / 3.
    constexpr auto first = [](std::size_t l) { return (P * n + l) % 3 * n % (2 * n) + (P * n + l) / 3; };
    constexpr auto second = [](std::size_t l) { return (P * n + l) % 3 < 2 ? l : n + (P * n + l) / 3; };
    return pack_detail::shuffle(pack_detail::shuffle(in[0], in[1], first, lanes), in[2], second, lanes);
  };
  return {part(std::integral_constant<std::size_t, 0>{}), part(std::integral_constant<std::size_t, 1>{}),
          part(std::integral_constant<std::size_t, 2>{})};
}

}  // namespace GCAN_SIMD_NAMESPACE
}  // namespace gcan
