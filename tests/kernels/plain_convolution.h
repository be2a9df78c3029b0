#pragma once

// A convolution and its gradients by the sum of products in double, for comparison.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "gcan/kernels/direct_convolution.h"

namespace gcan::test {

using Numbers = std::vector<float>;

inline Numbers random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Numbers numbers(count);
  for (float& number : numbers) number = normal(generator);
  return numbers;
}

// Input, kernel and gradient of the output, and what the sum of products makes of them.
struct PlainConvolution {
  explicit PlainConvolution(const kernels::DirectShape& shape)
      : s(shape),
        x(random_numbers(s.samples * s.in * s.size[0] * s.size[1], 1)),
        kernel(random_numbers(s.out * s.in * s.kernel[0] * s.kernel[1], 2)),
        bias(random_numbers(std::max(s.in, s.out), 3)),
        dy(random_numbers(s.samples * s.out * s.out_size[0] * s.out_size[1], 4)),
        y(dy.size()),
        dx(x.size()),
        dkernel(kernel.size()),
        dbias(s.out) {
    for (std::size_t i = 0; i < dy.size(); ++i) dbias[i / (s.out_size[0] * s.out_size[1]) % s.out] += dy[i];
    for (std::size_t n = 0; n < s.samples; ++n) {
      for (std::size_t o = 0; o < s.out; ++o) {
        for (std::size_t i = 0; i < s.in; ++i) add_planes(n, o, i);
      }
    }
  }

  kernels::DirectShape s;
  Numbers x, kernel, bias, dy;
  std::vector<double> y, dx, dkernel, dbias;

 private:
  // The point of the input that a position of the kernel meets, or -1.
  [[nodiscard]] std::ptrdiff_t meets(std::size_t axis, std::size_t q, std::size_t tap) const {
    const auto size = static_cast<std::ptrdiff_t>(s.size[axis]);
    const auto at =
        static_cast<std::ptrdiff_t>(q * s.stride[axis] + tap) - static_cast<std::ptrdiff_t>(s.padding[axis]);
    if (s.circular[axis]) return (at % size + size) % size;
    return at < 0 || at >= size ? -1 : at;
  }
  void add_planes(std::size_t n, std::size_t o, std::size_t i) {
    for (std::size_t q = 0; q < s.out_size[0] * s.out_size[1]; ++q) {
      const std::size_t out = (n * s.out + o) * s.out_size[0] * s.out_size[1] + q;
      for (std::size_t tap = 0; tap < s.kernel[0] * s.kernel[1]; ++tap) {
        const std::ptrdiff_t row = meets(0, q / s.out_size[1], tap / s.kernel[1]);
        const std::ptrdiff_t column = meets(1, q % s.out_size[1], tap % s.kernel[1]);
        if (row < 0 || column < 0) continue;
        const std::size_t in = ((n * s.in + i) * s.size[0] + static_cast<std::size_t>(row)) * s.size[1] +
                               static_cast<std::size_t>(column);
        const std::size_t k = (o * s.in + i) * s.kernel[0] * s.kernel[1] + tap;
        y[out] += static_cast<double>(x[in]) * kernel[k];
        dx[in] += static_cast<double>(dy[out]) * kernel[k];
        dkernel[k] += static_cast<double>(dy[out]) * x[in];
      }
    }
  }
};

// All numbers within `tolerance` of the largest.
inline void expect_near(const Numbers& found, const std::vector<double>& expected, double tolerance,
                        const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  double largest = 0;
  for (const double number : expected) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], tolerance * largest) << what << " at " << i;
  }
}

// Parts one after another, as many as so many threads would get.
inline kernels::Parallel as_if_threads(std::size_t threads) {
  kernels::Parallel parallel;
  parallel.threads = threads;
  return parallel;
}

}  // namespace gcan::test
