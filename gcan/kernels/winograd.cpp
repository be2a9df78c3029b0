#include "gcan/kernels/winograd.h"

// The size of channel blocks is a compile-time constant.
#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/winograd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "gcan/kernels/block_product-inl.h"
#include "gcan/kernels/channel_blocks-inl.h"
#include "gcan/kernels/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

constexpr std::size_t kPoints = 36;  // elements of a transformed tile
// The number of adjacent tiles transformed together: their rows fit the L1 cache.
constexpr std::size_t kMostRun = 16;
// The size limit of a piece's tiles, which stay in the L2 cache between transforms and products, together
// with the kernel.
constexpr std::size_t kPieceFloats = (std::size_t{768} << 10) / sizeof(float);

// Runs of tiles in a piece.
std::size_t runs_of_piece(std::size_t run, std::size_t blocks) {
  return std::max<std::size_t>(1, kPieceFloats / (kPoints * run * blocks * kLanes));
}

HWY_INLINE V times(float factor, V v) { return hn::Mul(hn::Set(Tag(), factor), v); }
HWY_INLINE V plus(V sum, float factor, V v) { return hn::MulAdd(hn::Set(Tag(), factor), v, sum); }

// Maps six elements to six by B^T, six to four by A^T, four to six by A, three to six by G, six to three by
// G^T.
struct ApplyBt {
  static constexpr std::size_t kFrom = 6, kTo = 6;
  static HWY_INLINE void apply(const V (&d)[6], V (&e)[6]) {
    e[0] = plus(plus(d[4], -5, d[2]), 4, d[0]);
    const V even = plus(d[4], -4, d[2]), odd = plus(d[3], -4, d[1]);
    e[1] = hn::Add(even, odd);
    e[2] = hn::Sub(even, odd);
    const V near = hn::Sub(d[4], d[2]), far = hn::Sub(d[3], d[1]);
    e[3] = plus(near, 2, far);
    e[4] = plus(near, -2, far);
    e[5] = plus(plus(d[5], -5, d[3]), 4, d[1]);
  }
};

struct ApplyAt {
  static constexpr std::size_t kFrom = 6, kTo = 4;
  static HWY_INLINE void apply(const V (&d)[6], V (&e)[4]) {
    const V sum1 = hn::Add(d[1], d[2]), difference1 = hn::Sub(d[1], d[2]);
    const V sum2 = hn::Add(d[3], d[4]), difference2 = hn::Sub(d[3], d[4]);
    e[0] = hn::Add(d[0], hn::Add(sum1, sum2));
    e[1] = plus(difference1, 2, difference2);
    e[2] = plus(sum1, 4, sum2);
    e[3] = hn::Add(d[5], plus(difference1, 8, difference2));
  }
};

struct ApplyA {
  static constexpr std::size_t kFrom = 4, kTo = 6;
  static HWY_INLINE void apply(const V (&d)[4], V (&e)[6]) {
    e[0] = d[0];
    const V even = hn::Add(d[0], d[2]), odd = hn::Add(d[1], d[3]);
    e[1] = hn::Add(even, odd);
    e[2] = hn::Sub(even, odd);
    const V even2 = plus(d[0], 4, d[2]), odd2 = plus(d[1], 4, d[3]);
    e[3] = plus(even2, 2, odd2);
    e[4] = plus(even2, -2, odd2);
    e[5] = d[3];
  }
};

struct ApplyG {
  static constexpr std::size_t kFrom = 3, kTo = 6;
  static HWY_INLINE void apply(const V (&d)[3], V (&e)[6]) {
    const V sum = times(-1.0F / 6, hn::Add(d[0], d[2]));
    const V far = plus(times(1.0F / 24, d[0]), 1.0F / 6, d[2]);
    e[0] = times(0.25F, d[0]);
    e[1] = plus(sum, -1.0F / 6, d[1]);
    e[2] = plus(sum, 1.0F / 6, d[1]);
    e[3] = plus(far, 1.0F / 12, d[1]);
    e[4] = plus(far, -1.0F / 12, d[1]);
    e[5] = d[2];
  }
};

