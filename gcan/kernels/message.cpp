#include "gcan/kernels/message.h"

#include <vector>

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/message.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gcan/kernels/gate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// Rows padded to whole vectors. The padding is zero, so it does not contribute to sums over i; loops over j
// cover the points only.
template <class T>
class Rows {
 public:
  Rows(std::size_t rows, std::size_t points)
      : width_(hwy::RoundUpTo(points, hn::Lanes(hn::ScalableTag<T>()))),
        rows_(rows),
        numbers_(hwy::AllocateAligned<T>(std::max<std::size_t>(rows * width_, 1))) {
    clear();
  }
  HWY_INLINE T* operator[](std::size_t row) const { return numbers_.get() + row * width_; }
  [[nodiscard]] HWY_INLINE std::size_t width() const { return width_; }
  void clear() const { std::fill(numbers_.get(), numbers_.get() + rows_ * width_, T(0)); }

 private:
  std::size_t width_;
  std::size_t rows_;
  hwy::AlignedFreeUniquePtr<T[]> numbers_;
};

// A row is too short to be worth a call of memcpy.
template <class T>
HWY_INLINE void copy_row(const T* from, std::size_t count, T* to) {
  each<T>(count, [&](auto d, std::size_t i) HWY_ATTR { hn::StoreU(hn::LoadU(d, from + i), d, to + i); });
}

// Copies the lines of one channel and sample to rows and back.
template <class T>
HWY_INLINE void load(const Graphs& g, std::size_t channel, std::size_t sample, const T* from,
                     const Rows<T>& rows) {
  for (std::size_t l = 0; l < g.lines; ++l) {
    copy_row(from + g.at(channel, l, sample), g.points, rows[l]);
  }
}
template <class T>
HWY_INLINE void store(const Graphs& g, std::size_t channel, std::size_t sample, const Rows<T>& rows, T* to) {
  for (std::size_t l = 0; l < g.lines; ++l) {
    copy_row(rows[l], g.points, to + g.at(channel, l, sample));
  }
}
template <class T>
HWY_INLINE void load(const BothTerms& both, std::size_t channel, std::size_t sample, const T* from,
                     const Rows<T>& a, const Rows<T>& b) {
  for (std::size_t l = 0; l < both.graphs.lines; ++l) {
    const T* const line = from + both.at(channel, l, sample);
    copy_row(line, both.graphs.points, a[l]);
    copy_row(line + both.distance(), both.graphs.points, b[l]);
  }
}
template <class T>
HWY_INLINE void store(const BothTerms& both, std::size_t channel, std::size_t sample, const Rows<T>& a,
                      const Rows<T>& b, T* to) {
  for (std::size_t l = 0; l < both.graphs.lines; ++l) {
    T* const line = to + both.at(channel, l, sample);
    copy_row(a[l], both.graphs.points, line);
    copy_row(b[l], both.graphs.points, line + both.distance());
  }
}

// Sums over i, kept as one vector per j until all i are done.
template <class T>
class ColumnSums {
 public:
  ColumnSums(std::size_t rows, std::size_t points)
      : points_(points), lanes_(hn::Lanes(hn::ScalableTag<T>())), sums_(rows, points * lanes_) {}
  HWY_INLINE T* at(std::size_t row, std::size_t j) const { return sums_[row] + j * lanes_; }
  template <class V>
  HWY_INLINE void add(std::size_t row, std::size_t j, V v) const {
    const hn::ScalableTag<T> d;
    hn::Store(hn::Add(hn::Load(d, at(row, j)), v), d, at(row, j));
  }
  void clear() const { sums_.clear(); }
  HWY_INLINE T total(std::size_t row, std::size_t j) const {
    const hn::ScalableTag<T> d;
    return hn::GetLane(hn::SumOfLanes(d, hn::Load(d, at(row, j))));
  }

 private:
  std::size_t points_;
  std::size_t lanes_;
  Rows<T> sums_;
};

// Calls body(i) for vectors of points i.
template <class T, class Body>
HWY_INLINE void for_each_vector(std::size_t width, const Body& body) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  for (std::size_t i = 0; i < width; i += lanes) body(i);
}

