#include "gcan/nn/clifford_fourier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include "tests/nn/clifford.h"
#include "tests/nn/gradient.h"
#include "tests/nn/reference.h"

namespace gcan::nn {
namespace clifford_fourier_test {

using test::Multivec;
using torch::Tensor;
using Sizes = std::vector<std::int64_t>;

Tensor random(const Sizes& sizes) { return torch::randn(sizes, torch::kDouble); }

struct Grid {
  Algebra algebra;
  Sizes space;

  [[nodiscard]] std::int64_t points() const { return c10::multiply_integers(space); }
  [[nodiscard]] Sizes with(std::int64_t samples, std::int64_t channels) const {
    Sizes sizes = {samples, channels, detail::blade_count(algebra)};
    sizes.insert(sizes.end(), space.begin(), space.end());
    return sizes;
  }
  // The indices of a point or frequency.
  [[nodiscard]] Sizes at(std::int64_t flat) const {
    Sizes index(space.size());
    for (std::size_t d = space.size(); d-- > 0;) {
      index[d] = flat % space[d];
      flat /= space[d];
    }
    return index;
  }
  [[nodiscard]] Multivec unit() const { return {algebra, {{algebra.pseudoscalar(), 1.0}}}; }
  // exp(I angle)
  [[nodiscard]] Multivec turn(double angle) const {
    return {algebra, {{0, std::cos(angle)}, {algebra.pseudoscalar(), std::sin(angle)}}};
  }
  // 2 pi sum_d k_d p_d / n_d
  [[nodiscard]] double angle(const Sizes& k, const Sizes& p) const {
    double turns = 0;
    for (std::size_t d = 0; d < space.size(); ++d) {
      turns += static_cast<double>(k[d] * p[d]) / static_cast<double>(space[d]);
    }
    return 2 * std::numbers::pi * turns;
  }
  // The multivectors of (blades, space...), point by point.
  [[nodiscard]] std::vector<Multivec> field(const Tensor& x) const {
    return test::all_grades(algebra, x.flatten(1).t().contiguous());
  }
};

std::vector<Grid> grids() {
  return {{Algebra(0, 1), {5}}, {Algebra(2), {3, 4}},    {Algebra(0, 2), {4, 3}},
          {Algebra(3), {3, 4}}, {Algebra(3), {2, 3, 4}}, {Algebra(3, 1), {4}}};
}

void expect_fields(const std::vector<Multivec>& found, const std::vector<Multivec>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) test::expect_near(found[i], expected[i], 1e-12);
}

TEST(CliffordFourier, IsTheSumOverTheGridWithThePseudoscalarAsUnit) {
  for (const Grid& grid : grids()) {
    SCOPED_TRACE(grid.algebra.to_string());
    const Tensor x = random(grid.with(1, 1));
    const auto field = grid.field(x[0][0]);
    std::vector<Multivec> expected;
    for (std::int64_t k = 0; k < grid.points(); ++k) {
      Multivec sum(grid.algebra);
      for (std::int64_t p = 0; p < grid.points(); ++p) {
        sum = sum + field[static_cast<std::size_t>(p)] * grid.turn(-grid.angle(grid.at(k), grid.at(p)));
      }
      expected.push_back(sum);
    }
    expect_fields(grid.field(clifford_fourier(grid.algebra, x)[0][0]), expected);
  }
}

TEST(CliffordFourier, Inverts) {
  for (const Grid& grid : grids()) {
    const Tensor x = random(grid.with(2, 3));
    const Tensor there = clifford_fourier(grid.algebra, x);
    test::expect_close(inverse_clifford_fourier(grid.algebra, there), x, 1e-13, "back");
    test::expect_close(clifford_fourier(grid.algebra, inverse_clifford_fourier(grid.algebra, x)), x, 1e-13,
                       "the other way");
  }
}

TEST(CliffordFourier, AShiftBecomesAPhase) {
  for (const Grid& grid : grids()) {
    SCOPED_TRACE(grid.algebra.to_string());
    Sizes shift, dims;
    for (std::size_t d = 0; d < grid.space.size(); ++d) {
      shift.push_back(static_cast<std::int64_t>(d) + 1);
      dims.push_back(static_cast<std::int64_t>(d) + 3);
    }
    const Tensor x = random(grid.with(1, 1));
    auto expected = grid.field(clifford_fourier(grid.algebra, x)[0][0]);
    for (std::int64_t k = 0; k < grid.points(); ++k) {
      Multivec& value = expected[static_cast<std::size_t>(k)];
      value = value * grid.turn(-grid.angle(grid.at(k), shift));
    }
    expect_fields(grid.field(clifford_fourier(grid.algebra, x.roll(shift, dims))[0][0]), expected);
  }
}

// Of a field c exp(I 2 pi m p / n), whose derivative is known.
TEST(CliffordFourier, ADerivativeBecomesAMultiplication) {
  for (const Grid& grid : {Grid{Algebra(0, 1), {8}}, Grid{Algebra(2), {6, 8}}, Grid{Algebra(3), {6, 5, 7}}}) {
    SCOPED_TRACE(grid.algebra.to_string());
    const auto blades = grid.algebra.blades();
    Tensor x = torch::zeros(grid.with(1, 1), torch::kDouble), slope = torch::zeros_like(x);
    const auto add = [&](const Tensor& t, std::int64_t p, const Multivec& value) {
      for (std::size_t b = 0; b < blades.size(); ++b) {
        t[0][0][static_cast<std::int64_t>(b)].view(-1)[p] += value.coefficient(blades[b]);
      }
    };
    for (const std::int64_t m : {-2, 1, 2}) {  // frequencies along the last dimension
      const Multivec c = test::all_grades(grid.algebra, random({detail::blade_count(grid.algebra)})).front();
      Sizes frequency(grid.space.size(), 1);
      frequency.back() = m;
      for (std::int64_t p = 0; p < grid.points(); ++p) {
        const Multivec wave = c * grid.turn(grid.angle(frequency, grid.at(p)));
        add(x, p, wave);
        add(slope, p, wave * grid.unit() * (2 * std::numbers::pi * static_cast<double>(m)));
      }
    }
    auto expected = grid.field(clifford_fourier(grid.algebra, x)[0][0]);
    for (std::int64_t k = 0; k < grid.points(); ++k) {
      const std::int64_t last = grid.at(k).back(), size = grid.space.back();
      const double frequency = static_cast<double>(2 * last < size ? last : last - size);
      Multivec& value = expected[static_cast<std::size_t>(k)];
      value = value * grid.unit() * (2 * std::numbers::pi * frequency);
    }
    const auto found = grid.field(clifford_fourier(grid.algebra, slope)[0][0]);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) test::expect_near(found[k], expected[k], 1e-10);
  }
}