struct ApplyGt {
  static constexpr std::size_t kFrom = 6, kTo = 3;
  static HWY_INLINE void apply(const V (&d)[6], V (&e)[3]) {
    const V sum = times(-1.0F / 6, hn::Add(d[1], d[2])), far = hn::Add(d[3], d[4]);
    e[0] = plus(plus(sum, 0.25F, d[0]), 1.0F / 24, far);
    e[1] = plus(times(1.0F / 6, hn::Sub(d[2], d[1])), 1.0F / 12, hn::Sub(d[3], d[4]));
    e[2] = plus(hn::Add(sum, d[5]), 1.0F / 6, far);
  }
};

// T d T^t for a square d: first the rows, then the columns. get(i, j) and set(i, j, v).
template <class T, class Get, class Set>
HWY_INLINE void transform(const Get& get, const Set& set) {
  V half[T::kFrom][T::kTo];
#pragma GCC unroll 6
  for (std::size_t i = 0; i < T::kFrom; ++i) {
    V from[T::kFrom];
#pragma GCC unroll 6
    for (std::size_t j = 0; j < T::kFrom; ++j) from[j] = get(i, j);
    T::apply(from, half[i]);
  }
#pragma GCC unroll 6
  for (std::size_t j = 0; j < T::kTo; ++j) {
    V from[T::kFrom], to[T::kTo];
#pragma GCC unroll 6
    for (std::size_t i = 0; i < T::kFrom; ++i) from[i] = half[i][j];
    T::apply(from, to);
#pragma GCC unroll 6
    for (std::size_t i = 0; i < T::kTo; ++i) set(i, j, to[i]);
  }
}

// The tiles of 4x4 points that cover the output, in runs of adjacent tiles.
struct Tiling {
  explicit Tiling(const WinogradShape& s)
      : rows((s.out_height() + 3) / 4),
        columns((s.out_width() + 3) / 4),
        runs_per_row((columns + kMostRun - 1) / kMostRun),
        run((columns + runs_per_row - 1) / runs_per_row),
        runs(s.samples * rows * runs_per_row) {}

  struct Run {
    std::size_t sample, row, column;
    bool below_last;  // directly below the previous run
  };
  [[nodiscard]] Run operator[](std::size_t i) const {
    return {i / (rows * runs_per_row), i % rows, i / rows % runs_per_row * run, i % rows != 0};
  }
  [[nodiscard]] std::size_t tiles() const { return runs * run; }

  std::size_t rows, columns, runs_per_row, run, runs;
};

// Transformed tiles as (number of the tile, block of channels, tile, lane).
struct Tiles {
  Tiles(std::size_t channels, std::size_t count) : blocks(blocks_of(channels)), rows((count + 3) / 4 * 4) {}
  [[nodiscard]] std::size_t size() const { return kPoints * stride(); }
  [[nodiscard]] std::size_t block() const { return rows * kLanes; }
  // One vector more than needed: with a stride of a power of two, the elements would compete for the same
  // cache lines.
  [[nodiscard]] std::size_t stride() const { return blocks * block() + kLanes; }
  [[nodiscard]] HWY_INLINE float* at(std::size_t number, std::size_t b) const {
    return data + number * stride() + b * block();
  }

  float* data = nullptr;
  std::size_t blocks, rows;
};

// The features whose tiles are needed.
struct Source {
  const float* data;
  std::size_t channels;
  Surroundings image;
  std::array<std::size_t, 2> padding;
};

constexpr std::size_t kStripFloats = 6 * (4 * kMostRun + 2) * kLanes;

