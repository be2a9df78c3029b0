#include "gcan/kernels/winograd.h"

// A tile's numbers are an array of vectors in memory of a fixed size.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/winograd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using V = hn::Vec<Tag>;

// Numbers of a tile while it is transformed, one vector of tiles beside each other.
class Tile {
 public:
  HWY_INLINE V get(std::size_t i, std::size_t j) const { return hn::Load(Tag(), numbers_ + at(i, j)); }
  HWY_INLINE void set(std::size_t i, std::size_t j, V v) { hn::Store(v, Tag(), numbers_ + at(i, j)); }

 private:
  static HWY_INLINE std::size_t at(std::size_t i, std::size_t j) { return (6 * i + j) * 16; }
  HWY_ALIGN float numbers_[36 * 16];
};

HWY_INLINE V times(float factor, V v) { return hn::Mul(hn::Set(Tag(), factor), v); }
HWY_INLINE V plus(V sum, float factor, V v) { return hn::MulAdd(hn::Set(Tag(), factor), v, sum); }

// Six numbers to six by B^T, six to four by A^T, four to six by A: get(i) and set(i, v).
template <class Get, class Set>
HWY_INLINE void apply_bt(const Get& get, const Set& set) {
  const V d0 = get(0), d1 = get(1), d2 = get(2), d3 = get(3), d4 = get(4), d5 = get(5);
  set(0, plus(plus(d4, -5, d2), 4, d0));
  const V even = plus(d4, -4, d2), odd = plus(d3, -4, d1);
  set(1, hn::Add(even, odd));
  set(2, hn::Sub(even, odd));
  const V near = hn::Sub(d4, d2), far = times(2, hn::Sub(d3, d1));
  set(3, hn::Add(near, far));
  set(4, hn::Sub(near, far));
  set(5, plus(plus(d5, -5, d3), 4, d1));
}

template <class Get, class Set>
HWY_INLINE void apply_at(const Get& get, const Set& set) {
  const V d1 = get(1), d2 = get(2), d3 = get(3), d4 = get(4);
  const V sum1 = hn::Add(d1, d2), difference1 = hn::Sub(d1, d2);
  const V sum2 = hn::Add(d3, d4), difference2 = hn::Sub(d3, d4);
  set(0, hn::Add(get(0), hn::Add(sum1, sum2)));
  set(1, plus(difference1, 2, difference2));
  set(2, plus(sum1, 4, sum2));
  set(3, hn::Add(get(5), plus(difference1, 8, difference2)));
}

template <class Get, class Set>
HWY_INLINE void apply_a(const Get& get, const Set& set) {
  const V e0 = get(0), e1 = get(1), e2 = get(2), e3 = get(3);
  set(0, e0);
  const V even = hn::Add(e0, e2), odd = hn::Add(e1, e3);
  set(1, hn::Add(even, odd));
  set(2, hn::Sub(even, odd));
  const V even2 = plus(e0, 4, e2), odd2 = times(2, plus(e1, 4, e3));
  set(3, hn::Add(even2, odd2));
  set(4, hn::Sub(even2, odd2));
  set(5, e3);
}

// Some rows of an image with zeros around, long enough for whole vectors of tiles.
class Rows {
 public:
  Rows(const WinogradGrid& grid, std::size_t count)
      : length_(4 * (grid.tiles_x + 32)), numbers_(count * length_, 0.0f) {}

  HWY_INLINE float* operator[](std::size_t i) { return numbers_.data() + i * length_; }

  // The rows from `first` on of an image, counted with its padding.
  void read(const WinogradPlane& plane, const float* x, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      float* row = (*this)[i] + plane.pad_x;
      const std::size_t y = first + i;
      if (y < plane.pad_y || y - plane.pad_y >= plane.height) {
        std::fill_n(row, plane.width, 0.0f);
      } else {
        std::copy_n(x + (y - plane.pad_y) * plane.width, plane.width, row);
      }
    }
  }

 private:
  std::size_t length_;
  std::vector<float> numbers_;
};