// Edges from all j to the vector of points at i, one vector per j; self loops are zero.
template <class T>
class Edges {
 public:
  explicit Edges(std::size_t points)
      : points_(points),
        lanes_(hn::Lanes(hn::ScalableTag<T>())),
        numbers_(hwy::AllocateAligned<T>(std::max<std::size_t>(points * lanes_, 1))) {}
  HWY_INLINE T* operator[](std::size_t j) const { return numbers_.get() + j * lanes_; }
  HWY_INLINE void clear_loops(std::size_t i) const {
    for (std::size_t lane = 0; lane < lanes_ && i + lane < points_; ++lane) (*this)[i + lane][lane] = T(0);
  }
  // The sum over j.
  HWY_INLINE auto total() const {
    const hn::ScalableTag<T> d;
    auto sum = hn::Zero(d);
    for (std::size_t j = 0; j < points_; ++j) sum = hn::Add(sum, hn::Load(d, (*this)[j]));
    return sum;
  }
  // The sum over j with a factor per j.
  HWY_INLINE auto total(const T* factor) const {
    const hn::ScalableTag<T> d;
    auto sum = hn::Zero(d);
    for (std::size_t j = 0; j < points_; ++j) {
      sum = hn::MulAdd(hn::Load(d, (*this)[j]), hn::Set(d, factor[j]), sum);
    }
    return sum;
  }

 private:
  std::size_t points_;
  std::size_t lanes_;
  hwy::AlignedFreeUniquePtr<T[]> numbers_;
};

// The linear forms of a channel's gates at the points: f_k = bias_k + sum_l weight_kl x_l.
template <class T>
HWY_INLINE void linear_forms(const GatedSum<T>& sum, std::size_t channel, const Rows<T>& x, bool with_bias,
                             const Rows<T>& f) {
  const hn::ScalableTag<T> d;
  const std::size_t lines = sum.graphs.lines;
  for (std::size_t k = 0; k < sum.gates; ++k) {
    const T* weight = sum.weight + (channel * sum.gates + k) * lines;
    const auto start = hn::Set(d, with_bias ? sum.bias[channel * sum.gates + k] : T(0));
    for_each_vector<T>(x.width(), [&](std::size_t i) HWY_ATTR {
      auto value = start;
      for (std::size_t l = 0; l < lines; ++l) {
        value = hn::MulAdd(hn::Set(d, weight[l]), hn::Load(d, x[l] + i), value);
      }
      hn::Store(value, d, f[k] + i);
    });
  }
}

template <class D, class V>
HWY_INLINE V reciprocal(D d, V x) {
  return hn::Div(hn::Set(d, hn::TFromD<D>(1)), x);
}
#if HWY_TARGET <= HWY_AVX3
// A Newton step on a 14-bit estimate is as accurate as division and takes a third of the time.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> reciprocal(hn::ScalableTag<float> d,
                                                      hn::Vec<hn::ScalableTag<float>> x) {
  const auto r = hn::ApproximateReciprocal(x);
  return hn::Mul(r, hn::NegMulAdd(x, r, hn::Set(d, 2.0F)));
}
#endif

// Whether the exponentials of a row's numbers can be multiplied without overflow.
template <class T>
HWY_INLINE bool are_moderate(const T* row, std::size_t width) {
  const hn::ScalableTag<T> d;
  const auto limit = hn::Set(d, T(sizeof(T) == 4 ? 40 : 300));
  bool moderate = true;
  for_each_vector<T>(width, [&](std::size_t i) HWY_ATTR {
    moderate = moderate && hn::AllTrue(d, hn::Le(hn::Abs(hn::Load(d, row + i)), limit));
  });
  return moderate;
}

template <class T>
struct GatedScratch {
  explicit GatedScratch(const GatedSum<T>& sum)
      : a(sum.graphs.lines, sum.graphs.points),
        b(sum.graphs.lines, sum.graphs.points),
        fa(sum.gates, sum.graphs.points),
        fb(sum.gates, sum.graphs.points),
        ea(1, sum.graphs.points),
        eb(1, sum.graphs.points),
        gate(sum.graphs.points) {
    lines_of.resize(sum.gates);
    for (std::size_t l = 0; l < sum.graphs.lines; ++l) lines_of[sum.gate_of[l]].push_back(l);
    for (const std::vector<std::size_t>& lines : lines_of) {
      lines_per_gate = lines.size() == lines_of[0].size() ? lines.size() : 0;
      if (lines_per_gate == 0) break;
    }
  }
  Rows<T> a, b, fa, fb;
  Rows<T> ea, eb;  // exp(-fa) and exp(-fb) of one gate
  Edges<T> gate;
  bool moderate = false;
  // The lines of each gate, and their number if it is equal for all gates. Three lines (points, or vectors in
  // space) and six (both) have specialised loops, in which an edge stays in registers.
  std::vector<std::vector<std::size_t>> lines_of;
  std::size_t lines_per_gate = 0;

