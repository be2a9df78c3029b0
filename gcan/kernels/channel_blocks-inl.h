// Features in blocks of one channel per lane: arithmetic runs along channels, so a narrow grid leaves no
// vector half empty. Input and output are planes (channel, point), in between it is [point][channel of the
// block]. Included once per instruction set, hence Highway's form of include guard.
#if defined(GCAN_KERNELS_CHANNEL_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GCAN_KERNELS_CHANNEL_BLOCKS_INL_H_
#undef GCAN_KERNELS_CHANNEL_BLOCKS_INL_H_
#else
#define GCAN_KERNELS_CHANNEL_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using V = hn::Vec<Tag>;
// The number of channels in a block.
inline constexpr std::size_t kLanes = hn::MaxLanes(Tag());

inline std::size_t blocks_of(std::size_t channels) { return (channels + kLanes - 1) / kLanes; }

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void transpose_square(V (&/*v*/)[1]) {}

// Four vectors over rows: number i of each row in vector i. row(l) points to the first of four numbers.
template <class Row>
HWY_INLINE std::array<V, 4> load_columns(const Row& row) {
  const Tag d;
  return {hn::Load(d, row(0)), hn::Load(d, row(0) + 1), hn::Load(d, row(0) + 2), hn::Load(d, row(0) + 3)};
}

// The inverse, for the rows l with has(l).
template <class Row, class Has>
HWY_INLINE void store_columns(const std::array<V, 4>& v, const Row& row, const Has& has) {
  for (std::size_t i = 0; i < 4 && has(0); ++i) hn::Store(v[i], Tag(), row(0) + i);
}

#else

// Four numbers from each of the rows first, first + 4, ..., side by side: one row for each quarter of d.
template <class D, class Row>
HWY_INLINE hn::Vec<D> load_pieces(D d, const Row& row, std::size_t first) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::LoadU(d, row(first));
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_pieces(half, row, first + hn::MaxLanes(half)), load_pieces(half, row, first));
  }
}

template <class D, class Row, class Has>
HWY_INLINE void store_pieces(hn::Vec<D> v, D d, const Row& row, std::size_t first, const Has& has) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    if (has(first)) hn::StoreU(v, d, row(first));
  } else {
    const hn::Half<D> half;
    store_pieces(hn::LowerHalf(half, v), half, row, first, has);
    store_pieces(hn::UpperHalf(half, v), half, row, first + hn::MaxLanes(half), has);
  }
}

// Transposes the 4x4 numbers in each block of four lanes.
HWY_INLINE void transpose4(V& a, V& b, V& c, V& d) {
  const Tag t;
  const hn::Repartition<double, Tag> pairs;
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(t, a, b));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(t, a, b));
  const auto cd_low = hn::BitCast(pairs, hn::InterleaveLower(t, c, d));
  const auto cd_high = hn::BitCast(pairs, hn::InterleaveUpper(t, c, d));
  a = hn::BitCast(t, hn::InterleaveLower(pairs, ab_low, cd_low));
  b = hn::BitCast(t, hn::InterleaveUpper(pairs, ab_low, cd_low));
  c = hn::BitCast(t, hn::InterleaveLower(pairs, ab_high, cd_high));
  d = hn::BitCast(t, hn::InterleaveUpper(pairs, ab_high, cd_high));
}

// Transposes the matrix of four-lane blocks; there are as many vectors as blocks in a vector.
HWY_INLINE void transpose_blocks(V (&v)[kLanes / 4]) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  const auto low_low = [](V a, V b) HWY_ATTR { return V{_mm512_shuffle_f32x4(a.raw, b.raw, 0x44)}; };
  const auto high_high = [](V a, V b) HWY_ATTR { return V{_mm512_shuffle_f32x4(a.raw, b.raw, 0xEE)}; };
  const auto even = [](V a, V b) HWY_ATTR { return V{_mm512_shuffle_f32x4(a.raw, b.raw, 0x88)}; };
  const auto odd = [](V a, V b) HWY_ATTR { return V{_mm512_shuffle_f32x4(a.raw, b.raw, 0xDD)}; };
  const V ab_low = low_low(v[0], v[1]), ab_high = high_high(v[0], v[1]);
  const V cd_low = low_low(v[2], v[3]), cd_high = high_high(v[2], v[3]);
  v[0] = even(ab_low, cd_low);
  v[1] = odd(ab_low, cd_low);
  v[2] = even(ab_high, cd_high);
  v[3] = odd(ab_high, cd_high);
