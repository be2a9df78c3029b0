#include "gcan/kernels/message.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/runner/every_target.h"

namespace gcan::kernels {
namespace message_test {

// Random numbers, the same on every call.
template <class T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<T> made(count);
  for (T& number : made) number = static_cast<T>(normal(engine));
  return made;
}

template <class T>
void expect_near(const std::vector<T>& value, const std::vector<double>& expected, const char* what,
                 double scale = 1) {
  const double tolerance = sizeof(T) == 4 ? 2e-5 : 1e-12;
  for (std::size_t i = 0; i < value.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(value[i]), expected[i], tolerance * (scale + std::abs(expected[i])))
        << what << i;
  }
}

// Messages one by one, forwards and backwards, in double.
// (channels, lines / together, 2, together, samples, points) from the two terms.
template <class T>
std::vector<T> both_terms(const Graphs& g, std::size_t together, const std::vector<T>& a,
                          const std::vector<T>& b) {
  std::vector<T> both;
  const std::size_t block = together * g.samples * g.points;
  for (std::size_t start = 0; start < a.size(); start += block) {
    for (const auto* part : {&a, &b})
      both.insert(both.end(), part->begin() + static_cast<std::ptrdiff_t>(start),
                  part->begin() + static_cast<std::ptrdiff_t>(start + block));
  }
  return both;
}

template <class T>
void check_gated(const Graphs& g, std::size_t together, std::size_t gates,
                 const std::vector<std::size_t>& gate_of, T size_of_terms = 1) {
  const std::size_t size = g.channels * g.lines * g.samples * g.points, rows = g.samples * g.channels;
  auto a = numbers<T>(size, 1), b = numbers<T>(size, 2);
  for (auto* terms : {&a, &b}) {
    for (T& x : *terms) x *= size_of_terms;
  }
  const auto dy = numbers<T>(size, 3);
  const auto weight = numbers<T>(g.channels * gates * g.lines, 4), bias = numbers<T>(g.channels * gates, 5);
  const GatedSum<T> sum{g, together, gates, gate_of, weight.data(), bias.data()};
  std::vector<double> y(size), da(size), db(size), sums(rows * sum.sums_per_row());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t s = row / g.channels, c = row % g.channels;
    for (std::size_t k = 0; k < gates; ++k) {
      const T* w = weight.data() + (c * gates + k) * g.lines;
      double* const share = sums.data() + row * sum.sums_per_row() + k * (g.lines + 1);
      for (std::size_t i = 0; i < g.points; ++i) {
        for (std::size_t j = 0; j < g.points; ++j) {
          if (i == j) continue;
          const auto at = [&](std::size_t l, std::size_t point) { return g.at(c, l, s) + point; };
          const auto z = [&](std::size_t l) { return double(a[at(l, i)]) + double(b[at(l, j)]); };
          double f = double(bias[c * gates + k]), dot = 0;
          for (std::size_t l = 0; l < g.lines; ++l) {
            f += double(w[l]) * z(l);
            if (gate_of[l] == k) dot += double(dy[at(l, i)]) * z(l);
          }
          const double open = 1 / (1 + std::exp(-f)), slope = open * (1 - open) * dot;
          share[g.lines] += slope;
          for (std::size_t l = 0; l < g.lines; ++l) {
            const bool mine = gate_of[l] == k;
            if (mine) y[at(l, i)] += open * z(l);
            const double through = (mine ? open * double(dy[at(l, i)]) : 0) + double(w[l]) * slope;
            da[at(l, i)] += through;
            db[at(l, j)] += through;
            share[l] += slope * z(l);
          }
        }
      }
    }
  }
  std::vector<T> our_y(size), our_dboth(2 * size);
  std::vector<double> our_sums(sums.size());
  const auto both = both_terms(g, together, a, b);
  gated_sum_forward(sum, 0, g.channels, both.data(), our_y.data());
  gated_sum_backward(sum, 0, g.channels, both.data(), dy.data(), our_dboth.data(), our_sums.data());
  const auto scale = static_cast<double>(size_of_terms);
  expect_near(our_y, y, "y ", scale);
  expect_near(our_dboth, both_terms(g, together, da, db), "dboth ", scale);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_NEAR(our_sums[i], sums[i], (sizeof(T) == 4 ? 1e-4 : 1e-11) * (scale * scale + std::abs(sums[i])));
  }
}

