#include "gcan/kernels/moments.h"

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/moments.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gcan/kernels/gate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

template <class T>
void moments_of(const MatrixRows& shape, std::size_t begin, std::size_t end, const T* a, const T* b,
                const T* origin, double* sums, double* products) {
  const std::size_t n = shape.blades;
  for_each_piece(begin, end, shape.space, [&](std::size_t row, std::size_t at, std::size_t count) HWY_ATTR {
    const std::size_t start = row * n * shape.space + at;
    const auto shift = [&](std::size_t i) { return origin == nullptr ? T(0) : origin[row * n + i]; };
    for (std::size_t i = 0; i < n; ++i) {
      const T* left = a + start + i * shape.space;
      const T left_shift = a == b ? shift(i) : T(0);
      sums[row * n + i] += total<T>(count, [&](auto d, std::size_t k) HWY_ATTR {
        return hn::Sub(hn::LoadU(d, left + k), hn::Set(d, left_shift));
      });
      for (std::size_t j = 0; b != nullptr && j < n; ++j) {
        const T* right = b + start + j * shape.space;
        const T right_shift = shift(j);
        products[(row * n + i) * n + j] += total<T>(count, [&](auto d, std::size_t k) HWY_ATTR {
          return hn::Mul(hn::Sub(hn::LoadU(d, left + k), hn::Set(d, left_shift)),
                         hn::Sub(hn::LoadU(d, right + k), hn::Set(d, right_shift)));
        });
      }
    }
  });
}

template <class T>
void maps_of(const MatrixRows& shape, std::size_t begin, std::size_t end, const T* matrix, const T* a,
             const T* other, const T* b, const T* origin, const T* shift, T* y) {
  const std::size_t n = shape.blades;
  for_each_piece(begin, end, shape.space, [&](std::size_t row, std::size_t at, std::size_t count) HWY_ATTR {
    const std::size_t start = row * n * shape.space + at;
    for (std::size_t i = 0; i < n; ++i) {
      const T* m = matrix + (row * n + i) * n;
      const T* o = other == nullptr ? nullptr : other + (row * n + i) * n;
      T* to = y + start + i * shape.space;
      each<T>(count, [&](auto d, std::size_t k) HWY_ATTR {
        auto sum = hn::Set(d, shift[row * n + i]);
        for (std::size_t j = 0; j < n; ++j) {
          const std::size_t from = start + j * shape.space + k;
          const auto centre = hn::Set(d, origin[row * n + j]);
          auto first = hn::LoadU(d, a + from);
          if (o == nullptr) first = hn::Sub(first, centre);
          sum = hn::MulAdd(hn::Set(d, m[j]), first, sum);
          if (o != nullptr) sum = hn::MulAdd(hn::Set(d, o[j]), hn::Sub(hn::LoadU(d, b + from), centre), sum);
        }
        hn::StoreU(sum, d, to + k);
      });
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

}  // namespace gcan::kernels
#endif  // HWY_ONCE
