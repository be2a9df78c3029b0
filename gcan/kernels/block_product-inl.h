// Matrix products on channel blocks (see channel_blocks-inl.h) that keep their results in registers until the
// sum is complete. Included once per instruction set, hence Highway's form of include guard.
#if defined(GCAN_KERNELS_BLOCK_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GCAN_KERNELS_BLOCK_PRODUCT_INL_H_
#undef GCAN_KERNELS_BLOCK_PRODUCT_INL_H_
#else
#define GCAN_KERNELS_BLOCK_PRODUCT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <type_traits>

#include "gcan/kernels/channel_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// The number of rows that, with this many blocks, fills the registers: AVX-512 has 32 of them, others 16.
template <std::size_t Blocks>
inline constexpr std::size_t kRowsOf = kLanes == 16 ? (Blocks == 3 ? 8 : 12)
                                                    : (Blocks == 3   ? 4
                                                       : Blocks == 2 ? 6
                                                                     : 12);

// Contiguous terms of a sum: a block of channels at one position of the kernel. Offsets count numbers.
struct Stretch {
  std::ptrdiff_t left, right;
  std::size_t terms;
};
struct Stretches {
  const Stretch* data;
  std::size_t count;
};

// Rows [0, R) of c = a b or c += a b: a is (row, lane) with a stride of Step vectors between rows, b (term,
// block, lane), and c (block, row, lane) with a stride of c_row numbers between rows.
template <std::size_t R, std::size_t Blocks, std::size_t Step>
HWY_NOINLINE void rows_product(Stretches stretches, const float* HWY_RESTRICT left,
                               const float* HWY_RESTRICT right, float* HWY_RESTRICT c, std::size_t c_block,
                               std::size_t c_row, bool add) {
  const Tag d;
  V sums[R][Blocks];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Blocks; ++v) {
      sums[r][v] = add ? hn::Load(d, c + v * c_block + r * c_row) : hn::Zero(d);
    }
  }
  for (std::size_t i = 0; i < stretches.count; ++i) {
    const Stretch& s = stretches.data[i];
    const float* HWY_RESTRICT a = left + s.left;
    const float* HWY_RESTRICT b = right + s.right;
    for (const float* const end = a + s.terms; a != end; ++a, b += Blocks * kLanes) {
      V factor[Blocks];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Blocks; ++v) factor[v] = hn::Load(d, b + v * kLanes);
#pragma GCC unroll 16
      for (std::size_t r = 0; r < R; ++r) {
        const V number = hn::Set(d, a[r * Step * kLanes]);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < Blocks; ++v) sums[r][v] = hn::MulAdd(number, factor[v], sums[r][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Blocks; ++v) hn::Store(sums[r][v], d, c + v * c_block + r * c_row);
  }
}

// All rows; their number in a and c is a multiple of four.
template <std::size_t Blocks, std::size_t Step>
HWY_INLINE void product_of(std::size_t rows, Stretches stretches, const float* a, const float* b, float* c,
                           std::size_t c_block, std::size_t c_row, bool add) {
  constexpr std::size_t kMost = kRowsOf<Blocks>;
  std::size_t r = 0;
  const auto some = [&]<std::size_t R>(std::integral_constant<std::size_t, R>) {
    for (; r + R <= rows; r += R) {
      rows_product<R, Blocks, Step>(stretches, a + r * Step * kLanes, b, c + r * c_row, c_block, c_row, add);
    }
  };
  some(std::integral_constant<std::size_t, kMost>());
  if constexpr (kMost > 8) some(std::integral_constant<std::size_t, 8>());
  if constexpr (kMost > 4) some(std::integral_constant<std::size_t, 4>());
  some(std::integral_constant<std::size_t, 2>());
}

template <std::size_t Step>
void product(std::size_t blocks, std::size_t rows, Stretches stretches, const float* a, const float* b,
             float* c, std::size_t c_block, std::size_t c_row = kLanes, bool add = false) {
  switch (blocks) {
    case 1: return product_of<1, Step>(rows, stretches, a, b, c, c_block, c_row, add);
    case 2: return product_of<2, Step>(rows, stretches, a, b, c, c_block, c_row, add);
    default: return product_of<3, Step>(rows, stretches, a, b, c, c_block, c_row, add);
  }
}

// How many of the `blocks` a product takes at once, so that all steps are about equal.
inline std::size_t panel_of(std::size_t blocks) {
  if (blocks % 3 == 0 || blocks > 4) return 3;
  return blocks % 2 == 0 ? 2 : blocks;
}

// The lanes of a block of the left factor that outer_product() takes at once.
inline constexpr std::size_t kOuterRows = kLanes == 16 ? 8 : std::min<std::size_t>(kLanes, 4);

// c (row, block, lane) = or += the sum over t of a[t][row] b[block][t][lane], for kOuterRows rows. The stride
// of t is one vector in a and Step vectors in b.
template <std::size_t Blocks, std::size_t Step>
HWY_NOINLINE void outer_product_of(Stretches stretches, const float* HWY_RESTRICT left,
                                   const float* HWY_RESTRICT right, std::size_t b_block,
                                   float* HWY_RESTRICT c, std::size_t c_row, bool add) {
  const Tag d;
  V sums[kOuterRows][Blocks];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kOuterRows; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Blocks; ++v) {
      sums[r][v] = add ? hn::Load(d, c + r * c_row + v * kLanes) : hn::Zero(d);
    }
  }
  for (std::size_t i = 0; i < stretches.count; ++i) {
    const Stretch& s = stretches.data[i];
    const float* HWY_RESTRICT a = left + s.left;
    const float* HWY_RESTRICT b = right + s.right;
    for (std::size_t t = 0; t < s.terms; ++t, a += kLanes, b += Step * kLanes) {
      V factor[Blocks];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Blocks; ++v) factor[v] = hn::Load(d, b + v * b_block);
#pragma GCC unroll 16
      for (std::size_t r = 0; r < kOuterRows; ++r) {
        const V number = hn::Set(d, a[r]);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < Blocks; ++v) sums[r][v] = hn::MulAdd(number, factor[v], sums[r][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kOuterRows; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Blocks; ++v) hn::Store(sums[r][v], d, c + r * c_row + v * kLanes);
  }
}

template <std::size_t Step>
void outer_product(std::size_t blocks, Stretches stretches, const float* a, const float* b,
                   std::size_t b_block, float* c, std::size_t c_row, bool add) {
  switch (blocks) {
    case 1: return outer_product_of<1, Step>(stretches, a, b, b_block, c, c_row, add);
    case 2: return outer_product_of<2, Step>(stretches, a, b, b_block, c, c_row, add);
    default: return outer_product_of<3, Step>(stretches, a, b, b_block, c, c_row, add);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#endif  // GCAN_KERNELS_BLOCK_PRODUCT_INL_H_
