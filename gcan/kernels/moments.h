#pragma once

// The kernels of whitening: sums over multivectors, and maps by small matrices, one per row of (blades,
// space) numbers (rows as in gate.h). Each processes the rows [begin, end); matrices are (row, output blades,
// input blades).

#include <cstddef>

namespace gcan::kernels {

struct MatrixRows {
  std::size_t blades;  // 1, 2, 4 or 8
  std::size_t space;
};

// sums (row, blades) += over space of a; unless b is null, products (row, blades, blades) += of a_i b_j. Both
// in double. An origin (row, blades), if not null, is first subtracted from b, and from a if a is b.
template <class T>
void row_moments(const MatrixRows& shape, std::size_t begin, std::size_t end, const T* a, const T* b,
                 const T* origin, double* sums, double* products);

// y = matrix (a - origin) + shift or, if b is not null, y = matrix a + other (b - origin) + shift. `other`
// and b may be null.
template <class T>
void row_maps(const MatrixRows& shape, std::size_t begin, std::size_t end, const T* matrix, const T* a,
              const T* other, const T* b, const T* origin, const T* shift, T* y);

// y = gelu(matrix (a - origin) + shift), gelu(z) = z Phi(z), where Phi is the normal distribution function,
// computed to 2e-7.
void row_gelu_maps(const MatrixRows& shape, std::size_t begin, std::size_t end, const float* matrix,
                   const float* a, const float* origin, const float* shift, float* y);

// From the gradient dy of that y: the gradient g of gelu's argument, and row_moments() of g and a.
void row_gelu_gradients(const MatrixRows& shape, std::size_t begin, std::size_t end, const float* matrix,
                        const float* a, const float* origin, const float* shift, const float* dy, float* g,
                        double* sums, double* products);

}  // namespace gcan::kernels
