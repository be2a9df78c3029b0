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

// a += factor * b
HWY_INLINE void add(std::size_t count, float factor, const float* b, float* a) {
  each<float>(count, [&](auto d, std::size_t i) HWY_ATTR {
    hn::StoreU(hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, b + i), hn::LoadU(d, a + i)), d, a + i);
  });
}

void gradient(const EdgeSet& edges, const EdgeMaxGradients& grad, std::size_t first, std::size_t last) {
  const std::size_t n = edges.hidden;
  std::vector<float> room(2 * n);
  float* const z = room.data();
  float* const grads = z + n;
  // The outputs of a point in the order of their edges, so that each edge is dealt with once.
  std::vector<std::vector<std::size_t>> outputs(edges.neighbours);
  for (std::size_t point = first; point < last; ++point) {
    const float* const given = grad.maxima + point * edges.outputs;
    for (std::vector<std::size_t>& list : outputs) list.clear();
    for (std::size_t c = 0; c < edges.outputs; ++c) {
      outputs[static_cast<std::size_t>(grad.which[point * edges.outputs + c])].push_back(c);
    }
    for (std::size_t k = 0; k < edges.neighbours; ++k) {
      if (outputs[k].empty()) continue;
      const std::int64_t start = edges.starts[point * edges.neighbours + k];
      hidden_of(edges, start, point, z);
      std::fill_n(grads, n, 0.0F);
      for (const std::size_t c : outputs[k]) {
        add(n, given[c], grad.weight + c * n, grads);
        add(n, given[c], z, grad.weights + c * n);
      }
      float* const from = grad.from + static_cast<std::size_t>(start) * n;
      float* const ends = grad.ends + point * n;
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