// Calls body(ty, tx) for each vector of tiles of a plane, in the last row up to the end of the columns.
template <class Row, class Body>
HWY_INLINE void for_tiles(const WinogradGrid& grid, const Row& row, const Body& body) {
  for (std::size_t ty = 0; ty < grid.tiles_y; ++ty) {
    row(ty);
    const std::size_t end = ty + 1 < grid.tiles_y ? grid.tiles_x : grid.columns() - ty * grid.tiles_x;
    for (std::size_t tx = 0; tx < end; tx += hn::Lanes(Tag())) body(ty, tx);
  }
}

void Input(const WinogradGrid& grid, const WinogradPlane& plane, std::size_t planes, std::size_t begin,
           std::size_t end, const float* x, float* tiles) {
  const Tag d;
  Rows rows(grid, 6);
  Tile t;
  const std::size_t columns = grid.columns();
  for (std::size_t p = begin; p < end; ++p) {
    const float* image = x + p * plane.height * plane.width;
    for_tiles(
        grid, [&](std::size_t ty) { rows.read(plane, image, 4 * (grid.first_row + ty), 6); },
        [&](std::size_t ty, std::size_t tx) HWY_ATTR {
          for (std::size_t i = 0; i < 6; ++i) {
            V c0, c1, c2, c3, c4, c5, c6, c7;
            hn::LoadInterleaved4(d, rows[i] + 4 * tx, c0, c1, c2, c3);
            hn::LoadInterleaved4(d, rows[i] + 4 * tx + 4, c4, c5, c6, c7);
            const auto get = [&](std::size_t j) HWY_ATTR {
              return j == 0 ? c0 : j == 1 ? c1 : j == 2 ? c2 : j == 3 ? c3 : j == 4 ? c4 : c5;
            };
            apply_bt(get, [&](std::size_t j, V v) HWY_ATTR { t.set(i, j, v); });
          }
          float* to = tiles + p * columns + ty * grid.tiles_x + tx;
          for (std::size_t j = 0; j < 6; ++j) {
            apply_bt([&](std::size_t i) HWY_ATTR { return t.get(i, j); },
                     [&](std::size_t i, V v)
                         HWY_ATTR { hn::StoreU(v, d, to + (6 * i + j) * planes * columns); });
          }
        });
  }
}

void Slope(const WinogradGrid& grid, const WinogradPlane& plane, std::size_t planes, std::size_t begin,
           std::size_t end, const float* dy, float* tiles) {
  const Tag d;
  Rows rows(grid, 4);
  Tile t;
  const std::size_t columns = grid.columns();
  for (std::size_t p = begin; p < end; ++p) {
    const float* image = dy + p * plane.height * plane.width;
    for_tiles(
        grid, [&](std::size_t ty) { rows.read(plane, image, 4 * (grid.first_row + ty), 4); },
        [&](std::size_t ty, std::size_t tx) HWY_ATTR {
          for (std::size_t i = 0; i < 4; ++i) {
            V c0, c1, c2, c3;
            hn::LoadInterleaved4(d, rows[i] + 4 * tx, c0, c1, c2, c3);
            apply_a([&](std::size_t j) HWY_ATTR { return j == 0   ? c0
                                                         : j == 1 ? c1
                                                         : j == 2 ? c2
                                                                  : c3; },
                    [&](std::size_t j, V v) HWY_ATTR { t.set(i, j, v); });
          }
          float* to = tiles + p * columns + ty * grid.tiles_x + tx;
          for (std::size_t j = 0; j < 6; ++j) {
            apply_a([&](std::size_t i) HWY_ATTR { return t.get(i, j); },
                    [&](std::size_t i, V v)
                        HWY_ATTR { hn::StoreU(v, d, to + (6 * i + j) * planes * columns); });
          }
        });
  }
}

