#include "gcan/kernels/edge_max.h"

#include <algorithm>
#include <vector>

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/edge_max.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gcan/kernels/block_product-inl.h"
#include "gcan/kernels/gate-inl.h"
#include "gcan/kernels/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// z = leaky(from + ends) for edge k of a point: calls take(tag, position, numbers).
template <class Take>
HWY_INLINE void hidden_of(const EdgeSet& edges, std::size_t point, std::size_t k, const Take& take) {
  const auto start = static_cast<std::size_t>(edges.starts[point * edges.neighbours + k]);
  const float* const from = edges.from + start * edges.hidden;
  const float* const ends = edges.ends + point * edges.hidden;
  const float slope = edges.slope;
  each<float>(edges.hidden, [&](auto d, std::size_t i) HWY_ATTR {
    const auto x = hn::Add(hn::LoadU(d, from + i), hn::LoadU(d, ends + i));
    take(d, i, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(hn::Set(d, slope), x)));
  });
}

void hidden(const EdgeSet& edges, std::size_t first, std::size_t last, float* z) {
  for (std::size_t point = first; point < last; ++point) {
    for (std::size_t k = 0; k < edges.neighbours; ++k, z += edges.hidden) {
      hidden_of(edges, point, k, [&](auto d, std::size_t i, auto v) HWY_ATTR { hn::StoreU(v, d, z + i); });
    }
  }
}

std::size_t packed_size(const EdgeSet& edges) { return blocks_of(edges.outputs) * kLanes * edges.hidden; }

// Panels of (hidden, block of outputs, lane).
void pack(const EdgeSet& edges, const float* weight, float* packed) {
  const std::size_t blocks = blocks_of(edges.outputs), panel = panel_of(blocks);
  for (std::size_t first = 0; first < blocks; first += panel) {
    for (std::size_t h = 0; h < edges.hidden; ++h) {
      for (std::size_t c = first * kLanes; c < std::min(blocks, first + panel) * kLanes; ++c) {
        *packed++ = c < edges.outputs ? weight[c * edges.hidden + h] : 0.0F;
      }
    }
  }
}

// The largest of a block of outputs of one point, whose edges are rows of `lines`.
HWY_INLINE void largest_of(const EdgeSet& edges, const float* lines, std::size_t point, std::size_t block,
                           float* largest, std::int32_t* which) {
  const Tag d;
  const hn::RebindToSigned<Tag> whole;
  V best = hn::Load(d, lines);
  auto at = hn::Zero(whole);
  for (std::size_t k = 1; k < edges.neighbours; ++k) {
    const V y = hn::Load(d, lines + k * kLanes);
    const auto better = hn::Or(hn::Gt(y, best), hn::AndNot(hn::IsNaN(best), hn::IsNaN(y)));
    best = hn::IfThenElse(better, y, best);
    at = hn::IfThenElse(hn::RebindMask(whole, better), hn::Set(whole, static_cast<std::int32_t>(k)), at);
  }
  HWY_ALIGN float values[kLanes];
  HWY_ALIGN std::int32_t places[kLanes];
  hn::Store(best, d, values);
  hn::Store(at, whole, places);
  const std::size_t lanes = std::min(kLanes, edges.outputs - block * kLanes);
  std::copy_n(values, lanes, largest + point * edges.outputs + block * kLanes);
  std::copy_n(places, lanes, which + point * edges.outputs + block * kLanes);
}

void maximum(const EdgeSet& edges, const float* packed, std::size_t first, std::size_t last, float* largest,
             std::int32_t* which) {
  // So many edges at once that reading the weights counts little, and so few that z stays near.
  constexpr std::size_t kEdges = 64;
  static thread_local Workspace memory;
  const std::size_t most = std::max<std::size_t>(1, kEdges / edges.neighbours);
  const std::size_t rows = (most * edges.neighbours + 3) / 4 * 4;
  // One vector more than needed: blocks at steps of a power of two would fight for the same cache lines.
  const std::size_t z_block = (rows + 1) * kLanes;
  const std::size_t blocks = blocks_of(edges.outputs), panel = panel_of(blocks);
  float* const z = memory.get((blocks_of(edges.hidden) + panel) * z_block);
  float* const lines = z + blocks_of(edges.hidden) * z_block;
  std::fill_n(z, blocks_of(edges.hidden) * z_block, 0.0F);
  std::vector<Stretch> terms[4];
  for (std::size_t width = 1; width <= 3; ++width) {
    for (std::size_t h = 0; h < edges.hidden; h += kLanes) {
      terms[width].push_back({static_cast<std::ptrdiff_t>(h / kLanes * z_block),
                              static_cast<std::ptrdiff_t>(h * width * kLanes),
                              std::min(kLanes, edges.hidden - h)});
    }
  }
  for (std::size_t begin = first; begin < last; begin += most) {
    const std::size_t end = std::min(last, begin + most);
    for (std::size_t row = 0; row < (end - begin) * edges.neighbours; ++row) {
      float* const to = z + row * kLanes;
      hidden_of(edges, begin + row / edges.neighbours, row % edges.neighbours,
                [&](auto d, std::size_t i, auto v)
                    HWY_ATTR { hn::StoreU(v, d, to + i / kLanes * z_block + i % kLanes); });
    }
    for (std::size_t b = 0; b < blocks; b += panel) {
      const std::size_t width = std::min(panel, blocks - b);
      product<1>(width, rows, {terms[width].data(), terms[width].size()}, z,
                 packed + b * kLanes * edges.hidden, lines, z_block);
      for (std::size_t point = begin; point < end; ++point) {
        for (std::size_t v = 0; v < width; ++v) {
          largest_of(edges, lines + v * z_block + (point - begin) * edges.neighbours * kLanes, point, b + v,
                     largest, which);
        }
      }
    }
  }
}

