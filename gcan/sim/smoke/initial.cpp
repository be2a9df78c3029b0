#include "gcan/sim/smoke/initial.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gcan/base/random.h"
#include "gcan/sim/angles.h"

namespace gcan::sim::smoke {
namespace {

constexpr double kLowestK2 = 0.1;

// (lowest/k^2)^smoothness, or 0 below the band; the division by the standard deviation removes the common
// factor.
double amplitude(const Options& o, int nx, int ny) {
  const double unit = o.noise_scale / o.length;
  const double k2 = (static_cast<double>(nx) * nx + static_cast<double>(ny) * ny) * unit * unit;
  if (k2 <= kLowestK2) return 0;
  double result = 1;
  for (int i = 0; i < o.noise_smoothness; ++i) result *= kLowestK2 / k2;
  return result;
}

// Waves below 1e-17 of the strongest one do not change a double. With the paper's smoothness about 50 x 50
// remain, and summing them line by line costs less than a general FFT.
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

// cos and sin of 2 pi n (i+1/2)/N: a line of N for each wavenumber n = -highest..highest.
class Waves {
 public:
  Waves(int cells, int highest)
      : highest_(highest), cosine_(2 * highest + 1, cells), sine_(2 * highest + 1, cells) {
    std::vector<double> cosine, sine;  // of pi m/N, m < 2N: the only angles that occur
    for (int m = 0; m < 2 * cells; ++m) {
      cosine.push_back(cos_pi(m, cells));
      sine.push_back(sin_pi(m, cells));
    }
    for (int n = -highest; n <= highest; ++n)
      for (int i = 0; i < cells; ++i) {
        const int m = n * (2 * i + 1) % (2 * cells);
        const auto at = static_cast<std::size_t>(m < 0 ? m + 2 * cells : m);
        cosine_(n + highest, i) = cosine[at];
        sine_(n + highest, i) = sine[at];
      }
  }
  const double* cosine(int n) const { return cosine_.row(n + highest_); }
  const double* sine(int n) const { return sine_.row(n + highest_); }

 private:
  int highest_;
  Field<double> cosine_, sine_;
};

// Real and imaginary part of the sum over ny of (a + i b) amplitude exp(i 2 pi ny y/L), for one nx.
void sum_over_ny(const Options& o, std::uint64_t trajectory, const Band& band, const Waves& waves, int nx,
                 std::vector<double>& re, std::vector<double>& im) {
  std::fill(re.begin(), re.end(), 0.0);
  std::fill(im.begin(), im.end(), 0.0);
  for (int ny = -band.highest; ny <= std::min(band.highest, o.cells / 2 - 1); ++ny) {
    const double weight = amplitude(o, nx, ny);
    if (weight == 0 || weight < band.smallest) continue;
    // The wavenumbers as two 16-bit halves: an index that does not depend on the grid.
    const auto index =
        (static_cast<std::uint32_t>(nx) & 0xFFFFu) << 16 | (static_cast<std::uint32_t>(ny) & 0xFFFFu);
    auto [a, b] = base::normal_pair(o.seed, trajectory, index);
    a *= weight, b *= weight;
    const double* c = waves.cosine(ny);
    const double* s = waves.sine(ny);
    for (std::size_t j = 0; j < re.size(); ++j) {
      re[j] += a * c[j] - b * s[j];
      im[j] += a * s[j] + b * c[j];
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
  const Waves waves(o.cells, band.highest);
  const auto n = static_cast<std::size_t>(o.cells);
  std::vector<double> re(n), im(n), noise(n * n);
  for (int nx = -band.highest; nx <= std::min(band.highest, o.cells / 2 - 1); ++nx) {
    sum_over_ny(o, trajectory, band, waves, nx, re, im);
    for (int i = 0; i < o.cells; ++i) {
      const double c = waves.cosine(nx)[i], s = waves.sine(nx)[i];
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
