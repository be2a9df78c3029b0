#include "gcan/kernels/norm.h"

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gcan/kernels/gate-inl.h"
#include "gcan/kernels/norm_three-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// As ThreeBladeGate.
template <class T>
struct ThreeBladeNorm : Norm<T> {
  explicit ThreeBladeNorm(const Norm<T>& norm) : Norm<T>(norm) {}
  static constexpr std::size_t blades = 3;
  static constexpr std::size_t grades = 1;
};

template <class T, class N>
inline constexpr bool kIsThree = std::is_same_v<N, ThreeBladeNorm<T>>;

template <class N>
HWY_INLINE std::size_t grade_of(const N& norm, std::size_t blade) {
  return norm.grades == 1 ? 0 : norm.grade_of[blade];
}

// The statistics and parameters of one row.
template <class T>
struct Row {
  template <class N>
  Row(const N& norm, std::size_t row)
      : channel(row % norm.channels),
        mean(norm.mean + row / norm.channels_per_group * norm.blades),
        inverse(norm.inverse + row / norm.channels_per_group * norm.grades),
        weight(norm.weight + channel * norm.grades),
        bias(norm.bias == nullptr ? nullptr : norm.bias + channel * norm.blades) {}

  std::size_t channel;
  const T *mean, *inverse, *weight, *bias;
};

// |x - origin|_k; without an origin, |x|_k.
template <class T, class N, class D>
HWY_INLINE auto length(const N& norm, D d, Lines<const T> x, const T* origin, std::size_t k, std::size_t i) {
  auto sum = hn::Zero(d);
  for (std::size_t b = 0; b < norm.blades; ++b) {
    if (grade_of(norm, b) != k) continue;
    auto v = hn::LoadU(d, x[b] + i);
    if (origin != nullptr) v = hn::Sub(v, hn::Set(d, origin[b]));
    sum = hn::MulAdd(v, v, sum);
  }
  return hn::Sqrt(sum);
}

template <class T, class N>
HWY_INLINE void add_lengths(const N& norm, Lines<const T> x, const T* origin, std::size_t count,
                            double* sums) {
  for (std::size_t k = 0; k < norm.grades; ++k) {
    sums[k] +=
        total<T>(count, [&](auto d, std::size_t i) HWY_ATTR { return length<T>(norm, d, x, origin, k, i); });
  }
}

template <class T, class N>
HWY_INLINE void normalize_piece(const N& norm, const Row<T>& row, Lines<const T> x, std::size_t count,
                                Lines<T> y) {
  for (std::size_t b = 0; b < norm.blades; ++b) {
    const std::size_t k = grade_of(norm, b);
    const T scale = row.weight[k] * row.inverse[k];
    const T bias = row.bias == nullptr ? T(0) : row.bias[b];
    each<T>(count, [&](auto d, std::size_t i) HWY_ATTR {
      const auto centred = hn::Sub(hn::LoadU(d, x[b] + i), hn::Set(d, row.mean[b]));
      store_result(hn::MulAdd(hn::Set(d, scale), centred, hn::Set(d, bias)), d, y, b, i);
    });
  }
}

// The gradient of the norm's output, through the gate if there is one, whose input is recomputed.
template <class T, class N, class G>
class Upstream {
 public:
  Upstream(const N& norm, const G* gate)
      : norm_(norm),
        gate_(gate),
        y_(gate == nullptr ? 0 : norm.blades),
        dy_(gate == nullptr ? 0 : norm.blades),
        gates_(gate == nullptr ? 0 : gate->gates),
        grad_(gate == nullptr ? 0 : gate->gates) {}

  HWY_INLINE Lines<const T> gradient(const Row<T>& row, Lines<const T> x, Lines<const T> dy,
                                     std::size_t count) {
    if (gate_ == nullptr) return dy;
    normalize_piece<T>(norm_, row, x, count, y_.lines());
    gate_backward_piece<T>(*gate_, row.channel, y_.lines(), dy, count, gates_.lines(), grad_.lines(),
                           dy_.lines());
    return dy_.lines();
  }
  // The gate's sums of the most recent piece.
  HWY_INLINE void add_sums(std::size_t count, double* sums) {
    if (gate_ != nullptr) add_gate_sums<T>(*gate_, y_.lines(), count, grad_.lines(), sums);
  }

 private:
  const N& norm_;
  const G* gate_;
  Scratch<T> y_, dy_, gates_, grad_;
};