TEST(CliffordFourier, NeedsAPseudoscalarThatSquaresToMinusOne) {
  EXPECT_EQ(test::message([] {
              static_cast<void>(clifford_fourier(Algebra(1, 1), torch::zeros({1, 1, 4, 3})));
            }),
            "clifford_fourier() got the algebra G(1,1,0), expected one whose pseudoscalar squares to -1");
  EXPECT_EQ(test::message([] {
              static_cast<void>(inverse_clifford_fourier(Algebra::pga3d(), torch::zeros({1, 1, 16, 3})));
            }),
            "inverse_clifford_fourier() got the algebra G(3,0,1), expected one whose pseudoscalar squares to "
            "-1");
  EXPECT_EQ(test::message([] {
              static_cast<void>(clifford_fourier(Algebra(2), torch::zeros({1, 1, 3, 5})));
            }),
            "clifford_fourier() got a tensor of shape (1, 1, 3, 5), expected (*, *, 4, *)");
}

template <class Layer, class Options>
Layer make(const Options& options) {
  torch::manual_seed(1);
  Layer layer(options);
  layer->to(torch::kDouble);
  return layer;
}

// Where a frequency has its weight, or -1: the first `modes` and the last `modes` of each dimension are kept.
std::int64_t place(std::int64_t k, std::int64_t size, std::int64_t modes) {
  if (k >= size - modes) return k - size + 2 * modes;
  return k < modes ? k : -1;
}

template <class Layer>
void expect_products(Layer layer, const Grid& grid, const Sizes& modes) {
  SCOPED_TRACE(c10::str(*layer));
  const Tensor x = random(grid.with(1, 2)), y = layer(x);
  const Tensor before = clifford_fourier(grid.algebra, x)[0].flatten(2);
  const Tensor after = clifford_fourier(grid.algebra, y)[0].flatten(2);
  const Tensor weight = layer->weight.flatten(3);
  for (std::int64_t k = 0; k < grid.points(); ++k) {
    std::int64_t at = 0;
    const Sizes index = grid.at(k);
    for (std::size_t d = 0; d < index.size() && at >= 0; ++d) {
      const std::int64_t own = place(index[d], grid.space[d], modes[d]);
      at = own < 0 ? -1 : at * 2 * modes[d] + own;
    }
    for (std::int64_t o = 0; o < 3; ++o) {
      const Multivec expected =
          at < 0 ? Multivec(grid.algebra)
                 : test::product_sum(grid.algebra, before.select(2, k), weight[o].select(2, at));
      test::expect_near(test::all_grades(grid.algebra, after[o].select(1, k)).front(), expected, 1e-12);
    }
  }
}