// One row of tiles to four rows of points.
void OutputRow(const WinogradGrid& grid, std::size_t stride, const float* from, Rows& rows) {
  const Tag d;
  Tile t;
  for (std::size_t tx = 0; tx < grid.tiles_x; tx += hn::Lanes(d)) {
    for (std::size_t j = 0; j < 6; ++j) {
      apply_at([&](std::size_t i) HWY_ATTR { return hn::LoadU(d, from + tx + (6 * i + j) * stride); },
               [&](std::size_t i, V v) HWY_ATTR { t.set(i, j, v); });
    }
    for (std::size_t i = 0; i < 4; ++i) {
      V o0 = hn::Zero(d), o1 = o0, o2 = o0, o3 = o0;
      apply_at([&](std::size_t j) HWY_ATTR { return t.get(i, j); },
               [&](std::size_t j, V v) HWY_ATTR {
                 (j == 0 ? o0 : j == 1 ? o1 : j == 2 ? o2 : o3) = v;
               });
      hn::StoreInterleaved4(o0, o1, o2, o3, d, rows[i] + 4 * tx);
    }
  }
}

void Output(const WinogradGrid& grid, const WinogradPlane& plane, std::size_t planes, std::size_t begin,
            std::size_t end, const float* tiles, const float* bias, float* y) {
  Rows rows(grid, 4);
  const std::size_t columns = grid.columns();
  for (std::size_t p = begin; p < end; ++p) {
    float* image = y + p * plane.height * plane.width;
    const float shift = bias == nullptr ? 0.0f : bias[p];
    for (std::size_t ty = 0; ty < grid.tiles_y; ++ty) {
      OutputRow(grid, planes * columns, tiles + p * columns + ty * grid.tiles_x, rows);
      const std::size_t first = 4 * (grid.first_row + ty);
      for (std::size_t i = 0; i < 4 && first + i < plane.height; ++i) {
        const float* from = rows[i];
        float* to = image + (first + i) * plane.width;
        for (std::size_t k = 0; k < plane.width; ++k) to[k] = from[k] + shift;
      }
    }
  }
}

// Kernels are few beside points, so plain loops over 16 of them serve.
constexpr std::size_t kLine = 16;
using Line = float[kLine];

HWY_INLINE void g_of(const Line& g0, const Line& g1, const Line& g2, Line* out, std::size_t step) {
  for (std::size_t l = 0; l < kLine; ++l) {
    const float sum = (g0[l] + g2[l]) * (-1.0f / 6), middle = g1[l] * (-1.0f / 6);
    const float far = g0[l] * (1.0f / 24) + g2[l] * (1.0f / 6), half = g1[l] * (1.0f / 12);
    out[0][l] = g0[l] * 0.25f;
    out[step][l] = sum + middle;
    out[2 * step][l] = sum - middle;
    out[3 * step][l] = far + half;
    out[4 * step][l] = far - half;
    out[5 * step][l] = g2[l];
  }
}

HWY_INLINE void gt_of(const Line* d, std::size_t step, Line& q0, Line& q1, Line& q2) {
  for (std::size_t l = 0; l < kLine; ++l) {
    const float d1 = d[step][l], d2 = d[2 * step][l], d3 = d[3 * step][l], d4 = d[4 * step][l];
    const float sum = (d1 + d2) * (-1.0f / 6);
    q0[l] = d[0][l] * 0.25f + sum + (d3 + d4) * (1.0f / 24);
    q1[l] = (d2 - d1) * (1.0f / 6) + (d3 - d4) * (1.0f / 12);
    q2[l] = sum + (d3 + d4) * (1.0f / 6) + d[5 * step][l];
  }
}

