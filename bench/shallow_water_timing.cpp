#include "bench/shallow_water_timing.h"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "bench/report.h"
#include "gcan/sim/shallow_water/initial_conditions.h"
#include "gcan/sim/shallow_water/simulate.h"

namespace gcan::bench {
namespace {

namespace sw = gcan::sim::shallow_water;

void multiply(int rows, int columns, int inner, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1.0, a, inner, b, columns, 0.0,
              c, columns);
}

std::vector<double> filled(int size) {
  std::vector<double> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1e-3 * static_cast<double>(i % 97);
  return values;
}

}  // namespace

double shallow_water_trajectory_seconds(sw::Precision precision, int threads, int trajectories) {
  sw::Options options = sw::paper_preset();
  options.frames = 89;  // the last one at step 526
  options.precision = precision;
  std::vector<std::chrono::steady_clock::time_point> done;
  sw::simulate(options, 0, trajectories + threads, threads,
               {{}, [&](const sw::TrajectoryStatus&) { done.push_back(std::chrono::steady_clock::now()); }});
  // `threads` trajectories end between an end and the `threads`-th end after it.
  const auto round = static_cast<std::size_t>(threads);
  double least = INFINITY;
  for (std::size_t i = round; i < done.size(); ++i)
    least = std::min(least, std::chrono::duration<double>(done[i] - done[i - round]).count() / threads);
  return least;
}

double shallow_water_step_seconds(int truncation) {
  sw::Options options;
  sw::set_truncation(options, truncation);
  options.time_step = 3290.0 * 62 / std::max(truncation, 62);
  const sw::Model<double> model(options);
  base::Random random(0, 0);
  sw::State<double> state = model.start(sw::initial_level(model, random).level);
  // Tens of milliseconds at a time: on a shared machine, short periods are more often undisturbed.
  const int steps = std::max(1, 40 * 62 * 62 / (truncation * truncation));
  return least_seconds(60,
                       [&] {
                         for (int i = 0; i < steps; ++i) model.advance(state);
                       }) /
         steps;
}

double blas_legendre_seconds(int batch) {
  openblas_set_num_threads(1);
  constexpr int kPairs = 48;
  const auto table = filled(2100 * kPairs);
  const auto spectral = filled(64 * 10 * batch);
  const auto fourier = filled(kPairs * 10 * batch);
  auto result = filled(std::max(64, kPairs) * 10 * batch);
  const auto step = [&] {
    const double* p = table.data();
    for (int m = 0; m <= 62; ++m) {
      for (int parity = 0; parity < 2; ++parity) {
        const int degrees = (65 - m - parity) / 2;
        multiply(kPairs, 8 * batch, degrees, p, spectral.data(), result.data());
        multiply(degrees, 10 * batch, kPairs, p, fourier.data(), result.data());
        p += std::ptrdiff_t{degrees} * kPairs;
      }
    }
  };
  return least_seconds(50, step) / batch;
}

double blas_fourier_seconds(int batch) {
  openblas_set_num_threads(1);
  constexpr int kLongitudes = 192;
  constexpr int kNumbers = 125;  // real and imaginary parts of 63 orders
  const auto matrix = filled(kLongitudes * kNumbers);
  const int to_grid = 4 * 96 * batch;
  const int to_fourier = 5 * 96 * batch;
  const auto rows = filled(to_fourier * kLongitudes);
  auto result = filled(to_fourier * kLongitudes);
  const auto step = [&] {
    multiply(kLongitudes, to_grid, kNumbers, matrix.data(), rows.data(), result.data());
    multiply(kNumbers, to_fourier, kLongitudes, matrix.data(), rows.data(), result.data());
  };
  return least_seconds(20, step) / batch;
}

void report_shallow_water() {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::printf("VALUE shallow_water_trajectory %.4f s\n",
              shallow_water_trajectory_seconds(sw::Precision::kDouble, 1, 30));
  std::printf("VALUE shallow_water_trajectory_float %.4f s\n",
              shallow_water_trajectory_seconds(sw::Precision::kFloat, 1, 30));
  std::printf("VALUE shallow_water_trajectory_%d_threads %.4f s\n", cores,
              shallow_water_trajectory_seconds(sw::Precision::kDouble, cores, 30 * cores));
  for (const int truncation : {31, 42, 62, 85, 127, 170, 255})
    std::printf("VALUE shallow_water_step_T%d %.4f ms\n", truncation,
                1e3 * shallow_water_step_seconds(truncation));
  for (const int batch : {1, 4, 16}) {
    std::printf("VALUE shallow_water_openblas_legendre_batch_%d %.4f ms\n", batch,
                1e3 * blas_legendre_seconds(batch));
    std::printf("VALUE shallow_water_openblas_fourier_batch_%d %.4f ms\n", batch,
                1e3 * blas_fourier_seconds(batch));
  }
}

}  // namespace gcan::bench
