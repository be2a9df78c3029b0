#include "gcan/nn/embed.h"

#include <gtest/gtest.h>

#include "gcan/algebra/pga2d.h"
#include "gcan/algebra/pga3d.h"
#include "gcan/nn/tensor_algebra.h"
#include "tests/nn/gradient.h"
#include "tests/nn/message.h"
#include "tests/nn/multivectors.h"

namespace gcan::nn {
namespace embed_test {

using test::expect_near;
using test::message;
using Multivec = test::Multivec;

const Algebra kSpace = Algebra::pga3d();
const Algebra kPlane = Algebra::pga2d();

torch::Tensor random(torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kDouble); }

// Embeds one object and returns it as a multivector of the run-time algebra.
Multivec embedded(const EmbedOptions& options, const std::vector<double>& coordinates) {
  auto embed = Embed(EmbedOptions(options).dim(0));
  const auto values = embed(torch::tensor(coordinates, torch::kDouble));
  return test::multivectors(MultivectorTensor(options.algebra(), embed->blades(), values, 0)).front();
}

TEST(Embed, AgreesWithTheTypedObjectsOfSpace) {
  using namespace pga3d;
  expect_near(embedded({kSpace, Object::point}, {1, 2, 3}), Multivec(Point<>(1, 2, 3)), 0);
  expect_near(embedded({kSpace, Object::direction}, {1, 2, 3}), Multivec(Direction<>(1, 2, 3)), 0);
  expect_near(embedded({kSpace, Object::plane}, {1, 2, 3, 4}), Multivec(Plane<>(1, 2, 3, 4)), 0);
  const Line<> line(Point<>(1, 2, 3), Direction<>(-1, 4, 2));
  const auto d = line.direction();
  const auto m = line.moment();
  expect_near(embedded({kSpace, Object::line}, {d[0], d[1], d[2], m[0], m[1], m[2]}), Multivec(line), 0);
  const double c = std::cos(0.3);
  const double s = std::sin(0.3) / 3;
  const Motor<> motor = Motor<>::translation({4, 5, 6}) * Motor<>::rotation({1, 2, 2}, 0.6);
  expect_near(embedded({kSpace, Object::motor}, {c, s, 2 * s, 2 * s, 4, 5, 6}), Multivec(motor), 1e-15);
}

TEST(Embed, AgreesWithTheTypedObjectsOfThePlane) {
  using namespace pga2d;
  expect_near(embedded({kPlane, Object::point}, {1, 2}), Multivec(Point<>(1, 2)), 0);
  expect_near(embedded({kPlane, Object::direction}, {1, 2}), Multivec(Direction<>(1, 2)), 0);
  expect_near(embedded({kPlane, Object::line}, {1, 2, 3}), Multivec(Line<>(1, 2, 3)), 0);
  const Motor<> motor = Motor<>::translation({4, 5}) * Motor<>::rotation(0.6);
  expect_near(embedded({kPlane, Object::motor}, {std::cos(0.3), std::sin(0.3), 4, 5}), Multivec(motor),
              1e-15);
}

TEST(Embed, ScalarsVectorsAndTheLayoutsOfThePaper) {
  const Algebra mixed(2, 1, 1);
  expect_near(embedded({mixed, Object::scalar}, {7}), Multivec(mixed, 7.0), 0);
  expect_near(embedded({mixed, Object::vector}, {1, 2, 3}), Multivec(mixed, {{2, 1.0}, {4, 2.0}, {8, 3.0}}),
              0);
  const auto unit = [](const char* name) { return Multivec::unit(kSpace, name); };
  const auto options = EmbedOptions(kSpace, Object::point).weight(false);
  expect_near(embedded(EmbedOptions(options).layout(PointLayout::paper), {1, 2, 3}),
              unit("e023") + 2 * unit("e013") + 3 * unit("e012"), 0);
  expect_near(embedded(EmbedOptions(options).layout(PointLayout::paper_reversed), {1, 2, 3}),
              unit("e012") + 2 * unit("e013") + 3 * unit("e023"), 0);
  EXPECT_EQ(Embed(options)->blades(), kSpace.points());
}

std::vector<EmbedOptions> every_option() {
  std::vector<EmbedOptions> all;
  for (const Object object : {Object::scalar, Object::vector, Object::point, Object::direction, Object::line,
                              Object::plane, Object::motor}) {
    all.emplace_back(kSpace, object);
    if (object != Object::plane) all.emplace_back(kPlane, object);
  }
  all.push_back(EmbedOptions(kSpace, Object::point).weight(false));
  all.push_back(EmbedOptions(kSpace, Object::point).layout(PointLayout::paper));
  all.push_back(EmbedOptions(kSpace, Object::point).layout(PointLayout::paper_reversed));
  all.push_back(EmbedOptions(kSpace, Object::direction).weight(false));
  all.emplace_back(Algebra(4, 0, 1), Object::point);
  return all;
}

TEST(Embed, RoundTripsAndGradientsForEveryOption) {
  for (const auto& options : every_option()) {
    auto embed = Embed(options);
    auto extract = Extract(options);
    const auto x = random({2, 3, embed->coordinates(), 2}).requires_grad_();
    EXPECT_TRUE(torch::allclose(extract(embed(x)), x, 1e-12, 1e-12)) << embed;
    EXPECT_EQ(embed->blades(), extract->blades());
    test::expect_gradients([&] { return embed(x); }, {x}, 1e-6);
    const auto y = embed(x).detach().clone().contiguous().requires_grad_();
    test::expect_gradients([&] { return extract(y); }, {y}, 1e-6);
  }
}

TEST(Embed, ExtractedPointsAndMotorsDoNotDependOnTheirSize) {
  for (const Object object : {Object::point, Object::motor}) {
    auto embed = Embed(EmbedOptions(kSpace, object));
    auto extract = Extract(EmbedOptions(kSpace, object));
    const auto x = random({4, 2, embed->coordinates()});
    const auto y = extract(embed(x) * 3);
    EXPECT_TRUE(torch::allclose(y.narrow(2, object == Object::motor ? 4 : 0, 3),
                                x.narrow(2, object == Object::motor ? 4 : 0, 3)));
  }
}

TEST(Embed, MotorsMovePointsOfTensors) {
  using namespace pga3d;
  const auto motor = Embed(EmbedOptions(kSpace, Object::motor));
  const auto point = EmbedOptions(kSpace, Object::point);
  const MultivectorTensor m(kSpace, motor->blades(), random({1, 1, 8}));
  const auto unit = normalized(m);
  const auto x = random({1, 1, 3});
  const auto moved = sandwich(unit, MultivectorTensor(kSpace, Embed(point)->blades(), Embed(point)(x)));
  const Motor<> typed(test::multivectors(unit).front().as<Motor<>::Base>());
  const auto values = x.flatten();
  const Point<> expected =
      typed(Point<>(values[0].item<double>(), values[1].item<double>(), values[2].item<double>()));
  const auto y = Extract(point)(moved.values()).flatten();
  EXPECT_NEAR(y[0].item<double>(), expected.x(), 1e-12);
  EXPECT_NEAR(y[1].item<double>(), expected.y(), 1e-12);
  EXPECT_NEAR(y[2].item<double>(), expected.z(), 1e-12);
}

TEST(Embed, EmptyBatchesAndInputThatIsNotContiguous) {
  auto embed = Embed(EmbedOptions(kSpace, Object::motor));
  EXPECT_EQ(embed(random({0, 3, 7})).sizes(), (torch::IntArrayRef{0, 3, 8}));
  const auto x = random({3, 2, 7});
  EXPECT_TRUE(torch::equal(embed(x.transpose(0, 1)), embed(x).transpose(0, 1)));
}

TEST(Embed, ErrorsNameTheObjectAndTheAlgebra) {
  EXPECT_EQ(message([] { Embed(EmbedOptions(Algebra(3), Object::point)); }),
            "there is no point in G(3,0,0): it needs G(1,0,1) or higher");
  EXPECT_EQ(message([] { Embed(EmbedOptions(kPlane, Object::plane)); }),
            "there is no plane in G(2,0,1): it needs G(3,0,1)");
  EXPECT_EQ(message([] { Extract(EmbedOptions(Algebra(4, 0, 1), Object::motor)); }),
            "there is no motor in G(4,0,1): it needs G(2,0,1) or G(3,0,1)");
  EXPECT_EQ(message([] {
              Embed(EmbedOptions(kSpace, Object::point))(torch::zeros({2, 5, 4}));
            }),
            "Embed(G(3,0,1), point) got a tensor of shape (2, 5, 4), expected (*, *, 3)");
  EXPECT_NE(
      message([] { Extract(EmbedOptions(kSpace, Object::point))(torch::zeros({4})); }).find("dimension 2"),
      std::string::npos);
}

}  // namespace embed_test
}  // namespace gcan::nn
