#include "gcan/kernels/moments.h"

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/moments.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>

#include "gcan/kernels/gate-inl.h"
#include "gcan/kernels/three_blades-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// The number of blades whose products with all others are summed at once in registers.
template <std::size_t N>
inline constexpr std::size_t kTogether = N < 2 ? N : 2;

// Calls `work` with the number of blades as a compile-time constant.
template <class Work>
HWY_INLINE void with_blades(std::size_t blades, const Work& work) {
  switch (blades) {
    case 1: return work(std::integral_constant<std::size_t, 1>());
    case 2: return work(std::integral_constant<std::size_t, 2>());
    case 4: return work(std::integral_constant<std::size_t, 4>());
    default: return work(std::integral_constant<std::size_t, 8>());
  }
}

template <class T>
Lines<T> lines_of(const MatrixRows& shape, T* data, std::size_t row) {
  return {data + row * shape.blades * shape.space, shape.space};
}

// A number for each blade of a row, or none.
template <class T, std::size_t N>
struct PerBlade {
  PerBlade(const T* numbers, std::size_t row) {
    for (std::size_t i = 0; i < N; ++i) at[i] = numbers == nullptr ? T(0) : numbers[row * N + i];
  }
  T at[N];
};

template <std::size_t N, class T>
void sums_of_row(const MatrixRows& shape, std::size_t row, const T* a, const PerBlade<T, N>& shift,
                 double* sums) {
  const auto left = lines_of(shape, a, row);
  add_totals<T, N>(shape.space, sums + row * N, [&](auto d, std::size_t k, auto& totals) HWY_ATTR {
    for (std::size_t i = 0; i < N; ++i) {
      totals[i] = hn::Add(totals[i], hn::Sub(hn::LoadU(d, left[i] + k), hn::Set(d, shift.at[i])));
    }
  });
}

template <std::size_t N, class T>
void products_of_row(const MatrixRows& shape, std::size_t row, const T* a, const PerBlade<T, N>& a_shift,
                     const T* b, const PerBlade<T, N>& b_shift, double* sums, double* products) {
  constexpr std::size_t kRows = kTogether<N>;
  const auto left = lines_of(shape, a, row), right = lines_of(shape, b, row);
  for (std::size_t first = 0; first < N; first += kRows) {
    double found[kRows * (N + 1)] = {};
    add_totals<T, kRows*(N + 1)>(shape.space, found, [&](auto d, std::size_t k, auto& totals) HWY_ATTR {
      hn::Vec<decltype(d)> factors[kRows];
      for (std::size_t i = 0; i < kRows; ++i) {
        factors[i] = hn::Sub(hn::LoadU(d, left[first + i] + k), hn::Set(d, a_shift.at[first + i]));
        totals[kRows * N + i] = hn::Add(totals[kRows * N + i], factors[i]);
      }
      for (std::size_t j = 0; j < N; ++j) {
        const auto number = hn::Sub(hn::LoadU(d, right[j] + k), hn::Set(d, b_shift.at[j]));
        for (std::size_t i = 0; i < kRows; ++i) {
          totals[i * N + j] = hn::MulAdd(factors[i], number, totals[i * N + j]);
        }
      }
    });
    for (std::size_t i = 0; i < kRows; ++i) {
      sums[row * N + first + i] += found[kRows * N + i];
      for (std::size_t j = 0; j < N; ++j) products[(row * N + first + i) * N + j] += found[i * N + j];
    }
  }
}

template <class T>
void moments_of(const MatrixRows& shape, std::size_t begin, std::size_t end, const T* a, const T* b,
                const T* origin, double* sums, double* products) {
  with_blades(shape.blades, [&](auto n) HWY_ATTR {
    for (std::size_t row = begin; row < end; ++row) {
      const PerBlade<T, n> shift(origin, row), own(a == b ? origin : nullptr, row);
      if (b == nullptr) {
        sums_of_row<n>(shape, row, a, own, sums);
      } else {
        products_of_row<n>(shape, row, a, own, b, shift, sums, products);
      }
    }
  });
}

// matrix (a - origin) + shift, or matrix a + other (b - origin) + shift, at positions of one row.
template <std::size_t N, class T>
struct RowMap {
  const T *matrix, *other;
  PerBlade<T, N> origin, shift;
  Lines<const T> a, b;