  // Prepares for_each_gate() of gate k.
  HWY_INLINE void start_gate(std::size_t k) {
    const hn::ScalableTag<T> d;
    moderate = are_moderate(fa[k], fa.width()) && are_moderate(fb[k], fb.width());
    if (!moderate) return;
    for_each_vector<T>(fa.width(), [&](std::size_t i) HWY_ATTR {
      hn::Store(hn::Exp(d, hn::Neg(hn::Load(d, fa[k] + i))), d, ea[0] + i);
      hn::Store(hn::Exp(d, hn::Neg(hn::Load(d, fb[k] + i))), d, eb[0] + i);
    });
  }
  // Calls body(j, sigmoid(fa + fb_j)) for the points at i. The exponential of a sum is a product, so edges
  // need no exponentials: 1 / (1 + exp(-fa) exp(-fb)).
  template <class Body>
  HWY_INLINE void for_each_gate(std::size_t points, std::size_t k, std::size_t i, const Body& body) const {
    for_each_sum(points, fa[k] + i, fb[k], ea[0] + i, eb[0], body);
  }
  // The same for the other ends of the edges: body(i, sigmoid(fb + fa_i)) for the points at j.
  template <class Body>
  HWY_INLINE void for_each_gate_to(std::size_t points, std::size_t k, std::size_t j, const Body& body) const {
    for_each_sum(points, fb[k] + j, fa[k], eb[0] + j, ea[0], body);
  }

  // The messages to the points at i in the L lines of gate k.
  template <std::size_t L>
  HWY_INLINE void forward_lines(std::size_t points, std::size_t k, std::size_t i, const Rows<T>& y) const {
    const hn::ScalableTag<T> d;
    const auto point = hn::Iota(d, static_cast<T>(i));
    const T* of_b[L];
    hn::Vec<decltype(d)> sums[L], gate_sum = hn::Zero(d);
    for (std::size_t l = 0; l < L; ++l) {
      of_b[l] = b[lines_of[k][l]];
      sums[l] = hn::Zero(d);
    }
    for_each_gate(points, k, i, [&](std::size_t j, auto value) HWY_ATTR {
      const auto s = hn::IfThenZeroElse(hn::Eq(point, hn::Set(d, static_cast<T>(j))), value);
      gate_sum = hn::Add(gate_sum, s);
      for (std::size_t l = 0; l < L; ++l) sums[l] = hn::MulAdd(s, hn::Set(d, of_b[l][j]), sums[l]);
    });
    for (std::size_t l = 0; l < L; ++l) {
      const std::size_t line = lines_of[k][l];
      hn::Store(hn::MulAdd(gate_sum, hn::Load(d, a[line] + i), sums[l]), d, y[line] + i);
    }
  }

  void start(const GatedSum<T>& sum, std::size_t channel, std::size_t sample, const T* both) {
    load(BothTerms{sum.graphs, sum.together}, channel, sample, both, a, b);
    linear_forms(sum, channel, a, true, fa);
    linear_forms(sum, channel, b, false, fb);
  }

 private:
  template <class Body>
  HWY_INLINE void for_each_sum(std::size_t points, const T* form, const T* forms, const T* exponential,
                               const T* exponentials, const Body& body) const {
    const hn::ScalableTag<T> d;
    if (moderate) {
      const auto e = hn::Load(d, exponential), one = hn::Set(d, T(1));
      for (std::size_t j = 0; j < points; ++j) {
        body(j, reciprocal(d, hn::MulAdd(e, hn::Set(d, exponentials[j]), one)));
      }
      return;
    }
    const auto f = hn::Load(d, form);
    for (std::size_t j = 0; j < points; ++j) body(j, sigmoid_of(d, hn::Add(f, hn::Set(d, forms[j]))));
  }
};