TEST(CliffordSpectralConv, MultipliesTheLowestFrequenciesAndDropsTheOthers) {
  expect_products(make<CliffordSpectralConv1d>(CliffordSpectralConv1dOptions(Algebra(0, 1), 2, 3, 2)),
                  {Algebra(0, 1), {7}}, {2});
  expect_products(make<CliffordSpectralConv2d>(CliffordSpectralConv2dOptions(Algebra(2), 2, 3, {2, 1})),
                  {Algebra(2), {6, 5}}, {2, 1});
  expect_products(make<CliffordSpectralConv2d>(CliffordSpectralConv2dOptions(Algebra(0, 2), 2, 3, {3, 2})),
                  {Algebra(0, 2), {4, 4}}, {3, 2});  // more modes than the grid has frequencies
  expect_products(make<CliffordSpectralConv3d>(CliffordSpectralConv3dOptions(Algebra(3), 2, 3, {1, 2, 1})),
                  {Algebra(3), {4, 5, 3}}, {1, 2, 1});
}

// In three dimensions the pseudoscalar commutes with the weights, and so a phase does.
TEST(CliffordSpectralConv, CommutesWithShiftsInSpace) {
  auto layer = make<CliffordSpectralConv3d>(CliffordSpectralConv3dOptions(Algebra(3), 2, 3, 2));
  const Tensor x = random({2, 2, 8, 5, 6, 4});
  const auto shifted = [](const Tensor& t) { return t.roll({1, 2, 3}, {3, 4, 5}); };
  test::expect_close(layer(shifted(x)), shifted(layer(x)), 1e-13, "shifted");
}

TEST(CliffordSpectralConv, WorksAtEveryResolution) {
  auto layer = make<CliffordSpectralConv2d>(CliffordSpectralConv2dOptions(Algebra(2), 2, 2, 3));
  // A field of frequencies below 3 on the fine grid; every second point of it is the coarse one.
  auto low = make<CliffordSpectralConv2d>(CliffordSpectralConv2dOptions(Algebra(2), 2, 2, 2).multiply(false));
  const Tensor fine = low->forward(random({1, 2, 4, 16, 16}));
  const auto coarse = [](const Tensor& t) { return t.slice(3, 0, 16, 2).slice(4, 0, 16, 2).contiguous(); };
  test::expect_close(layer(coarse(fine)), coarse(layer(fine)), 1e-13, "coarse");
}

TEST(CliffordSpectralConv, WithoutWeightsIsALowPassFilter) {
  auto layer =
      make<CliffordSpectralConv2d>(CliffordSpectralConv2dOptions(Algebra(2), 2, 2, 2).multiply(false));
  EXPECT_TRUE(layer->parameters().empty());
  const Tensor once = layer(random({1, 2, 4, 7, 8}));
  test::expect_close(layer(once), once, 1e-13, "twice");
  auto whole =
      make<CliffordSpectralConv2d>(CliffordSpectralConv2dOptions(Algebra(2), 2, 2, 4).multiply(false));
  const Tensor x = random({1, 2, 4, 7, 8});
  test::expect_close(whole(x), x, 1e-13, "all frequencies");
}

template <class Layer, class Options>
void expect_released(const std::string& name, const Options& options) {
  SCOPED_TRACE(name);
  const test::Reference reference(name, "dropin.h5");
  auto layer = make<Layer>(Options(options).released(true));
  {
    const torch::NoGradGuard no_grad;
    layer->weight.copy_(reference.read("state/weights").movedim(0, 2));
  }
  const Tensor x = reference.features("input").requires_grad_();
  const Tensor y = layer(x);
  // The original writes its result into single precision.
  test::expect_close(y, reference.features("output"), 1e-5, "y");
  y.backward(reference.features("grad_output"));
  test::expect_close(x.grad(), reference.features("grad_input"), 1e-5, "x.grad()");
  test::expect_close(layer->weight.grad(), reference.read("grad/weights").movedim(0, 2), 1e-5,
                     "layer->weight.grad()");
}

TEST(CliffordSpectralConv, ReproducesTheReleasedLayers) {
  GCAN_SKIP_WITHOUT_REFERENCE("dropin.h5");
  expect_released<CliffordSpectralConv2d>("spectral2d_pp_multiply",
                                          CliffordSpectralConv2dOptions(Algebra(2), 2, 3, {3, 2}));
  expect_released<CliffordSpectralConv2d>("spectral2d_mm_multiply",
                                          CliffordSpectralConv2dOptions(Algebra(0, 2), 2, 3, {3, 2}));
  expect_released<CliffordSpectralConv3d>("spectral3d_ppp_multiply",
                                          CliffordSpectralConv3dOptions(Algebra(3), 2, 3, 2));
}

