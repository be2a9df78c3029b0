#include "gcan/kernels/edge_max.h"

#include <algorithm>
#include <vector>

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/edge_max.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gcan/kernels/gate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// z = leaky(from + ends) for one edge.
HWY_INLINE void hidden_of(const EdgeSet& edges, std::int64_t start, std::size_t point, float* z) {
  const float* const from = edges.from + static_cast<std::size_t>(start) * edges.hidden;
  const float* const ends = edges.ends + point * edges.hidden;
  const float slope = edges.slope;
  each<float>(edges.hidden, [&](auto d, std::size_t i) HWY_ATTR {
    const auto x = hn::Add(hn::LoadU(d, from + i), hn::LoadU(d, ends + i));
    hn::StoreU(hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(hn::Set(d, slope), x)), d, z + i);
  });
}

void hidden(const EdgeSet& edges, std::size_t first, std::size_t last, float* z) {
  for (std::size_t point = first; point < last; ++point) {
    for (std::size_t k = 0; k < edges.neighbours; ++k, z += edges.hidden) {
      hidden_of(edges, edges.starts[point * edges.neighbours + k], point, z);
    }
  }
}

void maximum(const EdgeSet& edges, std::size_t points, const float* lines, float* largest,
             std::int32_t* which) {
  const std::size_t outputs = edges.outputs, neighbours = edges.neighbours;
  for (std::size_t point = 0; point < points; ++point) {
    const float* const of_point = lines + point * neighbours * outputs;
    each<float>(outputs, [&](auto d, std::size_t i) HWY_ATTR {
      const hn::RebindToSigned<decltype(d)> whole;
      auto best = hn::LoadU(d, of_point + i);
      auto at = hn::Zero(whole);
      for (std::size_t k = 1; k < neighbours; ++k) {
        const auto y = hn::LoadU(d, of_point + k * outputs + i);
        const auto better = hn::Or(hn::Gt(y, best), hn::AndNot(hn::IsNaN(best), hn::IsNaN(y)));
        best = hn::IfThenElse(better, y, best);
        at = hn::IfThenElse(hn::RebindMask(whole, better), hn::Set(whole, static_cast<std::int32_t>(k)), at);
      }
      hn::StoreU(best, d, largest + point * outputs + i);
      hn::StoreU(at, whole, which + point * outputs + i);
    });
  }
}

// A row of numbers and its factor.
struct Scaled {
  float factor;
  const float* row;
};

// to += the sum of the rows, `count` numbers each. Several vectors of sums stay in registers while all rows
// are added.
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

// The gradients of one point's edges from their z. `of_edge` is scratch memory for a list per edge.
HWY_INLINE void edge_gradients(const EdgeSet& edges, const EdgeMaxGradients& grad, std::size_t point,
                               const float* z, std::vector<std::vector<Scaled>>& of_edge, float* grads) {
  const std::size_t n = edges.hidden;
  // The outputs of a point sorted by their edges, so that each edge is processed once.
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
  // The number of points per step: their z stay in the L2 cache while each of the weights' gradients is
  // loaded and stored once for all of them.
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

HWY_EXPORT(hidden);
HWY_EXPORT(maximum);
HWY_EXPORT(gradient);

void edge_hidden(const EdgeSet& edges, std::size_t first, std::size_t last, float* z) {
  HWY_DYNAMIC_DISPATCH(hidden)(edges, first, last, z);
}
void edge_maximum(const EdgeSet& edges, std::size_t points, const float* lines, float* largest,
                  std::int32_t* which) {
  HWY_DYNAMIC_DISPATCH(maximum)(edges, points, lines, largest, which);
}
void edge_max_gradient(const EdgeSet& edges, const EdgeMaxGradients& gradients, std::size_t first,
                       std::size_t last) {
  HWY_DYNAMIC_DISPATCH(gradient)(edges, gradients, first, last);
}

}  // namespace gcan::kernels
#endif