template <class T>
void gated_forward(const GatedSum<T>& sum, std::size_t begin, std::size_t end, const T* both, T* y) {
  const hn::ScalableTag<T> d;
  const Graphs& g = sum.graphs;
  GatedScratch<T> at(sum);
  const Rows<T> out(g.lines, g.points);
  for (std::size_t row = begin * g.samples; row < end * g.samples; ++row) {
    const std::size_t channel = row / g.samples, sample = row % g.samples;
    at.start(sum, channel, sample, both);
    for (std::size_t k = 0; k < sum.gates; ++k) {
      at.start_gate(k);
      if (at.lines_per_gate == 3 || at.lines_per_gate == 6) {
        for_each_vector<T>(out.width(), [&](std::size_t i) HWY_ATTR {
          at.lines_per_gate == 3 ? at.template forward_lines<3>(g.points, k, i, out)
                                 : at.template forward_lines<6>(g.points, k, i, out);
        });
        continue;
      }
      for_each_vector<T>(out.width(), [&](std::size_t i) HWY_ATTR {
        at.for_each_gate(g.points, k, i,
                         [&](std::size_t j, auto s) HWY_ATTR { hn::Store(s, d, at.gate[j]); });
        at.gate.clear_loops(i);
        const auto gate_sum = at.gate.total();
        for (std::size_t l = 0; l < g.lines; ++l) {
          if (sum.gate_of[l] != k) continue;
          hn::Store(hn::MulAdd(gate_sum, hn::Load(d, at.a[l] + i), at.gate.total(at.b[l])), d, out[l] + i);
        }
      });
    }
    store(g, channel, sample, out, y);
  }
}

// The backward pass of one channel of one sample. With s = sigmoid(f_ij) and grad = dL/df_ij = s (1 - s)
// sum_l dy_li (a_li + b_lj):
//   da_li = dy_li sum_j s + sum_k w_kl sum_j grad,   db_lj = sum_i s dy_li + sum_k w_kl sum_i grad.
template <class T>
struct GatedBackward : GatedScratch<T> {
  explicit GatedBackward(const GatedSum<T>& sum_)
      : GatedScratch<T>(sum_),
        sum(sum_),
        dy(sum_.graphs.lines, sum_.graphs.points),
        da(sum_.graphs.lines, sum_.graphs.points),
        db(sum_.graphs.lines, sum_.graphs.points),
        grad_a(sum_.gates, sum_.graphs.points),
        grad_b(sum_.gates, sum_.graphs.points),
        own_dot(1, sum_.graphs.points),
        grad(sum_.graphs.points),
        columns(sum_.graphs.lines + sum_.gates, sum_.graphs.points) {}
  const GatedSum<T>& sum;
  Rows<T> dy, da, db, grad_a, grad_b;
  Rows<T> own_dot;  // sum_l dy_li a_li
  Edges<T> grad;
  ColumnSums<T> columns;  // for each line of s dy, then for each gate of grad

  HWY_INLINE bool gated_by(std::size_t line, std::size_t k) const { return sum.gate_of[line] == k; }

  // The gates and grads of the edges to the points at i.
  HWY_INLINE void edges(std::size_t k, std::size_t i) {
    const hn::ScalableTag<T> d;
    const std::size_t lines = sum.graphs.lines;
    auto own = hn::Zero(d);
    for (std::size_t l = 0; l < lines; ++l) {
      if (gated_by(l, k)) own = hn::MulAdd(hn::Load(d, dy[l] + i), hn::Load(d, this->a[l] + i), own);
    }
    this->for_each_gate(sum.graphs.points, k, i, [&](std::size_t j, auto s) HWY_ATTR {
      auto dot = own;
      for (std::size_t l = 0; l < lines; ++l) {
        if (gated_by(l, k)) dot = hn::MulAdd(hn::Load(d, dy[l] + i), hn::Set(d, this->b[l][j]), dot);
      }
      hn::Store(s, d, this->gate[j]);
      hn::Store(hn::Mul(hn::NegMulAdd(s, s, s), dot), d, grad[j]);
    });
    this->gate.clear_loops(i);
    grad.clear_loops(i);
  }

  HWY_INLINE void add_columns(std::size_t k, std::size_t i) {
    const hn::ScalableTag<T> d;
    for (std::size_t l = 0; l < sum.graphs.lines; ++l) {
      if (!gated_by(l, k)) continue;
      const auto g = hn::Load(d, dy[l] + i);
      for (std::size_t j = 0; j < sum.graphs.points; ++j) {
        columns.add(l, j, hn::Mul(g, hn::Load(d, this->gate[j])));
      }
    }
    for (std::size_t j = 0; j < sum.graphs.points; ++j) {
      columns.add(sum.graphs.lines + k, j, hn::Load(d, grad[j]));
    }
  }