TEST(Message, GatedSumsOnEveryInstructionSet) {
  test::on_every_target([] {
    for (const std::size_t points : {1, 3, 8, 21, 32}) {
      check_gated<float>({2, 3, 2, points}, 1, 1, {0, 0, 0});
      check_gated<double>({2, 3, 2, points}, 3, 1, {0, 0, 0});
      check_gated<double>({2, 5, 2, points}, 5, 2, {0, 1, 0, 1, 1});
      check_gated<double>({2, 6, 2, points}, 2, 2, {0, 1, 0, 1, 0, 1});
      check_gated<float>({2, 6, 2, points}, 2, 1, {0, 0, 0, 0, 0, 0});
      check_gated<double>({2, 6, 2, points}, 2, 1, {0, 0, 0, 0, 0, 0});
      // Linear forms whose exponentials overflow.
      check_gated<double>({2, 3, 2, points}, 1, 1, {0, 0, 0}, 1e3);
      check_gated<double>({2, 5, 2, points}, 5, 2, {0, 1, 0, 1, 1}, 1e3);
    }
  });
}

template <class T>
void check_leaky(std::size_t points, bool far) {
  const Graphs g{3, 1, 2, points};
  const std::size_t size = 6 * points;
  const auto a = numbers<T>(size, 1), b = numbers<T>(size, 2), dy = numbers<T>(size, 3);
  const auto distance = numbers<T>(2 * points * points, 4), weight = numbers<T>(3, 5);
  const LeakySum<T> sum{g, T(0.1), far ? distance.data() : nullptr, far ? weight.data() : nullptr};
  std::vector<double> y(size), da(size), db(size), sums(6), dd(distance.size());
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t s = 0; s < 2; ++s) {
      const std::size_t at = g.at(c, 0, s);
      for (std::size_t i = 0; i < points; ++i) {
        for (std::size_t j = 0; j < points; ++j) {
          if (i == j) continue;
          const std::size_t pair = (s * points + j) * points + i;
          const double apart = far ? double(distance[pair]) : 0;
          const double z = double(a[at + i]) + double(b[at + j]) + apart * double(weight[c]);
          const double slope = double(dy[at + i]) * (z > 0 ? 1 : double(T(0.1)));
          y[at + i] += z > 0 ? z : z * double(T(0.1));
          da[at + i] += slope;
          db[at + j] += slope;
          sums[s * 3 + c] += slope * apart;
          dd[pair] += slope * double(weight[c]);
        }
      }
    }
  }
  std::vector<T> our_y(size), our_da(size), our_db(size), our_dd(dd.size());
  std::vector<double> our_sums(6);
  leaky_sum_forward(sum, 0, 2, a.data(), b.data(), our_y.data());
  leaky_sum_backward(sum, 0, 2, a.data(), b.data(), dy.data(), our_da.data(), our_db.data(), our_sums.data(),
                     far ? our_dd.data() : nullptr);
  expect_near(our_y, y, "y ");
  expect_near(our_da, da, "da ");
  expect_near(our_db, db, "db ");
  if (!far) return;
  expect_near(our_dd, dd, "dd ");
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(our_sums[i], sums[i], (sizeof(T) == 4 ? 1e-4 : 1e-11) * (1 + std::abs(sums[i])));
  }
}

TEST(Message, LeakySumsOnEveryInstructionSet) {
  test::on_every_target([] {
    for (const std::size_t points : {1, 3, 8, 21, 32}) {
      for (const bool far : {false, true}) {
        check_leaky<float>(points, far);
        check_leaky<double>(points, far);
      }
    }
  });
}

}  // namespace message_test
}  // namespace gcan::kernels
