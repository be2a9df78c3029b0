#pragma once

// Maps of multivectors by small matrices, one per row of (blades, space) numbers (rows as in gate.h): what
// whitening needs. Each works on the rows [begin, end); matrices are (row, blades, blades), the first index
// that of the result.

#include <cstddef>

namespace gcan::kernels {

struct MatrixRows {
  std::size_t blades;  // 1, 2, 4 or 8
  std::size_t space;
};

// sums (row, blades) += over space of a; unless b is null, products (row, blades, blades) += of a_i b_j. Both
// in double. An origin (row, blades) that is not null is subtracted first from b, and from a if a is b.
template <class T>
void row_moments(const MatrixRows& shape, std::size_t begin, std::size_t end, const T* a, const T* b,
                 const T* origin, double* sums, double* products);

// y = matrix (a - origin) + shift, or, where there is a b, y = matrix a + other (b - origin) + shift. `other`
// and b may be null.
template <class T>
void row_maps(const MatrixRows& shape, std::size_t begin, std::size_t end, const T* matrix, const T* a,
              const T* other, const T* b, const T* origin, const T* shift, T* y);

// y = gelu(matrix (a - origin) + shift), where gelu(z) = z Phi(z) with the normal distribution's Phi, which
// is found to 2e-7.
void row_gelu_maps(const MatrixRows& shape, std::size_t begin, std::size_t end, const float* matrix,
                   const float* a, const float* origin, const float* shift, float* y);

// For the gradient dy of that y: the gradient g of what gelu took, and what row_moments() gives of g and a.
void row_gelu_gradients(const MatrixRows& shape, std::size_t begin, std::size_t end, const float* matrix,
                        const float* a, const float* origin, const float* shift, const float* dy, float* g,
                        double* sums, double* products);

}  // namespace gcan::kernels
