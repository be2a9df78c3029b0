#include "bench/smoke_timing.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <thread>
#include <vector>

#include "bench/report.h"
#include "gcan/sim/smoke/pressure.h"
#include "gcan/sim/smoke/simulate.h"

namespace gcan::bench {
namespace {

namespace smoke = gcan::sim::smoke;

template <class Real>
struct Discard : smoke::FrameSink<Real> {
  void frame(const smoke::Frame<Real>&) override {}
};

// The textbook spectral solve: p = C^T ((C f C^T) / eigenvalues) C with the orthonormal cosine matrix C.
class DensePressure {
 public:
  explicit DensePressure(int n)
      : n_(n), cosines_(size(n)), divisors_(size(n)), first_(size(n)), second_(size(n)) {
    const auto eigenvalue = [n](int k) { return 2 - 2 * std::cos(std::numbers::pi * k / n); };
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(k * n + j);
        cosines_[at] =
            std::sqrt((k == 0 ? 1.0 : 2.0) / n) * std::cos(std::numbers::pi * k * (2 * j + 1) / (2.0 * n));
        divisors_[at] = k + j == 0 ? 0 : -1 / (eigenvalue(k) + eigenvalue(j));
      }
  }
  void solve(double* field) {
    multiply(CblasNoTrans, cosines_.data(), CblasNoTrans, field, first_.data());
    multiply(CblasNoTrans, first_.data(), CblasTrans, cosines_.data(), second_.data());
    for (std::size_t i = 0; i < second_.size(); ++i) second_[i] *= divisors_[i];
    multiply(CblasTrans, cosines_.data(), CblasNoTrans, second_.data(), first_.data());
    multiply(CblasNoTrans, first_.data(), CblasNoTrans, cosines_.data(), field);
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
  void multiply(CBLAS_TRANSPOSE ta, const double* a, CBLAS_TRANSPOSE tb, const double* b, double* c) const {
    cblas_dgemm(CblasRowMajor, ta, tb, n_, n_, n_, 1, a, n_, b, n_, 0, c, n_);
  }
  int n_;
  std::vector<double> cosines_, divisors_, first_, second_;
};

int solves_per_run(int cells) { return std::max(1, 100 * 128 * 128 / (cells * cells)); }

smoke::Field<double> some_field(int cells) {
  smoke::Field<double> field(cells, cells);
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j) field(i, j) = std::sin(i * 1.7 + j * j * 0.3);
  return field;
}

}  // namespace

template <class Real>
double smoke_trajectory_seconds(int cells, int threads, int trajectories, int repeats) {
  smoke::Job<Real> job;
  job.options.cells = cells;
  job.options.length = 0.25 * cells;
  job.options.noise_scale = 11.0 / 128 * cells;  // the same pattern in every box
  job.options.skip_steps = 63;
  job.options.steps = 1;
  job.threads = threads;
  job.trajectories = trajectories;
  Discard<Real> sink;
  return least_seconds(repeats, [&] { smoke::simulate(job, sink); }) / trajectories;
}

double smoke_pressure_seconds(int cells) {
  smoke::PressureSolver<double> solver(cells);
  const auto start = some_field(cells);
  const int solves = solves_per_run(cells);
  return least_seconds(10,
                       [&] {
                         auto field = start;
                         for (int i = 0; i < solves; ++i) solver.solve(field);
                       }) /
         solves;
}

double dense_pressure_seconds(int cells) {
  openblas_set_num_threads(1);
  DensePressure solver(cells);
  const auto start = some_field(cells);
  const int solves = solves_per_run(cells);
  return least_seconds(10,
                       [&] {
                         auto field = start;
                         for (int i = 0; i < solves; ++i) solver.solve(field.row(0));
                       }) /
         solves;
}

void report_smoke() {
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::printf("VALUE smoke_trajectory %.5f s\n", smoke_trajectory_seconds<double>(128, 1, 1, 20));
  std::printf("VALUE smoke_trajectory_float %.5f s\n", smoke_trajectory_seconds<float>(128, 1, 1, 20));
  std::printf("VALUE smoke_trajectory_%d_threads %.5f s\n", threads,
              smoke_trajectory_seconds<double>(128, threads, 8 * threads, 5));
  for (const int cells : {32, 64, 96, 128, 192, 256, 512, 1024})
    std::printf("VALUE smoke_trajectory_%d %.5f s\n", cells,
                smoke_trajectory_seconds<double>(cells, 1, 1, std::clamp(1024 / cells, 2, 20)));
  for (const int cells : {64, 128, 256, 512}) {
    const double ours = smoke_pressure_seconds(cells), dense = dense_pressure_seconds(cells);
    std::printf("VALUE smoke_pressure_%d %.7f s\n", cells, ours);
    std::printf("VALUE smoke_pressure_%d_openblas_over_ours %.2f ratio\n", cells, dense / ours);
  }
}

template double smoke_trajectory_seconds<float>(int, int, int, int);
template double smoke_trajectory_seconds<double>(int, int, int, int);

}  // namespace gcan::bench