// Tiles of runs [begin, end) and one block of channels. T is ApplyBt for tiles of 6x6 points that overlap,
// and ApplyA for those of 4x4.
template <class T>
void read_tiles(const Tiling& tiling, std::size_t begin, std::size_t end, const Source& source,
                std::size_t block, const Tiles& tiles, float* strip) {
  constexpr std::size_t kRows = T::kFrom, kKept = kRows - 4;
  const std::size_t count = 4 * tiling.run + kKept, plane = source.image.height * source.image.width;
  std::array<float*, kRows> rows;
  for (std::size_t i = 0; i < kRows; ++i) rows[i] = strip + i * count * kLanes;
  for (std::size_t i = begin; i < end; ++i) {
    const auto run = tiling[i];
    const BlockPlanes planes(source.data + run.sample * source.channels * plane, source.channels,
                             block * kLanes, plane);
    std::size_t known = 0;
    if (run.below_last && i > begin) {
      std::rotate(rows.begin(), rows.begin() + 4, rows.end());
      known = kKept;
    }
    for (std::size_t r = known; r < kRows; ++r) {
      read_row(source.image, planes,
               static_cast<std::ptrdiff_t>(4 * run.row + r) - static_cast<std::ptrdiff_t>(source.padding[0]),
               static_cast<std::ptrdiff_t>(4 * run.column) - static_cast<std::ptrdiff_t>(source.padding[1]),
               count, rows[r]);
    }
    const std::size_t stride = tiles.stride();
    for (std::size_t t = 0; t < tiling.run; ++t) {
      float* to = tiles.at(0, block) + ((i - begin) * tiling.run + t) * kLanes;
      transform<T>([&](std::size_t y, std::size_t x)
                       HWY_ATTR { return hn::Load(Tag(), rows[y] + (4 * t + x) * kLanes); },
                   [&](std::size_t y, std::size_t x, V v)
                       HWY_ATTR { hn::Store(v, Tag(), to + (6 * y + x) * stride); });
    }
  }
  // Padding rows of a product: values left over from an earlier call could be slow to compute with.
  for (std::size_t t = (end - begin) * tiling.run; t < tiles.rows; ++t) {
    for (std::size_t n = 0; n < kPoints; ++n)
      hn::Store(hn::Zero(Tag()), Tag(), tiles.at(n, block) + t * kLanes);
  }
}

// A^T m A of runs [begin, end) and one block of channels, which is block `from` of the tiles.
void write_tiles(const Tiling& tiling, std::size_t begin, std::size_t end, const Tiles& tiles,
                 std::size_t from, const Target& target, std::size_t block, float* strip) {
  const std::size_t width = 4 * tiling.run, stride = tiles.stride();
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t t = 0; t < tiling.run; ++t) {
      const float* m = tiles.at(0, from) + ((i - begin) * tiling.run + t) * kLanes;
      transform<ApplyAt>([&](std::size_t y, std::size_t x)
                             HWY_ATTR { return hn::Load(Tag(), m + (6 * y + x) * stride); },
                         [&](std::size_t y, std::size_t x, V v)
                             HWY_ATTR { hn::Store(v, Tag(), strip + (y * width + 4 * t + x) * kLanes); });
    }
    const auto run = tiling[i];
    for (std::size_t y = 0; y < 4 && 4 * run.row + y < target.height; ++y) {
      write_row(target, run.sample, block, 4 * run.row + y, 4 * run.column,
                std::min(width, target.width - 4 * run.column), strip + y * width * kLanes);
    }
  }
}

// How a kernel (out, in, 3, 3) is read: as it is or, for the gradient of the input, rotated by half a turn
// with in and out swapped.
struct KernelView {
  const float* data;
  std::size_t rows, columns;  // of the view: output and input channels of the convolution
  std::size_t row_stride, column_stride;
  bool turned;
};

// Columns [begin, end) of the transformed kernels of `blocks` blocks of rows from `first` on, as (number,
// column, block, lane).
void transform_kernel(const KernelView& kernel, std::size_t first, std::size_t blocks, std::size_t begin,
                      std::size_t end, float* to, std::size_t stride) {
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t row = (first + b) * kLanes, lanes = std::min(kLanes, kernel.rows - row);
    for (std::size_t c = begin; c < end; ++c) {
      const float* from = kernel.data + row * kernel.row_stride + c * kernel.column_stride;
      const auto at = [&](std::size_t tap) {
        return [=](std::size_t l) { return from + (l < lanes ? l : 0) * kernel.row_stride + tap; };
      };
      const auto low = load_columns(at(0)), middle = load_columns(at(4)), high = load_columns(at(5));
      const V taps[9] = {low[0], low[1], low[2], low[3], middle[0], middle[1], middle[2], middle[3], high[3]};
      float* out = to + ((c - begin) * blocks + b) * kLanes;
      transform<ApplyG>([&](std::size_t y, std::size_t x)
                            HWY_ATTR { return kernel.turned ? taps[8 - (3 * y + x)] : taps[3 * y + x]; },
                        [&](std::size_t y, std::size_t x, V v)
                            HWY_ATTR { hn::Store(v, Tag(), out + (6 * y + x) * stride); });
    }
  }
}

// The number of kernel columns transformed at a time if there are few tiles: the result stays in the
// innermost caches until it is multiplied, and each sum is read and written for at least as many terms as it
// has rows.
std::size_t columns_at_once(std::size_t rows) {
  return std::clamp(rows / kLanes, std::size_t{1}, std::size_t{4}) * 16;
}