#else
  if constexpr (kLanes == 8) {
    const Tag t;
    const V low = hn::ConcatLowerLower(t, v[1], v[0]);
    v[1] = hn::ConcatUpperUpper(t, v[1], v[0]);
    v[0] = low;
  }
#endif
}

// Transposes a square matrix: as many vectors as lanes.
HWY_INLINE void transpose_square(V (&v)[kLanes]) {
  constexpr std::size_t kBlocks = kLanes / 4;
#pragma GCC unroll 4
  for (std::size_t g = 0; g < kBlocks; ++g) {
    transpose4(v[4 * g], v[4 * g + 1], v[4 * g + 2], v[4 * g + 3]);
  }
  V result[kLanes];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) {
    V blocks[kBlocks];
#pragma GCC unroll 4
    for (std::size_t g = 0; g < kBlocks; ++g) blocks[g] = v[4 * g + i];
    transpose_blocks(blocks);
#pragma GCC unroll 4
    for (std::size_t b = 0; b < kBlocks; ++b) result[4 * b + i] = blocks[b];
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLanes; ++i) v[i] = result[i];
}

// Four vectors over rows: number i of each row in vector i. row(l) points to the first of four numbers.
template <class Row>
HWY_INLINE std::array<V, 4> load_columns(const Row& row) {
  const Tag d;
  std::array<V, 4> v = {load_pieces(d, row, 0), load_pieces(d, row, 1), load_pieces(d, row, 2),
                        load_pieces(d, row, 3)};
  transpose4(v[0], v[1], v[2], v[3]);
  return v;
}

// The inverse, for the rows l with has(l).
template <class Row, class Has>
HWY_INLINE void store_columns(std::array<V, 4> v, const Row& row, const Has& has) {
  transpose4(v[0], v[1], v[2], v[3]);
#pragma GCC unroll 4
  for (std::size_t b = 0; b < 4; ++b) store_pieces(v[b], Tag(), row, b, has);
}

#endif

// The planes of a block of channels; an incomplete block repeats its first channel.
class BlockPlanes {
 public:
  BlockPlanes(const float* sample, std::size_t channels, std::size_t first, std::size_t plane) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      planes_[l] = sample + (first + l < channels ? first + l : first) * plane;
    }
  }
  HWY_INLINE const float* operator[](std::size_t l) const { return planes_[l]; }

 private:
  std::array<const float*, kLanes> planes_;
};

// An image extended beyond its edges, by zeros or periodically.
struct Surroundings {
  std::size_t height, width;
  std::array<bool, 2> circular;
};

