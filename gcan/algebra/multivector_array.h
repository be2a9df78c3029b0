#pragma once

// Arrays of compile-time multivectors, and SIMD evaluation of any multivector function over them.
//
//   gcan::MultivectorArray<gcan::FullMultivector<gcan::Signature{3, 0, 0}, float>> a(n), b(n);
//   auto c = gcan::array::map([](const auto& x, const auto& y) { return x * y; }, a, b);
//
// The function gets multivectors whose coefficients are packs of several numbers (pack.h), and thus processes
// several multivectors at a time.

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "gcan/algebra/pack.h"

namespace gcan {

inline namespace GCAN_SIMD_NAMESPACE {

namespace array_detail {

template <class M>
struct PackedType;
template <Signature S, BladeSet B, class T>
struct PackedType<Multivector<S, B, T>> {
  using type = Multivector<S, B, Pack<T>>;
};
template <class M>
struct UnpackedType;
template <Signature S, BladeSet B, class P>
struct UnpackedType<Multivector<S, B, P>> {
  using type = Multivector<S, B, std::remove_cvref_t<decltype(P{}[0])>>;
};

}  // namespace array_detail

// Multivectors of type M in blocks of kPackSize; within a block the coefficients of one blade are contiguous.
// Each array is a single memory stream for any number of blades; the last block is padded with zeros.
template <class M>
class MultivectorArray {
 public:
  using Scalar = typename M::Scalar;
  using Packed = typename array_detail::PackedType<M>::type;
  static constexpr std::size_t kLanes = kPackSize<Scalar>;

  explicit MultivectorArray(std::size_t size = 0)
      : size_(size), blocks_((size + kLanes - 1) / kLanes), data_(allocate(blocks_)) {
    std::fill_n(data_.get(), blocks_ * kBlockSize, Scalar{});
  }
  explicit MultivectorArray(std::span<const M> values) : MultivectorArray(values.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) set(i, values[i]);
  }
  // Uninitialised; the caller writes the blocks.
  struct Uninitialized {};
  MultivectorArray(std::size_t size, Uninitialized)
      : size_(size), blocks_((size + kLanes - 1) / kLanes), data_(allocate(blocks_)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t blocks() const { return blocks_; }

  [[nodiscard]] M get(std::size_t i) const {
    M x;
    for (std::size_t k = 0; k < M::kSize; ++k) x[k] = data_[index(i, k)];
    return x;
  }
  void set(std::size_t i, const M& x) {
    for (std::size_t k = 0; k < M::kSize; ++k) data_[index(i, k)] = x[k];
  }
  [[nodiscard]] Packed block(std::size_t b) const {
    Packed x;
    for (std::size_t k = 0; k < M::kSize; ++k) {
      x[k] = load_pack(data_.get() + b * kBlockSize + k * kLanes);
    }
    return x;
  }
  void set_block(std::size_t b, const Packed& x) {
    for (std::size_t k = 0; k < M::kSize; ++k) {
      store_pack(x[k], data_.get() + b * kBlockSize + k * kLanes);
    }
  }

 private:
  static constexpr std::size_t kBlockSize = kLanes * M::kSize;
  static constexpr std::align_val_t kAlignment{64};
  static std::size_t index(std::size_t i, std::size_t k) {
    return i / kLanes * kBlockSize + k * kLanes + i % kLanes;
  }
  struct Free {
    void operator()(Scalar* data) const { ::operator delete[](data, kAlignment); }
  };
  using Storage = std::unique_ptr<Scalar[], Free>;
  static Storage allocate(std::size_t blocks) {
    return Storage(static_cast<Scalar*>(::operator new[](blocks* kBlockSize * sizeof(Scalar), kAlignment)));
  }

  std::size_t size_;
  std::size_t blocks_;
  Storage data_;
};

namespace array {

// out[i] = f(arrays[i]...) for every i; out may be one of the arrays. Error when the sizes differ.
template <class F, class Out, class... M>
void map_into(MultivectorArray<Out>& out, F f, const MultivectorArray<M>&... arrays) {
  for (const std::size_t size : {arrays.size()...}) {
    if (size != out.size()) {
      throw Error("arrays of " + std::to_string(size) + " and " + std::to_string(out.size()) +
                  " multivectors cannot be combined element by element");
    }
  }
  for (std::size_t b = 0; b < out.blocks(); ++b) out.set_block(b, f(arrays.block(b)...));
}

// A new array of f(arrays[i]...).
template <class F, class First, class... Rest>
auto map(F f, const MultivectorArray<First>& first, const MultivectorArray<Rest>&... rest) {
  using Result = typename array_detail::UnpackedType<
      std::remove_cvref_t<decltype(f(first.block(0), rest.block(0)...))>>::type;
  using Array = MultivectorArray<Result>;
  Array out(first.size(), typename Array::Uninitialized{});
  map_into(out, std::move(f), first, rest...);
  return out;
}

}  // namespace array

}  // namespace GCAN_SIMD_NAMESPACE

}  // namespace gcan