  RowMap(const MatrixRows& shape, std::size_t row, const T* m, const T* x, const T* o, const T* y,
         const T* from, const T* plus)
      : matrix(m + row * N * N),
        other(o == nullptr ? nullptr : o + row * N * N),
        origin(from, row),
        shift(plus, row),
        a(lines_of(shape, x, row)),
        b(o == nullptr ? a : lines_of(shape, y, row)) {}

  // Calls take(blade, result).
  template <class D, class Take>
  HWY_INLINE void at(D d, std::size_t k, const Take& take) const {
    hn::Vec<D> first[N], second[N];
    for (std::size_t j = 0; j < N; ++j) {
      const auto centre = hn::Set(d, origin.at[j]);
      first[j] = hn::LoadU(d, a[j] + k);
      if (other == nullptr) {
        first[j] = hn::Sub(first[j], centre);
      } else {
        second[j] = hn::Sub(hn::LoadU(d, b[j] + k), centre);
      }
    }
    for (std::size_t i = 0; i < N; ++i) {
      auto sum = hn::Set(d, shift.at[i]);
      for (std::size_t j = 0; j < N; ++j) {
        sum = hn::MulAdd(hn::Set(d, matrix[i * N + j]), first[j], sum);
        if (other != nullptr) sum = hn::MulAdd(hn::Set(d, other[i * N + j]), second[j], sum);
      }
      take(i, sum);
    }
  }
};

template <class T>
void maps_of(const MatrixRows& shape, std::size_t begin, std::size_t end, const T* matrix, const T* a,
             const T* other, const T* b, const T* origin, const T* shift, T* y) {
  with_blades(shape.blades, [&](auto n) HWY_ATTR {
    for (std::size_t row = begin; row < end; ++row) {
      const RowMap<n, T> map(shape, row, matrix, a, other, b, origin, shift);
      const auto to = lines_of(shape, y, row);
      each<T>(shape.space, [&](auto d, std::size_t k) HWY_ATTR {
        map.at(d, k, [&](std::size_t i, auto v) HWY_ATTR { hn::StoreU(v, d, to[i] + k); });
      });
    }
  });
}

// The normal distribution Phi(z) and exp(-z^2 / 2), by Abramowitz and Stegun 7.1.26.
template <class D>
struct Normal {
  hn::Vec<D> phi, bell;
};
template <class D>
HWY_INLINE Normal<D> normal_at(D d, hn::Vec<D> z) {
  const auto set = [d](float number) HWY_ATTR { return hn::Set(d, number); };
  const auto bell = hn::Exp(d, hn::Mul(set(-0.5F), hn::Mul(z, z)));
  // 0.3275911 / sqrt(2)
  const auto divisor = hn::MulAdd(set(0.231641888F), hn::Abs(z), set(1));
  const auto rough = hn::ApproximateReciprocal(divisor);
  const auto t = hn::Mul(rough, hn::NegMulAdd(divisor, rough, set(2)));
  auto sum = hn::MulAdd(t, set(0.5F * 1.061405429F), set(0.5F * -1.453152027F));
  sum = hn::MulAdd(t, sum, set(0.5F * 1.421413741F));
  sum = hn::MulAdd(t, sum, set(0.5F * -0.284496736F));
  sum = hn::MulAdd(t, sum, set(0.5F * 0.254829592F));
  const auto tail = hn::Mul(hn::Mul(t, sum), bell);
  return {hn::IfThenElse(hn::Lt(z, hn::Zero(d)), tail, hn::Sub(set(1), tail)), bell};
}

void gelu_maps(const MatrixRows& shape, std::size_t begin, std::size_t end, const float* matrix,
               const float* a, const float* origin, const float* shift, float* y) {
  with_blades(shape.blades, [&](auto n) HWY_ATTR {
    for (std::size_t row = begin; row < end; ++row) {
      const RowMap<n, float> map(shape, row, matrix, a, nullptr, nullptr, origin, shift);
      const auto to = lines_of(shape, y, row);
      each<float>(shape.space, [&](auto d, std::size_t k) HWY_ATTR {
        map.at(d, k, [&](std::size_t i, auto z) HWY_ATTR {
          hn::StoreU(hn::Mul(z, normal_at(d, z).phi), d, to[i] + k);
        });
      });
    }
  });
}

