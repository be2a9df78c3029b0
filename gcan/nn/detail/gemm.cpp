#include "gcan/nn/detail/gemm.h"

#include "gcan/base/error.h"

#ifdef GCAN_HAS_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace gcan::nn::detail {

#ifdef GCAN_HAS_ONEDNN

bool has_gemm() { return true; }

void gemm(std::int64_t rows, std::int64_t columns, std::int64_t inner, MatrixView a, MatrixView b, float beta,
          float* c, std::int64_t c_stride) {
  const dnnl_status_t status =
      dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', rows, columns, inner, 1.0F, a.data,
                 a.row_stride, b.data, b.row_stride, beta, c, c_stride);
  if (status != dnnl_success) throw Error("oneDNN could not multiply two matrices: is there enough memory?");
}

#else

bool has_gemm() { return false; }

void gemm(std::int64_t /*rows*/, std::int64_t /*columns*/, std::int64_t /*inner*/, MatrixView /*a*/,
          MatrixView /*b*/, float /*beta*/, float* /*c*/, std::int64_t /*c_stride*/) {
  throw Error("gcan was built without oneDNN, which multiplies matrices: ask has_gemm() first");
}

#endif

}  // namespace gcan::nn::detail
