#pragma once

#include <cstdint>

namespace gcan::nn::detail {

// A row-major matrix in memory; `transposed` applies to its use in the product.
struct MatrixView {
  const float* data;
  std::int64_t row_stride;
  bool transposed = false;
};

// Whether gemm() is available: gcan was built with oneDNN.
bool has_gemm();

// c = a b + beta c with c of rows x columns and `inner` terms per sum. Unlike LibTorch's product, it runs
// on the calling thread alone inside a parallel region, so that the steps before and after a product share
// its thread and caches.
void gemm(std::int64_t rows, std::int64_t columns, std::int64_t inner, MatrixView a, MatrixView b, float beta,
          float* c, std::int64_t c_stride);

}  // namespace gcan::nn::detail