template <class T, class N>
void sums_of(const N& norm, std::size_t begin, std::size_t end, const T* x, double* sums) {
  if constexpr (kIsThree<T, N>) return sums_of_three(norm, begin, end, x, sums);
  const std::size_t width = norm.forward_sums();
  std::fill(sums + begin * width, sums + end * width, 0.0);
  for_each_piece(begin, end, norm.space, [&](std::size_t row, std::size_t i, std::size_t count) HWY_ATTR {
    const Lines<const T> from{x + row * norm.blades * norm.space + i, norm.space};
    double* out = sums + row * width;
    for (std::size_t b = 0; b < norm.blades; ++b) {
      out[b] += total<T>(count, [&](auto d, std::size_t j) HWY_ATTR { return hn::LoadU(d, from[b] + j); });
    }
    if (norm.divisor == Divisor::mean_norm) {
      add_lengths<T>(norm, from, nullptr, count, out + norm.blades);
    }
  });
}

template <class T, class N>
void distances(const N& norm, std::size_t begin, std::size_t end, const T* x, double* sums) {
  std::fill(sums + begin * norm.grades, sums + end * norm.grades, 0.0);
  for_each_piece(begin, end, norm.space, [&](std::size_t row, std::size_t i, std::size_t count) HWY_ATTR {
    const T* mean = norm.mean + row / norm.channels_per_group * norm.blades;
    add_lengths<T>(norm, {x + row * norm.blades * norm.space + i, norm.space}, mean, count,
                   sums + row * norm.grades);
  });
}

template <class T, class N, class G>
void forward(const N& norm, const G* gate, std::size_t begin, std::size_t end, const T* x, T* y) {
  if constexpr (kIsThree<T, N>) return forward_three(norm, gate, begin, end, x, y);
  Scratch<T> middle(gate == nullptr ? 0 : norm.blades);
  Scratch<T> gates(gate == nullptr ? 0 : gate->gates);
  for_each_piece(begin, end, norm.space, [&](std::size_t index, std::size_t i, std::size_t count) HWY_ATTR {
    const Row<T> row(norm, index);
    const std::size_t start = index * norm.blades * norm.space + i;
    const Lines<T> to{y + start, norm.space};
    normalize_piece<T>(norm, row, {x + start, norm.space}, count, gate == nullptr ? to : middle.lines());
    if (gate != nullptr) gate_piece<T>(*gate, row.channel, middle.lines(), count, gates.lines(), to);
  });
}

// sum (x - mean)_b / |x - mean|_k
template <class T, class N>
HWY_INLINE void add_directions(const N& norm, const T* mean, Lines<const T> x, std::size_t count,
                               double* sums) {
  for (std::size_t b = 0; b < norm.blades; ++b) {
    sums[b] += total<T>(count, [&](auto d, std::size_t i) HWY_ATTR {
      const auto norm_k = length<T>(norm, d, x, mean, grade_of(norm, b), i);
      const auto centred = hn::Sub(hn::LoadU(d, x[b] + i), hn::Set(d, mean[b]));
      return hn::IfThenZeroElse(hn::Eq(norm_k, hn::Zero(d)), hn::Div(centred, norm_k));
    });
  }
}

template <class T, class N, class G>
void backward_sums(const N& norm, const G* gate, std::size_t begin, std::size_t end, const T* x, const T* dy,
                   double* sums, double* gate_sums) {
  if constexpr (kIsThree<T, N>) {
    return backward_sums_three(norm, gate, begin, end, x, dy, sums, gate_sums);
  }
  const std::size_t width = norm.backward_sums();
  const std::size_t gate_width = gate == nullptr ? 0 : gate->sums_per_row();
  std::fill(sums + begin * width, sums + end * width, 0.0);
  std::fill(gate_sums + begin * gate_width, gate_sums + end * gate_width, 0.0);
  Upstream<T, N, G> upstream(norm, gate);
  for_each_piece(begin, end, norm.space, [&](std::size_t index, std::size_t i, std::size_t count) HWY_ATTR {
    const Row<T> row(norm, index);
    const std::size_t start = index * norm.blades * norm.space + i;
    const Lines<const T> from{x + start, norm.space};
    const Lines<const T> g = upstream.gradient(row, from, {dy + start, norm.space}, count);
    upstream.add_sums(count, gate_sums + index * gate_width);
    double* out = sums + index * width;
    for (std::size_t b = 0; b < norm.blades; ++b) {
      out[b] += total<T>(count, [&](auto d, std::size_t j) HWY_ATTR { return hn::LoadU(d, g[b] + j); });
      out[2 * norm.blades + grade_of(norm, b)] += total<T>(count, [&](auto d, std::size_t j) HWY_ATTR {
        return hn::Mul(hn::LoadU(d, g[b] + j), hn::Sub(hn::LoadU(d, from[b] + j), hn::Set(d, row.mean[b])));
      });
    }
    if (norm.divisor == Divisor::mean_centred_norm) {
      add_directions<T>(norm, row.mean, from, count, out + norm.blades);
    }
  });
}