// Both ways below compute y for a kernel's view.
struct Forward {
  Forward(const WinogradShape& shape, const Source& from, const KernelView& by, const Target& to)
      : tiling(shape), source(from), kernel(by), target(to) {}

  // For many tiles: kernels are transformed once, tiles in pieces that stay in the cache.
  void by_tiles(const Parallel& parallel) const;
  // For few tiles: tiles are transformed once, kernels just before they are used.
  void by_channels(const Parallel& parallel) const;

  [[nodiscard]] bool has_few_tiles() const {
    return tiling.tiles() * (kernel.rows + kernel.columns) < kernel.rows * kernel.columns;
  }

  Tiling tiling;
  Source source;
  KernelView kernel;
  Target target;
};

// The stretches of terms [begin, end) of tiles' products; begin is a multiple of the lanes.
std::vector<Stretch> stretches_of(const Tiles& left, std::size_t begin, std::size_t end, std::size_t blocks) {
  std::vector<Stretch> stretches;
  for (std::size_t term = begin; term < end; term += kLanes) {
    stretches.push_back({static_cast<std::ptrdiff_t>(term / kLanes * left.block()),
                         static_cast<std::ptrdiff_t>((term - begin) * blocks * kLanes),
                         std::min(kLanes, end - term)});
  }
  return stretches;
}

// The size of pieces of `count` items: at most `most`, their number a multiple of the threads.
std::size_t piece_of(std::size_t count, std::size_t most, std::size_t threads) {
  std::size_t pieces = (count + most - 1) / std::max<std::size_t>(most, 1);
  pieces = (pieces + threads - 1) / threads * threads;
  return (count + pieces - 1) / pieces;
}

void Forward::by_tiles(const Parallel& parallel) const {
  static thread_local Workspace kernel_memory;
  const std::size_t blocks = blocks_of(kernel.rows), panel = panel_of(blocks);
  const std::size_t panels = (blocks + panel - 1) / panel;
  const std::size_t u_stride = blocks * kernel.columns * kLanes + kLanes;
  float* u = kernel_memory.get(kPoints * u_stride);
  const auto u_at = [&](std::size_t p) { return u + p * panel * kernel.columns * kLanes; };
  const auto width = [&](std::size_t p) { return std::min(panel, blocks - p * panel); };
  parallel.run(panels, [&](std::size_t p) {
    transform_kernel(kernel, p * panel, width(p), 0, kernel.columns, u_at(p), u_stride);
  });

  const std::size_t piece =
      piece_of(tiling.runs, runs_of_piece(tiling.run, blocks_of(kernel.columns) + blocks), parallel.threads);
  parallel.run((tiling.runs + piece - 1) / piece, [&](std::size_t i) {
    static thread_local Workspace memory;
    const std::size_t begin = i * piece, end = std::min(tiling.runs, begin + piece);
    Tiles in(kernel.columns, (end - begin) * tiling.run), out(kernel.rows, (end - begin) * tiling.run);
    float* strip = memory.get(kStripFloats + in.size() + out.size());
    in.data = strip + kStripFloats;
    out.data = in.data + in.size();
    for (std::size_t b = 0; b < in.blocks; ++b) read_tiles<ApplyBt>(tiling, begin, end, source, b, in, strip);
    const auto whole = stretches_of(in, 0, kernel.columns, panel);
    const auto last = stretches_of(in, 0, kernel.columns, width(panels - 1));
    for (std::size_t n = 0; n < kPoints; ++n) {
      for (std::size_t p = 0; p < panels; ++p) {
        const auto& terms = width(p) == panel ? whole : last;
        product<1>(width(p), in.rows, {terms.data(), terms.size()}, in.at(n, 0), u_at(p) + n * u_stride,
                   out.at(n, p * panel), out.block());
      }
    }
    for (std::size_t b = 0; b < blocks; ++b) write_tiles(tiling, begin, end, out, b, target, b, strip);
  });
}

