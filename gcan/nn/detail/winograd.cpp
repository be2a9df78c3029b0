#include "gcan/nn/detail/winograd.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "gcan/kernels/winograd.h"
#include "gcan/nn/detail/parallel.h"

namespace gcan::nn {
namespace {

using kernels::WinogradGrid;
using kernels::WinogradPlane;
using torch::Tensor;

// Estimates, not tuned: fewer tiles leave the products too narrow, fewer channels make the transforms dear.
constexpr std::int64_t kLeastTiles = 200;
constexpr std::int64_t kLeastChannels = 48;
// Tiles of a piece: few large products beat many that fit a cache, but above 32 MB glibc gives memory back to
// the system each time, and the next piece pays for new pages.
constexpr std::size_t kPieceBytes = std::size_t{31} << 20;

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

// While it lives OpenBLAS works on the thread that calls it: 36 products on two threads want one thread each,
// and its own pool, which waits spinning, fights LibTorch's threads for the cores.
class OneBlasThread {
 public:
  OneBlasThread() {
    if (set_ != nullptr) set_(1);
  }
  ~OneBlasThread() {
    if (set_ != nullptr) set_(before_);
  }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  static void* find(const char* name) { return dlsym(RTLD_DEFAULT, name); }
  // Not there when LibTorch has another BLAS.
  void (*set_)(int) = reinterpret_cast<void (*)(int)>(find("openblas_set_num_threads"));
  int (*get_)() = reinterpret_cast<int (*)()>(find("openblas_get_num_threads"));
  int before_ = get_ != nullptr ? get_() : 1;
};

// to = left right, or to += left right, for 36 matrices each.
void multiply(const Tensor& left, const Tensor& right, const Tensor& to, bool add) {
  const OneBlasThread one_thread;
  parallel_for(36, 1, [&](std::size_t begin, std::size_t end) {
    const torch::NoGradGuard no_grad;
    const auto part = [&](const Tensor& all) {
      return all.narrow(0, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end - begin));
    };
    Tensor target = part(to);
    if (add) {
      target.baddbmm_(part(left), part(right));
    } else {
      torch::bmm_out(target, part(left), part(right));
    }
  });
}

// Body(begin, end) over planes or rows, of which some make a thread's while.
template <class Body>
void over(std::int64_t count, const Body& body) {
  parallel_for(size(count), 4, body);
}

WinogradPlane plane_of(const Tensor& image, std::array<std::int64_t, 2> padding = {}) {
  return {size(image.size(2)), size(image.size(3)), size(padding[0]), size(padding[1])};
}

// The tiles of an image in pieces of a few rows, all of one size but the last.
class Pieces {
 public:
  Pieces(const Tensor& output, std::int64_t channels)
      : rows_(size((output.size(2) + 3) / 4)), columns_(size((output.size(3) + 3) / 4)) {
    const auto row_bytes = static_cast<std::size_t>(36 * channels) * sizeof(float) * columns_;
    step_ = std::clamp<std::size_t>(kPieceBytes / row_bytes, 1, rows_);
  }
  // Calls body(grid) for each piece.
  template <class Body>
  void each(const Body& body) const {
    for (std::size_t row = 0; row < rows_; row += step_) {
      body(WinogradGrid{row, std::min(step_, rows_ - row), columns_});
    }
  }

 private:
  std::size_t rows_, columns_, step_ = 1;
};

// Memory for the tiles of so many planes that serves all pieces in turn.
class TileStore {
 public:
  Tensor operator()(const WinogradGrid& grid, std::int64_t planes) {
    const auto columns = static_cast<std::int64_t>(grid.columns());
    const std::int64_t count = 36 * planes * columns;
    if (!memory_.defined() || memory_.numel() < count) memory_ = torch::empty({count}, torch::kFloat);
    return memory_.narrow(0, 0, count).view({36, planes, columns});
  }

 private:
  Tensor memory_;
};

Tensor transformed_kernel(const Tensor& kernel) {
  const std::int64_t rows = kernel.size(0), columns = kernel.size(1);
  Tensor u = torch::empty({36, rows, columns}, torch::kFloat);
  over(rows, [&](std::size_t begin, std::size_t end) {
    kernels::winograd_kernel(size(rows), size(columns), begin, end, kernel.data_ptr<float>(),
                             u.data_ptr<float>());
  });
  return u;
}

// Of one sample of x.
void transform_input(const WinogradGrid& grid, const Tensor& x, std::int64_t sample,
                     std::array<std::int64_t, 2> padding, const Tensor& tiles) {
  const float* from = x.data_ptr<float>() + sample * x.stride(0);
  over(x.size(1), [&](std::size_t begin, std::size_t end) {
    kernels::winograd_input(grid, plane_of(x, padding), size(x.size(1)), begin, end, from,
                            tiles.data_ptr<float>());
  });
}

}  // namespace

