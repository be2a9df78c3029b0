#include "gcan/kernels/direct_convolution.h"

#include <gtest/gtest.h>

#include "tests/kernels/plain_convolution.h"
#include "tests/runner/every_target.h"

namespace gcan::kernels {
namespace direct_convolution_test {

// Samples, in, out; grids; kernel, stride, padding; circular. 1x1 kernels, strides, transposed ones, complete
// and incomplete blocks of channels, rows longer than a piece.
const DirectShape kCases[] = {
    {2, 5, 7, {6, 9}, {6, 9}, {1, 1}, {1, 1}, {0, 0}},
    {1, 33, 50, {1, 130}, {1, 130}, {1, 1}, {1, 1}, {0, 0}},
    {2, 24, 24, {8, 12}, {4, 6}, {3, 3}, {2, 2}, {1, 1}, {false, true}},
    {1, 3, 18, {9, 7}, {5, 4}, {3, 3}, {2, 2}, {1, 1}},
    {2, 17, 5, {8, 10}, {4, 5}, {4, 4}, {2, 2}, {1, 1}, {true, false}},
    {1, 2, 3, {6, 8}, {6, 8}, {5, 3}, {1, 1}, {2, 1}, {false, true}},
    {1, 4, 4, {5, 6}, {3, 4}, {3, 3}, {1, 1}, {0, 0}},
};

TEST(DirectConvolution, IsTheSumOfProductsAndItsGradients) {
  for (const DirectShape& shape : kCases) {
    const test::PlainConvolution plain(shape);
    test::on_every_target([&] {
      for (const std::size_t threads : {1, 3}) {
        const Parallel parallel = test::as_if_threads(threads);
        test::Numbers y(plain.y.size()), dx(plain.dx.size()), dkernel(plain.dkernel.size());
        direct_forward(shape, plain.x.data(), plain.kernel.data(), nullptr, nullptr, y.data(), parallel);
        test::expect_near(y, plain.y, 1e-6, "output");
        direct_input_gradient(shape, plain.dy.data(), plain.kernel.data(), nullptr, dx.data(), parallel);
        test::expect_near(dx, plain.dx, 1e-6, "gradient of the input");
        direct_kernel_gradient(shape, plain.x.data(), plain.dy.data(), dkernel.data(), parallel);
        test::expect_near(dkernel, plain.dkernel, 1e-6, "gradient of the kernel");
      }
    });
  }
}

TEST(DirectConvolution, AddsABiasAndFeatures) {
  const DirectShape& shape = kCases[2];
  const test::PlainConvolution plain(shape);
  std::vector<double> y = plain.y, dx = plain.dx;
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] += static_cast<double>(plain.bias[i / (4 * 6) % shape.out]) + plain.dy[i];
  }
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] += plain.bias[i / (8 * 12) % shape.in];
  test::on_every_target([&] {
    test::Numbers found(y.size()), gradient(dx.size());
    direct_forward(shape, plain.x.data(), plain.kernel.data(), plain.bias.data(), plain.dy.data(),
                   found.data(), {});
    test::expect_near(found, y, 1e-6, "output");
    direct_input_gradient(shape, plain.dy.data(), plain.kernel.data(), plain.bias.data(), gradient.data(),
                          {});
    test::expect_near(gradient, dx, 1e-6, "transposed");
  });
}

}  // namespace direct_convolution_test
}  // namespace gcan::kernels