void Forward::by_channels(const Parallel& parallel) const {
  static thread_local Workspace tile_memory;
  Tiles in(kernel.columns, tiling.tiles());
  in.data = tile_memory.get(in.size());
  parallel.run(in.blocks, [&](std::size_t b) {
    static thread_local Workspace memory;
    read_tiles<ApplyBt>(tiling, 0, tiling.runs, source, b, in, memory.get(kStripFloats));
  });
  // Several blocks of the result at a time, which share the loads of a tile, as long as there is work for all
  // threads.
  const std::size_t blocks = blocks_of(kernel.rows);
  const std::size_t panel = blocks >= 3 * parallel.threads ? panel_of(blocks) : 1;
  const std::size_t at_once = columns_at_once(in.rows), u_stride = at_once * panel * kLanes + kLanes;
  parallel.run((blocks + panel - 1) / panel, [&](std::size_t p) {
    static thread_local Workspace memory;
    const std::size_t first = p * panel, width = std::min(panel, blocks - first);
    Tiles out(width * kLanes, tiling.tiles());
    float* strip = memory.get(kStripFloats + kPoints * u_stride + out.size());
    float* u = strip + kStripFloats;
    out.data = u + kPoints * u_stride;
    for (std::size_t begin = 0; begin < kernel.columns; begin += at_once) {
      const std::size_t end = std::min(kernel.columns, begin + at_once);
      transform_kernel(kernel, first, width, begin, end, u, u_stride);
      const auto terms = stretches_of(in, begin, end, width);
      for (std::size_t n = 0; n < kPoints; ++n) {
        product<1>(width, in.rows, {terms.data(), terms.size()}, in.at(n, 0), u + n * u_stride, out.at(n, 0),
                   out.block(), kLanes, begin > 0);
      }
    }
    for (std::size_t b = 0; b < width; ++b) {
      write_tiles(tiling, 0, tiling.runs, out, b, target, first + b, strip);
    }
  });
}

void RunForward(const WinogradShape& s, const float* x, const float* kernel, const float* bias,
                const float* add, float* y, const Parallel& parallel) {
  const Forward forward(s, {x, s.in, {s.height, s.width, s.circular}, s.padding},
                        {kernel, s.out, s.in, 9 * s.in, 9, false},
                        {y, s.out, s.out_height(), s.out_width(), bias, add});
  forward.has_few_tiles() ? forward.by_channels(parallel) : forward.by_tiles(parallel);
}

// The gradient of a convolution's input is the convolution of the gradient with the kernel rotated by half a
// turn.
void RunInputGradient(const WinogradShape& s, const float* dy, const float* kernel, float* dx,
                      const Parallel& parallel) {
  const WinogradShape turned{s.samples,      s.out,         s.in,
                             s.out_height(), s.out_width(), {2 - s.padding[0], 2 - s.padding[1]},
                             s.circular};
  const Forward forward(turned, {dy, s.out, {turned.height, turned.width, s.circular}, turned.padding},
                        {kernel, s.in, s.out, 9, 9 * s.in, true},
                        {dx, s.in, s.height, s.width, nullptr, nullptr});
  forward.has_few_tiles() ? forward.by_channels(parallel) : forward.by_tiles(parallel);
}

// G^T u G of one row of kernels and a block of columns; u is (element, lane) with stride `stride`.
HWY_INLINE void write_kernel(const float* u, std::size_t stride, std::size_t lanes, float* to) {
  V taps[9];
  transform<ApplyGt>([&](std::size_t y, std::size_t x)
                         HWY_ATTR { return hn::Load(Tag(), u + (6 * y + x) * stride); },
                     [&](std::size_t y, std::size_t x, V v) HWY_ATTR { taps[3 * y + x] = v; });
  const auto at = [&](std::size_t tap) { return [=](std::size_t l) { return to + 9 * l + tap; }; };
  const auto has = [&](std::size_t l) { return l < lanes; };
  store_columns({taps[0], taps[1], taps[2], taps[3]}, at(0), has);
  store_columns({taps[4], taps[5], taps[6], taps[7]}, at(4), has);
  HWY_ALIGN float last[kLanes];
  hn::Store(taps[8], Tag(), last);
  for (std::size_t l = 0; l < lanes; ++l) to[9 * l + 8] = last[l];
}

// to += the sums over some tiles of the gradients of block b: a tile's gradient is element (1, 1) of A d A^T.
void add_gradients(const Tiles& tiles, std::size_t b, std::size_t count, float* to) {
  const Tag d;
  const float* from = tiles.at(7, b);
  V sums[4] = {hn::LoadU(d, to), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::size_t t = 0; t < count; ++t) sums[t % 4] = hn::Add(sums[t % 4], hn::Load(d, from + t * kLanes));
  hn::StoreU(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])), d, to);
}