// A row of numbers and what it is multiplied by.
struct Scaled {
  float factor;
  const float* row;
};

// to += the sum of the rows, of `count` numbers each. The sums of several vectors stay in registers while all
// rows are added to them.
HWY_INLINE void add_rows(const std::vector<Scaled>& rows, std::size_t count, float* to) {
  const hn::ScalableTag<float> d;
  constexpr std::size_t kVectors = 8;
  const std::size_t lanes = hn::Lanes(d), block = kVectors * lanes;
  std::size_t i = 0;
  for (; i + block <= count; i += block) {
    hn::Vec<decltype(d)> sums[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) sums[v] = hn::LoadU(d, to + i + v * lanes);
    for (const Scaled& scaled : rows) {
      const auto factor = hn::Set(d, scaled.factor);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[v] = hn::MulAdd(factor, hn::LoadU(d, scaled.row + i + v * lanes), sums[v]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, to + i + v * lanes);
  }
  each<float>(count - i, [&](auto tag, std::size_t k) HWY_ATTR {
    auto sum = hn::LoadU(tag, to + i + k);
    for (const Scaled& scaled : rows) {
      sum = hn::MulAdd(hn::Set(tag, scaled.factor), hn::LoadU(tag, scaled.row + i + k), sum);
    }
    hn::StoreU(sum, tag, to + i + k);
  });
}

// The gradients of one point's edges, whose z are given. `of_edge` is room for a list per edge.
HWY_INLINE void edge_gradients(const EdgeSet& edges, const EdgeMaxGradients& grad, std::size_t point,
                               const float* z, std::vector<std::vector<Scaled>>& of_edge, float* grads) {
  const std::size_t n = edges.hidden;
  // The outputs of a point in the order of their edges, so that each edge is dealt with once.
  for (std::vector<Scaled>& list : of_edge) list.clear();
  for (std::size_t c = 0; c < edges.outputs; ++c) {
    const std::size_t at = point * edges.outputs + c;
    of_edge[static_cast<std::size_t>(grad.which[at])].push_back({grad.maxima[at], grad.weight + c * n});
  }
  float* const ends = grad.ends + point * n;
  for (std::size_t k = 0; k < edges.neighbours; ++k, z += n) {
    if (of_edge[k].empty()) continue;
    std::fill_n(grads, n, 0.0F);
    add_rows(of_edge[k], n, grads);
    float* const from = grad.from + static_cast<std::size_t>(edges.starts[point * edges.neighbours + k]) * n;
    const float below = edges.slope;
    each<float>(n, [&](auto d, std::size_t i) HWY_ATTR {
      const auto raw = hn::LoadU(d, grads + i);
      const auto positive = hn::Gt(hn::LoadU(d, z + i), hn::Zero(d));
      const auto slope = hn::IfThenElse(positive, raw, hn::Mul(hn::Set(d, below), raw));
      hn::StoreU(hn::Add(hn::LoadU(d, from + i), slope), d, from + i);
      hn::StoreU(hn::Add(hn::LoadU(d, ends + i), slope), d, ends + i);
    });
  }
}

void gradient(const EdgeSet& edges, const EdgeMaxGradients& grad, std::size_t first, std::size_t last) {
  // So many points that their z stay in the second-level cache while the weights' gradients are added up,
  // each of which is then loaded and stored once for all of them.
  constexpr std::size_t kPoints = 16;
  const std::size_t n = edges.hidden, edge_numbers = edges.neighbours * n;
  std::vector<float> z(kPoints * edge_numbers), grads(n);
  std::vector<std::vector<Scaled>> of_edge(edges.neighbours);
  std::vector<Scaled> of_output;
  for (std::size_t begin = first; begin < last; begin += kPoints) {
    const std::size_t end = std::min(begin + kPoints, last);
    hidden(edges, begin, end, z.data());
    for (std::size_t point = begin; point < end; ++point) {
      edge_gradients(edges, grad, point, z.data() + (point - begin) * edge_numbers, of_edge, grads.data());
    }
    for (std::size_t c = 0; c < edges.outputs; ++c) {
      of_output.clear();
      for (std::size_t point = begin; point < end; ++point) {
        const std::size_t at = point * edges.outputs + c;
        const float* const of_point = z.data() + (point - begin) * edge_numbers;
        of_output.push_back({grad.maxima[at], of_point + static_cast<std::size_t>(grad.which[at]) * n});
      }
      add_rows(of_output, n, grad.weights + c * n);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

HWY_EXPORT(packed_size);
HWY_EXPORT(pack);
HWY_EXPORT(maximum);
HWY_EXPORT(gradient);

std::size_t edge_packed_size(const EdgeSet& edges) { return HWY_DYNAMIC_DISPATCH(packed_size)(edges); }
void edge_pack(const EdgeSet& edges, const float* weight, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack)(edges, weight, packed);
}
void edge_maximum(const EdgeSet& edges, const float* packed, std::size_t first, std::size_t last,
                  float* largest, std::int32_t* which) {
  HWY_DYNAMIC_DISPATCH(maximum)(edges, packed, first, last, largest, which);
}
void edge_max_gradient(const EdgeSet& edges, const EdgeMaxGradients& gradients, std::size_t first,
                       std::size_t last) {
  HWY_DYNAMIC_DISPATCH(gradient)(edges, gradients, first, last);
}

}  // namespace gcan::kernels
#endif
