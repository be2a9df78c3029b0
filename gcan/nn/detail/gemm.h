#pragma once

#include <cstdint>

namespace gcan::nn::detail {

// A row-major matrix in memory; `transposed` says how it enters a product.
struct MatrixView {
  const float* data;
  std::int64_t row_stride;
  bool transposed = false;
};

// Whether gemm() is there: gcan was built with oneDNN.
bool has_gemm();

// c = a b + beta c with c of rows x columns and `inner` terms per sum. Called inside a parallel region it
// runs on the calling thread alone, which LibTorch's own product does not: what comes before and after a
// product can then share its thread and its caches.
void gemm(std::int64_t rows, std::int64_t columns, std::int64_t inner, MatrixView a, MatrixView b, float beta,
          float* c, std::int64_t c_stride);

}  // namespace gcan::nn::detail