  // The work of run() for a gate with L lines. Computing an edge twice, for the sums over j and over i, is
  // faster than summing the lanes of vectors.
  template <std::size_t L>
  HWY_INLINE void run_lines() {
    for (std::size_t k = 0; k < sum.gates; ++k) {
      this->start_gate(k);
      for_each_vector<T>(dy.width(), [&](std::size_t i) HWY_ATTR { lines_to<L>(k, i); });
      for_each_vector<T>(dy.width(), [&](std::size_t j) HWY_ATTR { lines_from<L>(k, j); });
    }
  }
  template <std::size_t L>
  HWY_INLINE void lines_to(std::size_t k, std::size_t i) {
    const hn::ScalableTag<T> d;
    const auto point = hn::Iota(d, static_cast<T>(i));
    hn::Vec<decltype(d)> g[L], own = hn::Zero(d), gate_sum = own, grads = own;
    const T* of_b[L];
    for (std::size_t l = 0; l < L; ++l) {
      const std::size_t line = this->lines_of[k][l];
      g[l] = hn::Load(d, dy[line] + i);
      of_b[l] = this->b[line];
      own = hn::MulAdd(g[l], hn::Load(d, this->a[line] + i), own);
    }
    hn::Store(own, d, own_dot[0] + i);
    this->for_each_gate(sum.graphs.points, k, i, [&](std::size_t j, auto value) HWY_ATTR {
      const auto s = hn::IfThenZeroElse(hn::Eq(point, hn::Set(d, static_cast<T>(j))), value);
      auto dot = own;
      for (std::size_t l = 0; l < L; ++l) dot = hn::MulAdd(g[l], hn::Set(d, of_b[l][j]), dot);
      gate_sum = hn::Add(gate_sum, s);
      grads = hn::MulAdd(hn::NegMulAdd(s, s, s), dot, grads);
    });
    hn::Store(grads, d, grad_a[k] + i);
    for (std::size_t l = 0; l < L; ++l) hn::Store(hn::Mul(gate_sum, g[l]), d, da[this->lines_of[k][l]] + i);
  }
  template <std::size_t L>
  HWY_INLINE void lines_from(std::size_t k, std::size_t j) {
    const hn::ScalableTag<T> d;
    const auto point = hn::Iota(d, static_cast<T>(j));
    hn::Vec<decltype(d)> of_b[L], sums[L], grads = hn::Zero(d);
    const T* g[L];
    for (std::size_t l = 0; l < L; ++l) {
      const std::size_t line = this->lines_of[k][l];
      of_b[l] = hn::Load(d, this->b[line] + j);
      sums[l] = hn::Zero(d);
      g[l] = dy[line];
    }
    const T* const own = own_dot[0];
    this->for_each_gate_to(sum.graphs.points, k, j, [&](std::size_t i, auto value) HWY_ATTR {
      const auto s = hn::IfThenZeroElse(hn::Eq(point, hn::Set(d, static_cast<T>(i))), value);
      auto dot = hn::Set(d, own[i]);
      for (std::size_t l = 0; l < L; ++l) {
        const auto gradient = hn::Set(d, g[l][i]);
        dot = hn::MulAdd(gradient, of_b[l], dot);
        sums[l] = hn::MulAdd(gradient, s, sums[l]);
      }
      grads = hn::MulAdd(hn::NegMulAdd(s, s, s), dot, grads);
    });
    hn::Store(grads, d, grad_b[k] + j);
    for (std::size_t l = 0; l < L; ++l) hn::Store(sums[l], d, db[this->lines_of[k][l]] + j);
  }