// Points x .. x + count - 1 of row y, which may lie outside, to to[point][lane].
HWY_INLINE void read_row(const Surroundings& image, const BlockPlanes& planes, std::ptrdiff_t y,
                         std::ptrdiff_t x, std::size_t count, float* to) {
  const Tag d;
  const auto height = static_cast<std::ptrdiff_t>(image.height);
  const auto width = static_cast<std::ptrdiff_t>(image.width);
  const auto zero = [&](std::ptrdiff_t from, std::ptrdiff_t end) HWY_ATTR {
    for (std::ptrdiff_t i = from; i < end; ++i) hn::Store(hn::Zero(d), d, to + i * kLanes);
  };
  if (y < 0 || y >= height) {
    if (!image.circular[0]) return zero(0, static_cast<std::ptrdiff_t>(count));
    y = (y % height + height) % height;
  }
  const std::ptrdiff_t row = y * width;
  const auto gather = [&](std::ptrdiff_t i, std::ptrdiff_t column) {
    for (std::size_t l = 0; l < kLanes; ++l) to[i * kLanes + l] = planes[l][row + column];
  };
  const auto outside = [&](std::ptrdiff_t from, std::ptrdiff_t end) HWY_ATTR {
    if (!image.circular[1]) return zero(from, end);
    for (std::ptrdiff_t i = from; i < end; ++i) gather(i, ((x + i) % width + width) % width);
  };
  const auto last = static_cast<std::ptrdiff_t>(count);
  const std::ptrdiff_t first_inside = std::clamp<std::ptrdiff_t>(-x, 0, last);
  const std::ptrdiff_t end_inside = std::clamp<std::ptrdiff_t>(width - x, first_inside, last);
  outside(0, first_inside);
  std::ptrdiff_t i = first_inside;
  // Reads whole vectors of each plane: if the sides of the grid are powers of two, all planes map to the same
  // lines of the L1 cache, which would evict a line before its next four numbers are read.
  constexpr auto kWhole = static_cast<std::ptrdiff_t>(kLanes);
  for (; i + kWhole <= end_inside; i += kWhole) {
    V v[kLanes];
#pragma GCC unroll 16
    for (std::size_t l = 0; l < kLanes; ++l) v[l] = hn::LoadU(d, planes[l] + row + x + i);
    transpose_square(v);
#pragma GCC unroll 16
    for (std::size_t l = 0; l < kLanes; ++l) hn::Store(v[l], d, to + i * kWhole + l * kLanes);
  }
  for (; i + 4 <= end_inside; i += 4) {
    const auto v = load_columns([&](std::size_t l) HWY_ATTR { return planes[l] + row + x + i; });
    for (std::ptrdiff_t j = 0; j < 4; ++j) hn::Store(v[j], d, to + (i + j) * kLanes);
  }
  for (; i < end_inside; ++i) gather(i, x + i);
  outside(end_inside, last);
}

// The output: features (samples, channels, height, width), with a bias per channel and features of the same
// shape to add, if not null.
struct Target {
  float* data;
  std::size_t channels, height, width;
  const float *bias, *add;
};

// Points x .. x + count - 1 of row y, given as from[point][lane].
HWY_INLINE void write_row(const Target& target, std::size_t sample, std::size_t block, std::size_t y,
                          std::size_t x, std::size_t count, const float* from) {
  const Tag d;
  const std::size_t first = block * kLanes, plane = target.height * target.width;
  const std::size_t lanes = std::min(kLanes, target.channels - first);
  const std::size_t at = (sample * target.channels + first) * plane + y * target.width + x;
  HWY_ALIGN float bias[kLanes] = {};
  if (target.bias != nullptr) std::copy_n(target.bias + first, lanes, bias);
  const V shift = hn::Load(d, bias);
  const auto has = [&](std::size_t l) { return l < lanes; };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    V v[kLanes];
#pragma GCC unroll 16
    for (std::size_t l = 0; l < kLanes; ++l) v[l] = hn::Load(d, from + (i + l) * kLanes);
    transpose_square(v);
    float* to = target.data + at + i;
    const float* more = target.add == nullptr ? nullptr : target.add + at + i;
#pragma GCC unroll 16
    for (std::size_t l = 0; l < kLanes; ++l) {
      if (!has(l)) break;
      V result = hn::Add(v[l], hn::Set(d, bias[l]));
      if (more != nullptr) result = hn::Add(result, hn::LoadU(d, more + l * plane));
      hn::StoreU(result, d, to + l * plane);
    }
  }
  for (; i + 4 <= count; i += 4) {
    std::array<V, 4> v;
    for (std::size_t j = 0; j < 4; ++j) v[j] = hn::Add(hn::Load(d, from + (i + j) * kLanes), shift);
    if (target.add != nullptr) {
      const auto more = load_columns([&](std::size_t l)
                                         HWY_ATTR { return target.add + at + (has(l) ? l : 0) * plane + i; });
      for (std::size_t j = 0; j < 4; ++j) v[j] = hn::Add(v[j], more[j]);
    }
    store_columns(
        v, [&](std::size_t l) HWY_ATTR { return target.data + at + l * plane + i; }, has);
  }
  for (; i < count; ++i) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const float more = target.add == nullptr ? 0.0F : target.add[at + l * plane + i];
      target.data[at + l * plane + i] = from[i * kLanes + l] + bias[l] + more;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#endif  // GCAN_KERNELS_CHANNEL_BLOCKS_INL_H_