struct KernelGradient {
  KernelGradient(const WinogradShape& s, const float* x, const float* dy, float* dkernel, float* dbias)
      : tiling(s),
        input{x, s.in, {s.height, s.width, s.circular}, s.padding},
        grad{dy, s.out, {s.out_height(), s.out_width(), {}}, {0, 0}},
        to(dkernel),
        bias(dbias),
        in_blocks(blocks_of(s.in)),
        out_blocks(blocks_of(s.out)) {}

  // For many tiles: tiles in pieces that stay in the cache; sums are kept in memory, one set per part.
  void by_tiles(const Parallel& parallel) const;
  // For few tiles: all tiles are transformed first, and each sum is complete when it leaves the registers.
  void by_channels(const Parallel& parallel) const;

  [[nodiscard]] bool has_few_tiles() const {
    return tiling.tiles() * (grad.channels + input.channels) < grad.channels * input.channels;
  }
  // Rows [row, row + kOuterRows) of the kernels of a panel of columns; u is (number, row, column).
  HWY_INLINE void write(const float* u, std::size_t stride, std::size_t u_row, std::size_t row,
                        std::size_t first_block, std::size_t blocks) const {
    for (std::size_t r = 0; r < kOuterRows && row + r < grad.channels; ++r) {
      for (std::size_t b = 0; b < blocks; ++b) {
        const std::size_t column = (first_block + b) * kLanes;
        write_kernel(u + r * u_row + b * kLanes, stride, std::min(kLanes, input.channels - column),
                     to + (row + r) * 9 * input.channels + 9 * column);
      }
    }
  }

  // The gradient of the bias of a block's channels, if requested.
  void write_bias(const float* sums, std::size_t block) const {
    const std::size_t first = block * kLanes;
    std::copy_n(sums, std::min(kLanes, grad.channels - first), bias + first);
  }

  Tiling tiling;
  Source input, grad;
  float *to, *bias;
  std::size_t in_blocks, out_blocks;
};

// Calls body(row, block of the row, first block of columns, blocks) for all pieces of a kernel matrix.
template <class Body>
HWY_INLINE void for_kernel_pieces(std::size_t first_row, std::size_t end_row, std::size_t in_blocks,
                                  std::size_t panel, const Body& body) {
  for (std::size_t row = first_row; row < end_row; row += kOuterRows) {
    for (std::size_t b = 0; b < in_blocks; b += panel) body(row, b, std::min(panel, in_blocks - b));
  }
}

void KernelGradient::by_channels(const Parallel& parallel) const {
  static thread_local Workspace tile_memory;
  Tiles in(input.channels, tiling.tiles()), out(grad.channels, tiling.tiles());
  in.data = tile_memory.get(in.size() + out.size());
  out.data = in.data + in.size();
  parallel.run(in_blocks + out_blocks, [&](std::size_t b) {
    static thread_local Workspace memory;
    float* strip = memory.get(kStripFloats);
    if (b < in_blocks) {
      read_tiles<ApplyBt>(tiling, 0, tiling.runs, input, b, in, strip);
    } else {
      const std::size_t block = b - in_blocks;
      read_tiles<ApplyA>(tiling, 0, tiling.runs, grad, block, out, strip);
      if (bias == nullptr) return;
      float sums[kLanes] = {};
      add_gradients(out, block, tiling.tiles(), sums);
      write_bias(sums, block);
    }
  });
  const std::size_t panel = panel_of(in_blocks);
  parallel.run(out_blocks, [&](std::size_t block) {
    static thread_local Workspace memory;
    const std::size_t u_row = panel * kLanes, stride = kOuterRows * u_row;
    float* u = memory.get(kPoints * stride);
    const std::size_t first = block * kLanes;
    const Stretch all{0, 0, tiling.tiles()};
    for_kernel_pieces(first, std::min(first + kLanes, grad.channels), in_blocks, panel,
                      [&](std::size_t row, std::size_t b, std::size_t blocks) {
                        for (std::size_t n = 0; n < kPoints; ++n) {
                          outer_product<1>(blocks, {&all, 1}, out.at(n, block) + row % kLanes, in.at(n, b),
                                           in.block(), u + n * stride, u_row, false);
                        }
                        write(u, stride, u_row, row, b, blocks);
                      });
  });
}