  // All edges: stores the gradients through the values in da and db, and the sums of the grads.
  HWY_INLINE void run() {
    const hn::ScalableTag<T> d;
    if (this->lines_per_gate == 3) return run_lines<3>();
    if (this->lines_per_gate == 6) return run_lines<6>();
    columns.clear();
    for (std::size_t k = 0; k < sum.gates; ++k) {
      this->start_gate(k);
      for_each_vector<T>(dy.width(), [&](std::size_t i) HWY_ATTR {
        edges(k, i);
        hn::Store(grad.total(), d, grad_a[k] + i);
        const auto gate_sum = this->gate.total();
        for (std::size_t l = 0; l < sum.graphs.lines; ++l) {
          if (gated_by(l, k)) hn::Store(hn::Mul(gate_sum, hn::Load(d, dy[l] + i)), d, da[l] + i);
        }
        add_columns(k, i);
      });
    }
    for (std::size_t j = 0; j < sum.graphs.points; ++j) {
      for (std::size_t l = 0; l < sum.graphs.lines; ++l) db[l][j] = columns.total(l, j);
      for (std::size_t k = 0; k < sum.gates; ++k) grad_b[k][j] = columns.total(sum.graphs.lines + k, j);
    }
  }

  // The gradients through the linear forms: the rest of da and db, and those of the parameters.
  HWY_INLINE void forms(std::size_t channel, double* sums) {
    const hn::ScalableTag<T> d;
    const std::size_t lines = sum.graphs.lines;
    for (std::size_t k = 0; k < sum.gates; ++k, sums += lines + 1) {
      const T* weight = sum.weight + (channel * sum.gates + k) * lines;
      auto total = hn::Zero(d);
      for_each_vector<T>(dy.width(),
                         [&](std::size_t i) HWY_ATTR { total = hn::Add(total, hn::Load(d, grad_a[k] + i)); });
      sums[lines] = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
      for (std::size_t l = 0; l < lines; ++l) {
        const auto w = hn::Set(d, weight[l]);
        total = hn::Zero(d);
        for_each_vector<T>(dy.width(), [&](std::size_t i) HWY_ATTR {
          const auto sa = hn::Load(d, grad_a[k] + i), sb = hn::Load(d, grad_b[k] + i);
          total = hn::MulAdd(sa, hn::Load(d, this->a[l] + i), total);
          total = hn::MulAdd(sb, hn::Load(d, this->b[l] + i), total);
          hn::Store(hn::MulAdd(w, sa, hn::Load(d, da[l] + i)), d, da[l] + i);
          hn::Store(hn::MulAdd(w, sb, hn::Load(d, db[l] + i)), d, db[l] + i);
        });
        sums[l] = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
      }
    }
  }
};

template <class T>
void gated_backward(const GatedSum<T>& sum, std::size_t begin, std::size_t end, const T* both, const T* dy,
                    T* dboth, double* sums) {
  const Graphs& g = sum.graphs;
  GatedBackward<T> at(sum);
  for (std::size_t row = begin * g.samples; row < end * g.samples; ++row) {
    const std::size_t channel = row / g.samples, sample = row % g.samples;
    at.start(sum, channel, sample, both);
    load(g, channel, sample, dy, at.dy);
    at.run();
    at.forms(channel, sums + (sample * g.channels + channel) * sum.sums_per_row());
    store(BothTerms{g, sum.together}, channel, sample, at.da, at.db, dboth);
  }
}

// The sums with LeakyReLU. They include self loops, which are subtracted at the end.
template <class T>
struct LeakyScratch {
  explicit LeakyScratch(const LeakySum<T>& sum_)
      : sum(sum_),
        a(1, sum_.graphs.points),
        b(1, sum_.graphs.points),
        loop(1, sum_.graphs.points),
        distance(sum_.distance == nullptr ? 0 : sum_.graphs.points, sum_.graphs.points) {}
  const LeakySum<T>& sum;
  Rows<T> a, b;
  Rows<T> loop;  // distances of points to themselves
  Rows<T> distance;
  T weight = 0;

