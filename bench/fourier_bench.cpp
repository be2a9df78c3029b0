// Family `fourier`: the simulators' Fourier transforms, one thread, compared with KissFFT's C++ template if
// installed (libkissfft-dev). KissFFT's work is a lower bound: complex transforms of the same size, without
// reordering and without the factors that make a cosine transform of an FFT.
#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "bench/report.h"
#include "gcan/sim/shallow_water/circles.h"
#include "gcan/sim/smoke/cosine.h"
#if __has_include("kissfft.hh")
#include "kissfft.hh"
#endif

namespace gcan::bench {
namespace {

// One row: our work, compared with `count` transforms of length n by KissFFT.
template <typename T, typename Work>
void report_row(Report& report, const std::string& row, int n, int count, Work&& ours) {
#if __has_include("kissfft.hh")
  kissfft<T> plan(static_cast<std::size_t>(n), false);
  const std::vector<std::complex<T>> in(static_cast<std::size_t>(n), T(1));
  std::vector<std::complex<T>> out(in.size());
  report.ratio(row, interleaved(
                        ours,
                        [&] {
                          for (int i = 0; i < count; ++i) plan.transform(in.data(), out.data());
                          keep(out);
                        },
                        51, Clock::thread));
#else
  report.value(row, 1e6 * measure(ours), "us");
#endif
}

// 16 (float) or 8 (double) northern circles and as many southern ones.
template <typename T>
void report_circles(Report& report, const std::string& type) {
  constexpr int kLongitudes = 192, kOrders = 63;
  const sim::FftPlan<T> plan(kLongitudes);
  sim::Array<T> fourier(static_cast<std::size_t>(kOrders) * 4 * sim::kLine<T>, T(1)), rows(plan.numbers());
  report_row<T>(report, "circles_" + type, kLongitudes, sim::kLine<T>, [&] {
    sim::shallow_water::circles_to_grid(plan, kOrders, fourier.data(), rows.data());
    keep(rows);
  });
}

template <typename T>
void report_cosine(Report& report, const std::string& type) {
  constexpr int kCells = 128;
  sim::smoke::CosineTransform<T> transform(kCells);
  const std::vector<T> start(static_cast<std::size_t>(kCells) * kCells, T(1));
  std::vector<T> matrix(start.size());
  report_row<T>(report, "cosine_" + type, kCells, kCells / 2, [&] {
    std::copy(start.begin(), start.end(), matrix.begin());
    transform.forward(matrix.data(), kCells);
    keep(matrix);
  });
}

}  // namespace
}  // namespace gcan::bench

int main() {
  gcan::bench::Report report("Fourier transforms of the simulators, one thread");
  gcan::bench::report_circles<float>(report, "float");
  gcan::bench::report_circles<double>(report, "double");
  gcan::bench::report_cosine<float>(report, "float");
  gcan::bench::report_cosine<double>(report, "double");
}