void KernelGradient::by_tiles(const Parallel& parallel) const {
  static thread_local Workspace sum_memory;
  const std::size_t panel = panel_of(in_blocks);
  const std::size_t u_row = in_blocks * kLanes, rows = out_blocks * kLanes;
  const std::size_t stride = rows * u_row + kLanes, parts = std::min(parallel.threads, tiling.runs);
  float* sums = sum_memory.get(parts * (kPoints * stride + rows));
  float* bias_sums = sums + parts * kPoints * stride;
  std::fill_n(bias_sums, parts * rows, 0.0F);
  const std::size_t piece = runs_of_piece(tiling.run, in_blocks + out_blocks);
  parallel.run(parts, [&](std::size_t part) {
    static thread_local Workspace memory;
    float* u = sums + part * kPoints * stride;
    const std::size_t first = tiling.runs * part / parts, last = tiling.runs * (part + 1) / parts;
    for (std::size_t begin = first; begin < last; begin += piece) {
      const std::size_t end = std::min(last, begin + piece), count = (end - begin) * tiling.run;
      const Stretch all{0, 0, count};
      Tiles in(input.channels, count), out(grad.channels, count);
      float* strip = memory.get(kStripFloats + in.size() + out.size());
      in.data = strip + kStripFloats;
      out.data = in.data + in.size();
      for (std::size_t b = 0; b < in_blocks; ++b)
        read_tiles<ApplyBt>(tiling, begin, end, input, b, in, strip);
      for (std::size_t b = 0; b < out_blocks; ++b) {
        read_tiles<ApplyA>(tiling, begin, end, grad, b, out, strip);
        if (bias != nullptr) add_gradients(out, b, count, bias_sums + part * rows + b * kLanes);
      }
      for (std::size_t n = 0; n < kPoints; ++n) {
        for_kernel_pieces(
            0, grad.channels, in_blocks, panel, [&](std::size_t row, std::size_t b, std::size_t blocks) {
              outer_product<1>(blocks, {&all, 1}, out.at(n, row / kLanes) + row % kLanes, in.at(n, b),
                               in.block(), u + n * stride + row * u_row + b * kLanes, u_row, begin != first);
            });
      }
    }
  });
  parallel.run(out_blocks, [&](std::size_t block) {
    const std::size_t first = block * kLanes, end = std::min(first + kLanes, grad.channels);
    for (std::size_t part = 1; part < parts; ++part) {
      for (std::size_t n = 0; n < kPoints; ++n) {
        float* to_row = sums + n * stride + first * u_row;
        const float* from = to_row + part * kPoints * stride;
        for (std::size_t i = 0; i < (end - first) * u_row; ++i) to_row[i] += from[i];
      }
      for (std::size_t r = first; r < end; ++r) bias_sums[r] += bias_sums[part * rows + r];
    }
    if (bias != nullptr) write_bias(bias_sums + first, block);
    for (std::size_t row = first; row < end; row += kOuterRows) {
      write(sums + row * u_row, stride, u_row, row, 0, in_blocks);
    }
  });
}

void RunKernelGradient(const WinogradShape& s, const float* x, const float* dy, float* dkernel, float* dbias,
                       const Parallel& parallel) {
  const KernelGradient gradient(s, x, dy, dkernel, dbias);
  gradient.has_few_tiles() ? gradient.by_channels(parallel) : gradient.by_tiles(parallel);
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

HWY_EXPORT(RunForward);
HWY_EXPORT(RunInputGradient);
HWY_EXPORT(RunKernelGradient);

void winograd_forward(const WinogradShape& shape, const float* x, const float* kernel, const float* bias,
                      const float* add, float* y, const Parallel& parallel) {
  HWY_DYNAMIC_DISPATCH(RunForward)(shape, x, kernel, bias, add, y, parallel);
}

void winograd_input_gradient(const WinogradShape& shape, const float* dy, const float* kernel, float* dx,
                             const Parallel& parallel) {
  HWY_DYNAMIC_DISPATCH(RunInputGradient)(shape, dy, kernel, dx, parallel);
}

void winograd_kernel_gradient(const WinogradShape& shape, const float* x, const float* dy, float* dkernel,
                              float* dbias, const Parallel& parallel) {
  HWY_DYNAMIC_DISPATCH(RunKernelGradient)(shape, x, dy, dkernel, dbias, parallel);
}

}  // namespace gcan::kernels
#endif  // HWY_ONCE