  HWY_INLINE void start_sample(std::size_t sample) {
    if (sum.distance == nullptr) return;
    const std::size_t points = sum.graphs.points;
    const T* from = sum.distance + sample * points * points;
    for (std::size_t j = 0; j < points; ++j) {
      std::copy_n(from + j * points, points, distance[j]);
      loop[0][j] = distance[j][j];
    }
  }
  HWY_INLINE void start(std::size_t channel, std::size_t sample, const T* a_all, const T* b_all) {
    load(sum.graphs, channel, sample, a_all, a);
    load(sum.graphs, channel, sample, b_all, b);
    if (sum.distance != nullptr) weight = sum.weight[channel];
  }
  // a_i + b_j + c d_ji for the points at i.
  template <class V>
  HWY_INLINE V edge(V ai, std::size_t i, std::size_t j) const {
    const hn::ScalableTag<T> d;
    const V z = hn::Add(ai, hn::Set(d, b[0][j]));
    if (sum.distance == nullptr) return z;
    return hn::MulAdd(hn::Set(d, weight), hn::Load(d, distance[j] + i), z);
  }
  // The same for the edges of the points at i with themselves.
  HWY_INLINE auto loop_edge(std::size_t i) const {
    const hn::ScalableTag<T> d;
    return hn::MulAdd(hn::Set(d, weight), hn::Load(d, loop[0] + i),
                      hn::Add(hn::Load(d, a[0] + i), hn::Load(d, b[0] + i)));
  }
  template <class V>
  HWY_INLINE V leaky(V z) const {
    return hn::Max(z, hn::Mul(z, hn::Set(hn::ScalableTag<T>(), sum.slope)));
  }
  // g where z > 0, slope g elsewhere.
  template <class V>
  HWY_INLINE V leaked(V z, V g, V less) const {
    return hn::IfThenElse(hn::Gt(z, hn::Zero(hn::ScalableTag<T>())), g, less);
  }
};

template <class T>
void leaky_forward(const LeakySum<T>& sum, std::size_t begin, std::size_t end, const T* a, const T* b, T* y) {
  const hn::ScalableTag<T> d;
  const Graphs& g = sum.graphs;
  LeakyScratch<T> at(sum);
  const Rows<T> out(1, g.points);
  for (std::size_t sample = begin; sample < end; ++sample) {
    at.start_sample(sample);
    for (std::size_t channel = 0; channel < g.channels; ++channel) {
      at.start(channel, sample, a, b);
      for_each_vector<T>(out.width(), [&](std::size_t i) HWY_ATTR {
        const auto ai = hn::Load(d, at.a[0] + i);
        auto total = hn::Neg(at.leaky(at.loop_edge(i)));
        for (std::size_t j = 0; j < g.points; ++j) total = hn::Add(total, at.leaky(at.edge(ai, i, j)));
        hn::Store(total, d, out[0] + i);
      });
      store(g, channel, sample, out, y);
    }
  }
}

template <class T>
struct LeakyBackward : LeakyScratch<T> {
  explicit LeakyBackward(const LeakySum<T>& sum_)
      : LeakyScratch<T>(sum_),
        dy(1, sum_.graphs.points),
        da(1, sum_.graphs.points),
        db(1, sum_.graphs.points),
        dloop(1, sum_.graphs.points),
        ddistance(sum_.distance == nullptr ? 0 : sum_.graphs.points, sum_.graphs.points),
        columns(1, sum_.graphs.points) {}
  Rows<T> dy, da, db, dloop, ddistance;
  ColumnSums<T> columns;

  // All edges of a channel; returns its contribution to dc.
  HWY_INLINE double run(bool wants_ddistance) {
    const hn::ScalableTag<T> d;
    const std::size_t points = this->sum.graphs.points;
    const bool far = this->sum.distance != nullptr;
    columns.clear();
    auto share = hn::Zero(d);
    for_each_vector<T>(dy.width(), [&](std::size_t i) HWY_ATTR {
      const auto ai = hn::Load(d, this->a[0] + i), g = hn::Load(d, dy[0] + i);
      const auto less = hn::Mul(g, hn::Set(d, this->sum.slope));
      const auto own = this->leaked(this->loop_edge(i), g, less);
      hn::Store(own, d, dloop[0] + i);
      if (far) share = hn::NegMulAdd(own, hn::Load(d, this->loop[0] + i), share);
      auto total = hn::Neg(own);
      for (std::size_t j = 0; j < points; ++j) {
        const auto passed = this->leaked(this->edge(ai, i, j), g, less);
        total = hn::Add(total, passed);
        columns.add(0, j, passed);
        if (!far) continue;
        share = hn::MulAdd(passed, hn::Load(d, this->distance[j] + i), share);
        if (!wants_ddistance) continue;
        T* const to = ddistance[j] + i;
        hn::Store(hn::MulAdd(passed, hn::Set(d, this->weight), hn::Load(d, to)), d, to);
      }
      hn::Store(total, d, da[0] + i);
    });
    for (std::size_t j = 0; j < points; ++j) db[0][j] = columns.total(0, j) - dloop[0][j];
    return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, share)));
  }
};