void Kernel(std::size_t rows, std::size_t columns, std::size_t begin, std::size_t end, const float* kernel,
            float* u) {
  HWY_ALIGN Line k[9] = {}, half[18], whole[36];
  for (std::size_t r = begin; r < end; ++r) {
    for (std::size_t c = 0; c < columns; c += kLine) {
      const std::size_t count = std::min(kLine, columns - c);
      const float* from = kernel + (r * columns + c) * 9;
      for (std::size_t l = 0; l < count; ++l) {
        for (std::size_t i = 0; i < 9; ++i) k[i][l] = from[9 * l + i];
      }
      // Columns of the kernel first: half is (6, 3), whole (6, 6).
      for (std::size_t j = 0; j < 3; ++j) g_of(k[j], k[3 + j], k[6 + j], half + j, 3);
      for (std::size_t i = 0; i < 6; ++i)
        g_of(half[3 * i], half[3 * i + 1], half[3 * i + 2], whole + 6 * i, 1);
      for (std::size_t i = 0; i < 36; ++i) std::copy_n(whole[i], count, u + (i * rows + r) * columns + c);
    }
  }
}

void KernelGradient(std::size_t rows, std::size_t columns, std::size_t begin, std::size_t end, const float* u,
                    float* kernel) {
  HWY_ALIGN Line whole[36] = {}, half[18], k[9];
  for (std::size_t r = begin; r < end; ++r) {
    for (std::size_t c = 0; c < columns; c += kLine) {
      const std::size_t count = std::min(kLine, columns - c);
      for (std::size_t i = 0; i < 36; ++i) std::copy_n(u + (i * rows + r) * columns + c, count, whole[i]);
      for (std::size_t i = 0; i < 6; ++i)
        gt_of(whole + 6 * i, 1, half[3 * i], half[3 * i + 1], half[3 * i + 2]);
      for (std::size_t j = 0; j < 3; ++j) gt_of(half + j, 3, k[j], k[3 + j], k[6 + j]);
      float* to = kernel + (r * columns + c) * 9;
      for (std::size_t l = 0; l < count; ++l) {
        for (std::size_t i = 0; i < 9; ++i) to[9 * l + i] = k[i][l];
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

HWY_EXPORT(Input);
HWY_EXPORT(Output);
HWY_EXPORT(Slope);
HWY_EXPORT(Kernel);
HWY_EXPORT(KernelGradient);

std::size_t WinogradGrid::columns() const { return (tiles_y - 1) * tiles_x + (tiles_x + 15) / 16 * 16; }

void winograd_input(const WinogradGrid& grid, const WinogradPlane& plane, std::size_t planes,
                    std::size_t begin, std::size_t end, const float* x, float* tiles) {
  HWY_DYNAMIC_DISPATCH(Input)(grid, plane, planes, begin, end, x, tiles);
}

void winograd_output(const WinogradGrid& grid, const WinogradPlane& plane, std::size_t planes,
                     std::size_t begin, std::size_t end, const float* tiles, const float* bias, float* y) {
  HWY_DYNAMIC_DISPATCH(Output)(grid, plane, planes, begin, end, tiles, bias, y);
}

void winograd_slope(const WinogradGrid& grid, const WinogradPlane& plane, std::size_t planes,
                    std::size_t begin, std::size_t end, const float* dy, float* tiles) {
  HWY_DYNAMIC_DISPATCH(Slope)(grid, plane, planes, begin, end, dy, tiles);
}

void winograd_kernel(std::size_t rows, std::size_t columns, std::size_t begin, std::size_t end,
                     const float* kernel, float* u) {
  HWY_DYNAMIC_DISPATCH(Kernel)(rows, columns, begin, end, kernel, u);
}

void winograd_kernel_gradient(std::size_t rows, std::size_t columns, std::size_t begin, std::size_t end,
                              const float* u, float* kernel) {
  HWY_DYNAMIC_DISPATCH(KernelGradient)(rows, columns, begin, end, u, kernel);
}

}  // namespace gcan::kernels
#endif  // HWY_ONCE