// pull_k / |u|_k, 0 if u is 0.
template <class T, class N>
HWY_INLINE void pulls(const N& norm, const T* origin, Lines<const T> x, const T* pull, std::size_t count,
                      Lines<T> out) {
  for (std::size_t k = 0; k < norm.grades; ++k) {
    each<T>(count, [&](auto d, std::size_t i) HWY_ATTR {
      const auto norm_k = length<T>(norm, d, x, origin, k, i);
      const auto ratio = hn::Div(hn::Set(d, pull[k]), norm_k);
      hn::StoreU(hn::IfThenZeroElse(hn::Eq(norm_k, hn::Zero(d)), ratio), d, out[k] + i);
    });
  }
}

template <class T, class N, class G>
void backward(const N& norm, const G* gate, std::size_t begin, std::size_t end, const T* x, const T* dy,
              const T* shift, const T* pull, T* dx) {
  if constexpr (kIsThree<T, N>) return backward_three(norm, gate, begin, end, x, dy, shift, pull, dx);
  const bool divides = norm.divisor != Divisor::one;
  Upstream<T, N, G> upstream(norm, gate);
  Scratch<T> pulled(norm.grades);
  for_each_piece(begin, end, norm.space, [&](std::size_t index, std::size_t i, std::size_t count) HWY_ATTR {
    const Row<T> row(norm, index);
    const std::size_t group = index / norm.channels_per_group;
    const std::size_t start = index * norm.blades * norm.space + i;
    const Lines<const T> from{x + start, norm.space};
    const Lines<const T> g = upstream.gradient(row, from, {dy + start, norm.space}, count);
    const T* origin = norm.divisor == Divisor::mean_centred_norm ? row.mean : nullptr;
    if (divides) pulls<T>(norm, origin, from, pull + group * norm.grades, count, pulled.lines());
    for (std::size_t b = 0; b < norm.blades; ++b) {
      const std::size_t k = grade_of(norm, b);
      const T scale = row.weight[k] * row.inverse[k];
      const T* along = pulled.lines()[k];
      const T zero_at = origin == nullptr ? T(0) : origin[b];
      const T constant = shift[group * norm.blades + b];
      each<T>(count, [&](auto d, std::size_t j) HWY_ATTR {
        auto sum = hn::MulAdd(hn::Set(d, scale), hn::LoadU(d, g[b] + j), hn::Set(d, constant));
        if (divides) {
          const auto u = hn::Sub(hn::LoadU(d, from[b] + j), hn::Set(d, zero_at));
          sum = hn::MulAdd(hn::LoadU(d, along + j), u, sum);
        }
        store_result(sum, d, Lines<T>{dx + start, norm.space}, b, j);
      });
    }
  });
}

// Calls `visit` with norm and gate, in specialised types if available.
template <class T, class Visit>
void specialized(const Norm<T>& norm, const Gate<T>* gate, const Visit& visit) {
  const bool three = norm.blades == 3 && norm.grades == 1 && (gate == nullptr || gate->gates == 1);
  if (!three) return visit(norm, gate);
  const ThreeBladeNorm<T> fixed_norm(norm);
  if (gate == nullptr) return visit(fixed_norm, static_cast<const ThreeBladeGate<T>*>(nullptr));
  const ThreeBladeGate<T> fixed_gate(*gate);
  visit(fixed_norm, &fixed_gate);
}

