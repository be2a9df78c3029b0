// The algebra compared with plain hand-written loops, on one thread: motors on points, full products over
// arrays; and single motor operations in nanoseconds (Google Benchmark).

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "bench/report.h"
#include "gcan/algebra/multivector_array.h"
#include "gcan/algebra/pga3d.h"

namespace {

using gcan::bench::keep;
using gcan::pga3d::Motor;
using gcan::pga3d::Point;
using gcan::pga3d::Vec3;

template <class Ours, class Theirs>
gcan::bench::Comparison interleaved(Ours ours, Theirs theirs) {
  return gcan::bench::interleaved(ours, theirs, 101, gcan::bench::Clock::thread);
}

std::mt19937 engine(1);
float number() { return std::uniform_real_distribution<float>(-1, 1)(engine); }

template <class M>
M random_multivector() {
  M x;
  for (std::size_t i = 0; i < M::kSize; ++i) x[i] = number();
  return x;
}

Motor<float> random_motor() {
  const gcan::pga3d::Line<float> axis{Point<float>(number(), number(), number()),
                                      Point<float>(number(), number(), number())};
  return Motor<float>::screw(axis, 3 * number(), number());
}

// The alternative: a 3x4 matrix on an array of coordinates.
void matrix_loop(const float m[3][4], const Vec3<float>* in, Vec3<float>* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float x = in[i][0];
    const float y = in[i][1];
    const float z = in[i][2];
    out[i][0] = m[0][0] * x + m[0][1] * y + m[0][2] * z + m[0][3];
    out[i][1] = m[1][0] * x + m[1][1] * y + m[1][2] * z + m[1][3];
    out[i][2] = m[2][0] * x + m[2][1] * y + m[2][2] * z + m[2][3];
  }
}

gcan::bench::Comparison motor_on_points(std::size_t n) {
  std::vector<Vec3<float>> in(n);
  std::vector<Vec3<float>> out(n);
  for (auto& p : in) p = {number(), number(), number()};
  const Motor<float> motor = random_motor();
  const auto matrix = motor.matrix();
  float m[3][4];
  for (std::size_t i = 0; i < 3; ++i) std::copy_n(matrix[i].begin(), 4, m[i]);
  return interleaved(
      [&] {
        motor.apply(std::span<const Vec3<float>>(in), std::span<Vec3<float>>(out));
        keep(out);
      },
      [&] {
        matrix_loop(m, in.data(), out.data(), n);
        keep(out);
      });
}

// The alternatives for products: written out by hand over plain arrays, one per blade. The arrays of a
// multivector are slightly more than n elements apart, to avoid cache conflicts.
class BladeArrays {
 public:
  BladeArrays(std::size_t blades, std::size_t n) : stride_(n + 16), data_(blades * stride_) {
    for (float& value : data_) value = number();
  }
  float* data() { return data_.data(); }
  [[nodiscard]] std::size_t stride() const { return stride_; }

 private:
  std::size_t stride_;
  std::vector<float> data_;
};

// The full product of G(3,0,0), blades in the order 1, e1, e2, e3, e12, e13, e23, e123.
inline void g300(const float (&a)[8], const float (&b)[8], float (&c)[8]) {
  c[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] - a[4] * b[4] - a[5] * b[5] - a[6] * b[6] -
         a[7] * b[7];
  c[1] = a[0] * b[1] + a[1] * b[0] - a[2] * b[4] - a[3] * b[5] + a[4] * b[2] + a[5] * b[3] - a[6] * b[7] -
         a[7] * b[6];
  c[2] = a[0] * b[2] + a[1] * b[4] + a[2] * b[0] - a[3] * b[6] - a[4] * b[1] + a[5] * b[7] + a[6] * b[3] +
         a[7] * b[5];
  c[3] = a[0] * b[3] + a[1] * b[5] + a[2] * b[6] + a[3] * b[0] - a[4] * b[7] - a[5] * b[1] - a[6] * b[2] -
         a[7] * b[4];
  c[4] = a[0] * b[4] + a[1] * b[2] - a[2] * b[1] + a[3] * b[7] + a[4] * b[0] - a[5] * b[6] + a[6] * b[5] +
         a[7] * b[3];
  c[5] = a[0] * b[5] + a[1] * b[3] - a[2] * b[7] - a[3] * b[1] + a[4] * b[6] + a[5] * b[0] - a[6] * b[4] -
         a[7] * b[2];
  c[6] = a[0] * b[6] + a[1] * b[7] + a[2] * b[3] - a[3] * b[2] - a[4] * b[5] + a[5] * b[4] + a[6] * b[0] +
         a[7] * b[1];
  c[7] = a[0] * b[7] + a[1] * b[6] - a[2] * b[5] + a[3] * b[4] + a[4] * b[3] - a[5] * b[2] + a[6] * b[1] +
         a[7] * b[0];
}

void g300_loop(const float* __restrict a, const float* __restrict b, float* __restrict c, std::size_t stride,
               std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    float x[8];
    float y[8];
    float z[8];
    for (std::size_t k = 0; k < 8; ++k) x[k] = a[k * stride + i];
    for (std::size_t k = 0; k < 8; ++k) y[k] = b[k * stride + i];
    g300(x, y, z);
    for (std::size_t k = 0; k < 8; ++k) c[k * stride + i] = z[k];
  }
}