template <class T>
void leaky_backward(const LeakySum<T>& sum, std::size_t begin, std::size_t end, const T* a, const T* b,
                    const T* dy, T* da, T* db, double* sums, T* ddistance) {
  const Graphs& g = sum.graphs;
  LeakyBackward<T> at(sum);
  for (std::size_t sample = begin; sample < end; ++sample) {
    at.start_sample(sample);
    at.ddistance.clear();
    for (std::size_t channel = 0; channel < g.channels; ++channel) {
      at.start(channel, sample, a, b);
      load(g, channel, sample, dy, at.dy);
      const double share = at.run(ddistance != nullptr);
      if (sum.distance != nullptr) sums[sample * g.channels + channel] = share;
      store(g, channel, sample, at.da, da);
      store(g, channel, sample, at.db, db);
    }
    if (ddistance == nullptr) continue;
    for (std::size_t j = 0; j < g.points; ++j) {
      at.ddistance[j][j] = T(0);
      std::copy_n(at.ddistance[j], g.points, ddistance + (sample * g.points + j) * g.points);
    }
  }
}

// Highway's table of instruction sets holds plain functions only.
#define GCAN_MESSAGE_FUNCTIONS(T)                                                                            \
  void gated_forward_##T(const GatedSum<T>& sum, std::size_t begin, std::size_t end, const T* both, T* y) {  \
    gated_forward(sum, begin, end, both, y);                                                                 \
  }                                                                                                          \
  void gated_backward_##T(const GatedSum<T>& sum, std::size_t begin, std::size_t end, const T* both,         \
                          const T* dy, T* dboth, double* sums) {                                             \
    gated_backward(sum, begin, end, both, dy, dboth, sums);                                                  \
  }                                                                                                          \
  void leaky_forward_##T(const LeakySum<T>& sum, std::size_t begin, std::size_t end, const T* a, const T* b, \
                         T* y) {                                                                             \
    leaky_forward(sum, begin, end, a, b, y);                                                                 \
  }                                                                                                          \
  void leaky_backward_##T(const LeakySum<T>& sum, std::size_t begin, std::size_t end, const T* a,            \
                          const T* b, const T* dy, T* da, T* db, double* sums, T* ddistance) {               \
    leaky_backward(sum, begin, end, a, b, dy, da, db, sums, ddistance);                                      \
  }
GCAN_MESSAGE_FUNCTIONS(float)
GCAN_MESSAGE_FUNCTIONS(double)
#undef GCAN_MESSAGE_FUNCTIONS

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

#define GCAN_MESSAGE_FUNCTIONS(T)                                                                            \
  HWY_EXPORT(gated_forward_##T);                                                                             \
  HWY_EXPORT(gated_backward_##T);                                                                            \
  HWY_EXPORT(leaky_forward_##T);                                                                             \
  HWY_EXPORT(leaky_backward_##T);                                                                            \
  template <>                                                                                                \
  void gated_sum_forward(const GatedSum<T>& sum, std::size_t begin, std::size_t end, const T* both, T* y) {  \
    HWY_DYNAMIC_DISPATCH(gated_forward_##T)(sum, begin, end, both, y);                                       \
  }                                                                                                          \
  template <>                                                                                                \
  void gated_sum_backward(const GatedSum<T>& sum, std::size_t begin, std::size_t end, const T* both,         \
                          const T* dy, T* dboth, double* sums) {                                             \
    HWY_DYNAMIC_DISPATCH(gated_backward_##T)(sum, begin, end, both, dy, dboth, sums);                        \
  }                                                                                                          \
  template <>                                                                                                \
  void leaky_sum_forward(const LeakySum<T>& sum, std::size_t begin, std::size_t end, const T* a, const T* b, \
                         T* y) {                                                                             \
    HWY_DYNAMIC_DISPATCH(leaky_forward_##T)(sum, begin, end, a, b, y);                                       \
  }                                                                                                          \
  template <>                                                                                                \
  void leaky_sum_backward(const LeakySum<T>& sum, std::size_t begin, std::size_t end, const T* a,            \
                          const T* b, const T* dy, T* da, T* db, double* sums, T* ddistance) {               \
    HWY_DYNAMIC_DISPATCH(leaky_backward_##T)(sum, begin, end, a, b, dy, da, db, sums, ddistance);            \
  }
GCAN_MESSAGE_FUNCTIONS(float)
GCAN_MESSAGE_FUNCTIONS(double)

}  // namespace gcan::kernels
#endif