bool has_winograd(const Tensor& x, const Tensor& kernel, std::array<std::int64_t, 2> padding) {
  static const bool on = [] {
    const char* value = std::getenv("GCAN_WINOGRAD");
    return value == nullptr || std::string(value) != "0";
  }();
  if (!on || !x.device().is_cpu() || x.scalar_type() != torch::kFloat || x.dim() != 4) return false;
  if (kernel.size(2) != 3 || kernel.size(3) != 3 || padding[0] > 2 || padding[1] > 2) return false;
  const std::int64_t height = x.size(2) + 2 * padding[0] - 2, width = x.size(3) + 2 * padding[1] - 2;
  return height > 0 && width > 0 && (height + 3) / 4 * ((width + 3) / 4) >= kLeastTiles &&
         std::min(kernel.size(0), kernel.size(1)) >= kLeastChannels;
}

Tensor winograd(const Tensor& input, const Tensor& kernel, const Tensor& bias,
                std::array<std::int64_t, 2> padding) {
  const torch::NoGradGuard no_grad;
  const Tensor x = input.contiguous();
  const Tensor y = torch::empty(
      {x.size(0), kernel.size(0), x.size(2) + 2 * padding[0] - 2, x.size(3) + 2 * padding[1] - 2});
  const Tensor u = transformed_kernel(kernel.contiguous());
  const Tensor shift = bias.defined() ? bias.contiguous() : bias;
  const Pieces pieces(y, std::max(x.size(1), y.size(1)));
  TileStore input_store, output_store;
  for (std::int64_t n = 0; n < x.size(0); ++n) {
    pieces.each([&](const WinogradGrid& grid) {
      const Tensor tiles = input_store(grid, x.size(1));
      transform_input(grid, x, n, padding, tiles);
      const Tensor products = output_store(grid, y.size(1));
      multiply(u, tiles, products, false);
      over(y.size(1), [&](std::size_t begin, std::size_t end) {
        kernels::winograd_output(grid, plane_of(y), size(y.size(1)), begin, end, products.data_ptr<float>(),
                                 shift.defined() ? shift.data_ptr<float>() : nullptr,
                                 y.data_ptr<float>() + n * y.stride(0));
      });
    });
  }
  return y;
}

// The gradient of a convolution's input is the convolution of the gradient with the kernel turned by half a
// turn.
Tensor winograd_input_gradient(const Tensor& dy, const Tensor& kernel, std::array<std::int64_t, 2> padding) {
  const torch::NoGradGuard no_grad;
  return winograd(dy, kernel.transpose(0, 1).flip({2, 3}), {}, {2 - padding[0], 2 - padding[1]});
}

Tensor winograd_kernel_gradient(const Tensor& slopes, const Tensor& input,
                                std::array<std::int64_t, 2> padding) {
  const torch::NoGradGuard no_grad;
  const Tensor dy = slopes.contiguous(), x = input.contiguous();
  const std::int64_t rows = dy.size(1), columns = x.size(1);
  const Pieces pieces(dy, std::max(rows, columns));
  TileStore input_store, slope_store;
  const Tensor du = torch::zeros({36, rows, columns}, torch::kFloat);
  for (std::int64_t n = 0; n < x.size(0); ++n) {
    const float* from = dy.data_ptr<float>() + n * dy.stride(0);
    pieces.each([&](const WinogradGrid& grid) {
      const Tensor tiles = input_store(grid, columns), upper = slope_store(grid, rows);
      transform_input(grid, x, n, padding, tiles);
      over(rows, [&](std::size_t begin, std::size_t end) {
        kernels::winograd_slope(grid, plane_of(dy), size(rows), begin, end, from, upper.data_ptr<float>());
      });
      multiply(upper, tiles.transpose(1, 2), du, true);
    });
  }
  const Tensor dk = torch::empty({rows, columns, 3, 3}, torch::kFloat);
  over(rows, [&](std::size_t begin, std::size_t end) {
    kernels::winograd_kernel_gradient(size(rows), size(columns), begin, end, du.data_ptr<float>(),
                                      dk.data_ptr<float>());
  });
  return dk;
}

}  // namespace gcan::nn