// With x = p + e0 q for p, q in G(3,0,0), the product of G(3,0,1) is p p' + e0 (q p' + involute(p) q'): three
// of the products above instead of all 192 terms, the best hand-written form.
void g301_loop(const float* __restrict a, const float* __restrict b, float* __restrict c, std::size_t stride,
               std::size_t n) {
  static constexpr float kInvolution[8] = {1, -1, -1, -1, 1, 1, 1, -1};
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    float p[8];
    float q[8];
    float p2[8];
    float q2[8];
    float pp[8];
    float qp[8];
    float pq[8];
    for (std::size_t k = 0; k < 8; ++k) p[k] = a[k * stride + i];
    for (std::size_t k = 0; k < 8; ++k) q[k] = a[(8 + k) * stride + i];
    for (std::size_t k = 0; k < 8; ++k) p2[k] = b[k * stride + i];
    for (std::size_t k = 0; k < 8; ++k) q2[k] = b[(8 + k) * stride + i];
    g300(p, p2, pp);
    g300(q, p2, qp);
    for (std::size_t k = 0; k < 8; ++k) p[k] *= kInvolution[k];
    g300(p, q2, pq);
    for (std::size_t k = 0; k < 8; ++k) c[k * stride + i] = pp[k];
    for (std::size_t k = 0; k < 8; ++k) c[(8 + k) * stride + i] = qp[k] + pq[k];
  }
}

template <class M>
gcan::MultivectorArray<M> random_array(std::size_t n) {
  gcan::MultivectorArray<M> x(n);
  for (std::size_t i = 0; i < n; ++i) x.set(i, random_multivector<M>());
  return x;
}

constexpr std::size_t kProducts = 4096;

using ProductLoop = void (*)(const float*, const float*, float*, std::size_t, std::size_t);

template <class Full>
gcan::bench::Comparison product(ProductLoop loop) {
  const auto a = random_array<Full>(kProducts);
  const auto b = random_array<Full>(kProducts);
  auto c = random_array<Full>(kProducts);
  BladeArrays x(Full::kSize, kProducts);
  BladeArrays y(Full::kSize, kProducts);
  BladeArrays z(Full::kSize, kProducts);
  return interleaved(
      [&] {
        gcan::array::map_into(
            c, [](const auto& p, const auto& q) { return p * q; }, a, b);
        keep(c);
      },
      [&] {
        loop(x.data(), y.data(), z.data(), x.stride(), kProducts);
        keep(z);
      });
}

// Nanoseconds per product of two motors from arrays.
double motor_product_array() {
  using M = gcan::EvenMultivector<gcan::kPga3d, float>;
  const auto a = random_array<M>(kProducts);
  const auto b = random_array<M>(kProducts);
  auto c = random_array<M>(kProducts);
  const auto work = [&] {
    gcan::array::map_into(
        c, [](const auto& p, const auto& q) { return p * q; }, a, b);
    keep(c);
  };
  return gcan::bench::measure(work) / kProducts * 1e9;
}

// Single operations, on inputs that stay in the L1 cache.
std::vector<Motor<float>> motors() {
  std::vector<Motor<float>> list(256);
  std::generate(list.begin(), list.end(), random_motor);
  return list;
}

template <class Input, class Operation>
void run_on(benchmark::State& state, const std::vector<Input>& list, Operation operation) {
  std::size_t i = 0;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): Google Benchmark's way to loop
    auto result = operation(list[i], list[list.size() - 1 - i]);
    benchmark::DoNotOptimize(result);
    i = (i + 1) % list.size();
  }
}

void motor_product(benchmark::State& state) {
  run_on(state, motors(), [](const auto& a, const auto& b) { return a * b; });
}
void motor_exp(benchmark::State& state) {
  std::vector<gcan::KVector<gcan::kPga3d, 2, float>> logs;
  for (const auto& m : motors()) logs.push_back(log(m));
  run_on(state, logs, [](const auto& b, const auto&) { return exp(b); });
}
void motor_log(benchmark::State& state) {
  run_on(state, motors(), [](const auto& a, const auto&) { return log(a); });
}
void motor_sqrt(benchmark::State& state) {
  run_on(state, motors(), [](const auto& a, const auto&) { return sqrt(a); });
}
BENCHMARK(motor_product);
BENCHMARK(motor_exp);
BENCHMARK(motor_log);
BENCHMARK(motor_sqrt);

// Prints Google Benchmark's table and keeps the medians for the report.
class Medians : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.aggregate_name == "median")
        values.emplace_back(run.run_name.function_name, run.GetAdjustedCPUTime());
    }
  }
  std::vector<std::pair<std::string, double>> values;
};

}  // namespace

int main() {
  std::vector<std::string> arguments = {"algebra", "--benchmark_repetitions=15", "--benchmark_min_time=0.05",
                                        "--benchmark_report_aggregates_only=true",
                                        "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> argv(arguments.size());
  std::transform(arguments.begin(), arguments.end(), argv.begin(), [](std::string& s) { return s.data(); });
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);

  gcan::bench::Report report("algebra, one thread, float");
  report.ratio("motor_points_1e6", motor_on_points(1000000));
  report.ratio("motor_points_1e3", motor_on_points(1000));
  report.ratio("product_g300", product<gcan::FullMultivector<gcan::Signature{3, 0, 0}, float>>(g300_loop));
  report.ratio("product_g301", product<gcan::FullMultivector<gcan::kPga3d, float>>(g301_loop));
  report.value("motor_product_array", motor_product_array(), "ns");
  for (const auto& [name, nanoseconds] : medians.values) report.value(name, nanoseconds, "ns");
}
