#include "gcan/kernels/winograd.h"

#include <gtest/gtest.h>

#include "tests/kernels/plain_convolution.h"
#include "tests/runner/every_target.h"

namespace gcan::kernels {
namespace winograd_test {

struct Case {
  std::size_t samples, in, out, height, width;
  std::array<std::size_t, 2> padding;
  std::array<bool, 2> circular = {};
};

// Few and many tiles, blocks of channels full and not, grids that no tile fits, grids wider than a run.
const Case kCases[] = {{2, 3, 5, 7, 9, {1, 1}, {true, true}},
                       {1, 1, 1, 1, 1, {1, 1}},
                       {3, 2, 2, 7, 30, {2, 2}},
                       {1, 2, 3, 3, 3, {0, 0}},
                       {2, 24, 33, 12, 16, {1, 1}, {false, true}},
                       {1, 40, 70, 4, 8, {1, 1}, {true, false}},
                       {1, 5, 18, 9, 150, {1, 0}},
                       {1, 34, 17, 5, 6, {0, 1}, {false, true}}};

DirectShape plain_shape(const Case& c) {
  return {c.samples,
          c.in,
          c.out,
          {c.height, c.width},
          {c.height + 2 * c.padding[0] - 2, c.width + 2 * c.padding[1] - 2},
          {3, 3},
          {1, 1},
          c.padding,
          c.circular};
}

TEST(WinogradKernel, IsTheSumOfProductsAndItsGradients) {
  for (const Case& c : kCases) {
    const test::PlainConvolution plain(plain_shape(c));
    const WinogradShape shape{c.samples, c.in, c.out, c.height, c.width, c.padding, c.circular};
    test::on_every_target([&] {
      for (const std::size_t threads : {1, 3}) {
        const Parallel parallel = test::as_if_threads(threads);
        test::Numbers y(plain.y.size()), dx(plain.dx.size()), dkernel(plain.dkernel.size());
        winograd_forward(shape, plain.x.data(), plain.kernel.data(), nullptr, nullptr, y.data(), parallel);
        test::expect_near(y, plain.y, 2e-5, "output");
        winograd_input_gradient(shape, plain.dy.data(), plain.kernel.data(), dx.data(), parallel);
        test::expect_near(dx, plain.dx, 2e-5, "gradient of the input");
        winograd_kernel_gradient(shape, plain.x.data(), plain.dy.data(), dkernel.data(), nullptr, parallel);
        test::expect_near(dkernel, plain.dkernel, 2e-5, "gradient of the kernel");
        test::Numbers dbias(c.out, std::nanf(""));
        winograd_kernel_gradient(shape, plain.x.data(), plain.dy.data(), dkernel.data(), dbias.data(),
                                 parallel);
        test::expect_near(dkernel, plain.dkernel, 2e-5, "gradient of the kernel beside that of the bias");
        test::expect_near(dbias, plain.dbias, 2e-5, "gradient of the bias");
      }
    });
  }
}

TEST(WinogradKernel, AddsABiasAndFeatures) {
  const Case c{2, 5, 19, 6, 7, {1, 1}};
  const test::PlainConvolution plain(plain_shape(c));
  const WinogradShape shape{c.samples, c.in, c.out, c.height, c.width, c.padding, c.circular};
  std::vector<double> expected = plain.y;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] += static_cast<double>(plain.bias[i / (c.height * c.width) % c.out]) + plain.dy[i];
  }
  test::on_every_target([&] {
    test::Numbers y(expected.size());
    winograd_forward(shape, plain.x.data(), plain.kernel.data(), plain.bias.data(), plain.dy.data(), y.data(),
                     {});
    test::expect_near(y, expected, 2e-5, "output");
  });
}

}  // namespace winograd_test
}  // namespace gcan::kernels