// Highway's table of instruction sets holds plain functions only.
void sums_of_float(const Norm<float>& norm, std::size_t begin, std::size_t end, const float* x,
                   double* sums) {
  specialized<float>(norm, nullptr,
                     [&](const auto& n, const auto*) { sums_of<float>(n, begin, end, x, sums); });
}
void sums_of_double(const Norm<double>& norm, std::size_t begin, std::size_t end, const double* x,
                    double* sums) {
  specialized<double>(norm, nullptr,
                      [&](const auto& n, const auto*) { sums_of<double>(n, begin, end, x, sums); });
}
void distances_float(const Norm<float>& norm, std::size_t begin, std::size_t end, const float* x,
                     double* sums) {
  specialized<float>(norm, nullptr,
                     [&](const auto& n, const auto*) { distances<float>(n, begin, end, x, sums); });
}
void distances_double(const Norm<double>& norm, std::size_t begin, std::size_t end, const double* x,
                      double* sums) {
  specialized<double>(norm, nullptr,
                      [&](const auto& n, const auto*) { distances<double>(n, begin, end, x, sums); });
}
void forward_float(const Norm<float>& norm, const Gate<float>* gate, std::size_t begin, std::size_t end,
                   const float* x, float* y) {
  specialized(norm, gate, [&](const auto& n, const auto* g) { forward<float>(n, g, begin, end, x, y); });
}
void forward_double(const Norm<double>& norm, const Gate<double>* gate, std::size_t begin, std::size_t end,
                    const double* x, double* y) {
  specialized(norm, gate, [&](const auto& n, const auto* g) { forward<double>(n, g, begin, end, x, y); });
}
void backward_sums_float(const Norm<float>& norm, const Gate<float>* gate, std::size_t begin, std::size_t end,
                         const float* x, const float* dy, double* sums, double* gate_sums) {
  specialized(norm, gate, [&](const auto& n, const auto* g) {
    backward_sums<float>(n, g, begin, end, x, dy, sums, gate_sums);
  });
}
void backward_sums_double(const Norm<double>& norm, const Gate<double>* gate, std::size_t begin,
                          std::size_t end, const double* x, const double* dy, double* sums,
                          double* gate_sums) {
  specialized(norm, gate, [&](const auto& n, const auto* g) {
    backward_sums<double>(n, g, begin, end, x, dy, sums, gate_sums);
  });
}
void backward_float(const Norm<float>& norm, const Gate<float>* gate, std::size_t begin, std::size_t end,
                    const float* x, const float* dy, const float* shift, const float* pull, float* dx) {
  specialized(norm, gate, [&](const auto& n, const auto* g) {
    backward<float>(n, g, begin, end, x, dy, shift, pull, dx);
  });
}
void backward_double(const Norm<double>& norm, const Gate<double>* gate, std::size_t begin, std::size_t end,
                     const double* x, const double* dy, const double* shift, const double* pull, double* dx) {
  specialized(norm, gate, [&](const auto& n, const auto* g) {
    backward<double>(n, g, begin, end, x, dy, shift, pull, dx);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

HWY_EXPORT(sums_of_float);
HWY_EXPORT(sums_of_double);
HWY_EXPORT(distances_float);
HWY_EXPORT(distances_double);
HWY_EXPORT(forward_float);
HWY_EXPORT(forward_double);
HWY_EXPORT(backward_sums_float);
HWY_EXPORT(backward_sums_double);
HWY_EXPORT(backward_float);
HWY_EXPORT(backward_double);

template <>
void norm_sums(const Norm<float>& norm, std::size_t begin, std::size_t end, const float* x, double* sums) {
  HWY_DYNAMIC_DISPATCH(sums_of_float)(norm, begin, end, x, sums);
}
template <>
void norm_sums(const Norm<double>& norm, std::size_t begin, std::size_t end, const double* x, double* sums) {
  HWY_DYNAMIC_DISPATCH(sums_of_double)(norm, begin, end, x, sums);
}
template <>
void norm_distances(const Norm<float>& norm, std::size_t begin, std::size_t end, const float* x,
                    double* sums) {
  HWY_DYNAMIC_DISPATCH(distances_float)(norm, begin, end, x, sums);
}
template <>
void norm_distances(const Norm<double>& norm, std::size_t begin, std::size_t end, const double* x,
                    double* sums) {
  HWY_DYNAMIC_DISPATCH(distances_double)(norm, begin, end, x, sums);
}
template <>
void norm_forward(const Norm<float>& norm, const Gate<float>* gate, std::size_t begin, std::size_t end,
                  const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(forward_float)(norm, gate, begin, end, x, y);
}
template <>
void norm_forward(const Norm<double>& norm, const Gate<double>* gate, std::size_t begin, std::size_t end,
                  const double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(forward_double)(norm, gate, begin, end, x, y);
}
template <>
void norm_backward_sums(const Norm<float>& norm, const Gate<float>* gate, std::size_t begin, std::size_t end,
                        const float* x, const float* dy, double* sums, double* gate_sums) {
  HWY_DYNAMIC_DISPATCH(backward_sums_float)(norm, gate, begin, end, x, dy, sums, gate_sums);
}
template <>
void norm_backward_sums(const Norm<double>& norm, const Gate<double>* gate, std::size_t begin,
                        std::size_t end, const double* x, const double* dy, double* sums, double* gate_sums) {
  HWY_DYNAMIC_DISPATCH(backward_sums_double)(norm, gate, begin, end, x, dy, sums, gate_sums);
}
template <>
void norm_backward(const Norm<float>& norm, const Gate<float>* gate, std::size_t begin, std::size_t end,
                   const float* x, const float* dy, const float* shift, const float* pull, float* dx) {
  HWY_DYNAMIC_DISPATCH(backward_float)(norm, gate, begin, end, x, dy, shift, pull, dx);
}
template <>
void norm_backward(const Norm<double>& norm, const Gate<double>* gate, std::size_t begin, std::size_t end,
                   const double* x, const double* dy, const double* shift, const double* pull, double* dx) {
  HWY_DYNAMIC_DISPATCH(backward_double)(norm, gate, begin, end, x, dy, shift, pull, dx);
}

}  // namespace gcan::kernels
#endif