TEST(CliffordSpectralConv, Gradients) {
  const auto check = [](auto layer, const Sizes& sizes) {
    SCOPED_TRACE(c10::str(*layer));
    const Tensor x = random(sizes).requires_grad_();
    auto inputs = layer->parameters();
    inputs.push_back(x);
    test::expect_gradients([&] { return layer(x); }, inputs, 1e-6);
  };
  check(make<CliffordSpectralConv1d>(CliffordSpectralConv1dOptions(Algebra(3), 1, 1, 2)), {1, 1, 8, 5});
  check(make<CliffordSpectralConv2d>(CliffordSpectralConv2dOptions(Algebra(2), 2, 1, {2, 1})),
        {2, 2, 4, 3, 4});
  check(make<CliffordSpectralConv3d>(CliffordSpectralConv3dOptions(Algebra(3), 1, 1, 1).released(true)),
        {1, 1, 8, 2, 3, 2});
}

TEST(CliffordSpectralConv, CopiesSavesAndTakesEmptyBatchesAndReducedPrecision) {
  const auto options = CliffordSpectralConv2dOptions(Algebra(2), 2, 3, {2, 3});
  CliffordSpectralConv2d layer(options), other(options);
  const Tensor x = torch::randn({2, 2, 4, 6, 6});
  const auto copy = std::dynamic_pointer_cast<CliffordSpectralConv2dImpl>(layer->clone());
  EXPECT_TRUE(torch::equal(copy->forward(x), layer(x)));
  std::stringstream stream;
  torch::save(layer, stream);
  torch::load(other, stream);
  EXPECT_TRUE(torch::equal(other(x), layer(x)));
  EXPECT_EQ(layer(torch::zeros({0, 2, 4, 6, 6})).sizes(), (torch::IntArrayRef{0, 3, 4, 6, 6}));
  const Tensor strided = torch::randn({6, 6, 4, 2, 2}).permute({4, 3, 2, 0, 1});
  EXPECT_TRUE(torch::allclose(layer(strided), layer(strided.contiguous()), 1e-5, 1e-6));
  const Tensor reduced = layer(x.to(torch::kBFloat16));
  EXPECT_EQ(reduced.scalar_type(), torch::kBFloat16);
  test::expect_close(reduced.to(torch::kFloat), layer(x), 0.02, "bfloat16");
}

TEST(CliffordSpectralConv, ErrorsNameTheLayer) {
  const auto two = [](std::int64_t modes) { return CliffordSpectralConv2dOptions(Algebra(2), 3, 2, modes); };
  EXPECT_EQ(
      test::message([&] {
        CliffordSpectralConv2d(two(4))(torch::zeros({1, 3, 4, 3, 8}));
      }),
      "CliffordSpectralConv2d(G(2,0,0), 3 -> 2, modes=(4, 4)) got a grid of (3, 8) points, expected at least "
      "as many points as modes along each dimension");
  EXPECT_EQ(test::message([&] {
              CliffordSpectralConv2d(two(4))(torch::zeros({1, 3, 8, 8, 8}));
            }),
            "CliffordSpectralConv2d(G(2,0,0), 3 -> 2, modes=(4, 4)) got a tensor of shape (1, 3, 8, 8, 8), "
            "expected "
            "(*, 3, 4, *, *)");
  EXPECT_NE(test::message([&] { CliffordSpectralConv2d(two(0)); }).find("at least one mode"),
            std::string::npos);
  EXPECT_NE(test::message([&] { CliffordSpectralConv2d(two(1).multiply(false)); }).find("no weights"),
            std::string::npos);
  EXPECT_NE(
      test::message([&] { CliffordSpectralConv2d(two(1).algebra(Algebra(1, 1))); }).find("squares to -1"),
      std::string::npos);
  EXPECT_EQ(test::message([&] { CliffordSpectralConv2d(two(1).algebra(Algebra(1, 1)).released(true)); }), "");
  CliffordSpectralConv2d broken(two(1));
  broken->weight.detach().fill_(std::nan(""));
  EXPECT_NE(test::message([&] {
              broken(torch::zeros({1, 3, 4, 3, 3}));
            }).find("not finite"),
            std::string::npos);
}

}  // namespace clifford_fourier_test
}  // namespace gcan::nn
