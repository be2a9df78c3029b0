#include "gcan/sim/smoke/initial.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gcan/sim/philox.h"
#include "gcan/sim/smoke/angles.h"

namespace gcan::sim::smoke {
namespace {

constexpr double kLowestK2 = 0.1;

// (lowest/k^2)^smoothness, or 0 below the band; the common factor goes with the standard deviation.
double amplitude(const Options& o, int nx, int ny) {
  const double unit = o.noise_scale / o.length;
  const double k2 = (static_cast<double>(nx) * nx + static_cast<double>(ny) * ny) * unit * unit;
  if (k2 <= kLowestK2) return 0;
  double result = 1;
  for (int i = 0; i < o.noise_smoothness; ++i) result *= kLowestK2 / k2;
  return result;
}

// Waves below 1e-17 of the strongest one do not change a double. With the paper's smoothness that leaves
// about 50 x 50 of them, so that summing them line by line costs less than a general FFT.
struct Band {
  int highest;      // of |nx|, |ny|
  double smallest;  // amplitude
};
Band find_band(const Options& o) {
  double strongest = 0;
  for (int nx = 0; nx <= o.cells / 2; ++nx)
    for (int ny = 0; ny <= nx; ++ny) strongest = std::max(strongest, amplitude(o, nx, ny));
  const double smallest = 1e-17 * strongest;
  int highest = o.cells / 2;
  while (highest > 1 && amplitude(o, highest, 0) > 0 && amplitude(o, highest, 0) < smallest) --highest;
  return {highest, smallest};
}

// cos and sin of 2 pi n (i+1/2)/N for all n, i, from one table of 2N angles.
class Waves {
 public:
  explicit Waves(int cells) : cells_(cells) {
    for (int m = 0; m < 2 * cells; ++m) {
      cosine_.push_back(cos_pi(m, cells));
      sine_.push_back(sin_pi(m, cells));
    }
  }
  double cosine(int n, int i) const { return cosine_[index(n, i)]; }
  double sine(int n, int i) const { return sine_[index(n, i)]; }

 private:
  std::size_t index(int n, int i) const {
    const int m = n * (2 * i + 1) % (2 * cells_);
    return static_cast<std::size_t>(m < 0 ? m + 2 * cells_ : m);
  }
  int cells_;
  std::vector<double> cosine_, sine_;
};

// Adds Re, Im of sum over ny of (a + i b) amplitude exp(i 2 pi ny y/L) for one nx.
void sum_over_ny(const Options& o, std::uint64_t trajectory, const Band& band, const Waves& waves, int nx,
                 std::vector<double>& re, std::vector<double>& im) {
  std::fill(re.begin(), re.end(), 0.0);
  std::fill(im.begin(), im.end(), 0.0);
  for (int ny = -band.highest; ny <= std::min(band.highest, o.cells / 2 - 1); ++ny) {
    const double weight = amplitude(o, nx, ny);
    if (weight == 0 || weight < band.smallest) continue;
    // The wavenumbers as two 16-bit halves: a name that does not depend on the grid.
    const auto index =
        (static_cast<std::uint32_t>(nx) & 0xFFFFu) << 16 | (static_cast<std::uint32_t>(ny) & 0xFFFFu);
    auto [a, b] = normal_pair(o.seed, trajectory, index);
    a *= weight, b *= weight;
    for (int j = 0; j < o.cells; ++j) {
      const double c = waves.cosine(ny, j), s = waves.sine(ny, j);
      re[static_cast<std::size_t>(j)] += a * c - b * s;
      im[static_cast<std::size_t>(j)] += a * s + b * c;
    }
  }
}

void normalize(std::span<double> noise) {
  const auto count = static_cast<double>(noise.size());
  double sum = 0, squares = 0;
  for (const double x : noise) sum += x;
  const double mean = sum / count;
  for (const double x : noise) squares += (x - mean) * (x - mean);
  const double deviation = std::sqrt(squares / count);
  for (double& x : noise) x = (x - mean) / deviation;
}

}  // namespace

template <class Real>
void random_smoke(const Options& o, std::uint64_t trajectory, Field<Real>& smoke) {
  const Band band = find_band(o);
  const Waves waves(o.cells);
  const auto n = static_cast<std::size_t>(o.cells);
  std::vector<double> re(n), im(n), noise(n * n);
  for (int nx = -band.highest; nx <= std::min(band.highest, o.cells / 2 - 1); ++nx) {
    sum_over_ny(o, trajectory, band, waves, nx, re, im);
    for (int i = 0; i < o.cells; ++i) {
      const double c = waves.cosine(nx, i), s = waves.sine(nx, i);
      double* line = noise.data() + static_cast<std::size_t>(i) * n;
      for (std::size_t j = 0; j < n; ++j) line[j] += re[j] * c - im[j] * s;
    }
  }
  normalize(noise);
  std::transform(noise.begin(), noise.end(), smoke.values().begin(),
                 [](double x) { return static_cast<Real>(std::abs(x)); });
}

template void random_smoke(const Options&, std::uint64_t, Field<float>&);
template void random_smoke(const Options&, std::uint64_t, Field<double>&);

}  // namespace gcan::sim::smoke