void gelu_gradients(const MatrixRows& shape, std::size_t begin, std::size_t end, const float* matrix,
                    const float* a, const float* origin, const float* shift, const float* dy, float* g,
                    double* sums, double* products) {
  with_blades(shape.blades, [&](auto n) HWY_ATTR {
    for (std::size_t row = begin; row < end; ++row) {
      const RowMap<n, float> map(shape, row, matrix, a, nullptr, nullptr, origin, shift);
      const auto grads = lines_of(shape, dy, row);
      const auto to = lines_of(shape, g, row);
      each<float>(shape.space, [&](auto d, std::size_t k) HWY_ATTR {
        map.at(d, k, [&](std::size_t i, auto z) HWY_ATTR {
          const auto normal = normal_at(d, z);
          // 1 / sqrt(2 pi)
          const auto slope = hn::MulAdd(hn::Mul(hn::Set(d, 0.3989422804F), z), normal.bell, normal.phi);
          hn::StoreU(hn::Mul(hn::LoadU(d, grads[i] + k), slope), d, to[i] + k);
        });
      });
      const PerBlade<float, n> none(nullptr, row), from(origin, row);
      products_of_row<n, float>(shape, row, g, none, a, from, sums, products);
    }
  });
}

void moments_float(const MatrixRows& s, std::size_t begin, std::size_t end, const float* a, const float* b,
                   const float* origin, double* sums, double* products) {
  moments_of(s, begin, end, a, b, origin, sums, products);
}
void moments_double(const MatrixRows& s, std::size_t begin, std::size_t end, const double* a, const double* b,
                    const double* origin, double* sums, double* products) {
  moments_of(s, begin, end, a, b, origin, sums, products);
}
void maps_float(const MatrixRows& s, std::size_t begin, std::size_t end, const float* m, const float* a,
                const float* o, const float* b, const float* origin, const float* shift, float* y) {
  maps_of(s, begin, end, m, a, o, b, origin, shift, y);
}
void maps_double(const MatrixRows& s, std::size_t begin, std::size_t end, const double* m, const double* a,
                 const double* o, const double* b, const double* origin, const double* shift, double* y) {
  maps_of(s, begin, end, m, a, o, b, origin, shift, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

HWY_EXPORT(moments_float);
HWY_EXPORT(moments_double);
HWY_EXPORT(maps_float);
HWY_EXPORT(maps_double);
HWY_EXPORT(gelu_maps);
HWY_EXPORT(gelu_gradients);

template <>
void row_moments(const MatrixRows& s, std::size_t begin, std::size_t end, const float* a, const float* b,
                 const float* origin, double* sums, double* products) {
  HWY_DYNAMIC_DISPATCH(moments_float)(s, begin, end, a, b, origin, sums, products);
}
template <>
void row_moments(const MatrixRows& s, std::size_t begin, std::size_t end, const double* a, const double* b,
                 const double* origin, double* sums, double* products) {
  HWY_DYNAMIC_DISPATCH(moments_double)(s, begin, end, a, b, origin, sums, products);
}
template <>
void row_maps(const MatrixRows& s, std::size_t begin, std::size_t end, const float* matrix, const float* a,
              const float* other, const float* b, const float* origin, const float* shift, float* y) {
  HWY_DYNAMIC_DISPATCH(maps_float)(s, begin, end, matrix, a, other, b, origin, shift, y);
}
template <>
void row_maps(const MatrixRows& s, std::size_t begin, std::size_t end, const double* matrix, const double* a,
              const double* other, const double* b, const double* origin, const double* shift, double* y) {
  HWY_DYNAMIC_DISPATCH(maps_double)(s, begin, end, matrix, a, other, b, origin, shift, y);
}

void row_gelu_maps(const MatrixRows& s, std::size_t begin, std::size_t end, const float* matrix,
                   const float* a, const float* origin, const float* shift, float* y) {
  HWY_DYNAMIC_DISPATCH(gelu_maps)(s, begin, end, matrix, a, origin, shift, y);
}

void row_gelu_gradients(const MatrixRows& s, std::size_t begin, std::size_t end, const float* matrix,
                        const float* a, const float* origin, const float* shift, const float* dy, float* g,
                        double* sums, double* products) {
  HWY_DYNAMIC_DISPATCH(gelu_gradients)(s, begin, end, matrix, a, origin, shift, dy, g, sums, products);
}

}  // namespace gcan::kernels
#endif  // HWY_ONCE
