#include "gcan/report/page_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gcan/sim/tetris/shapes.h"
#include "tests/report/grids.h"
#include "tests/report/pictures.h"

namespace gcan::report {
namespace page_view_test {

using Json = nlohmann::json;
using sim::tetris::kPoints;

// Two trajectories of three steps; the last step is predicted.
BodiesView bodies() {
  BodiesView view{.trajectories = 2, .truth = {}, .networks = {{"net", {}}}};
  for (std::size_t i = 0; i < 2 * 3; ++i)
    for (const auto& shape : sim::tetris::shapes())
      for (const auto& point : shape.points)
        for (const double x : point) view.truth.push_back(static_cast<float>(x));
  view.networks[0].positions.assign(view.truth.begin(), view.truth.begin() + 2 * kPoints * 3);
  return view;
}

TEST(BodiesView, ErrorsAreTheDistanceOfAnObjectsPoints) {
  BodiesView view = bodies();
  EXPECT_EQ(view.steps(), 3U);
  EXPECT_EQ(view.predicted_steps(), 1U);
  // The third object of the second trajectory moves by (3, 4, 0).
  for (std::size_t p = 8; p < 12; ++p) {
    view.networks[0].positions[(kPoints + p) * 3] += 3;
    view.networks[0].positions[(kPoints + p) * 3 + 1] += 4;
  }
  const auto errors = object_errors(view, view.networks[0]);
  ASSERT_EQ(errors.size(), 16U);
  for (std::size_t i = 0; i < errors.size(); ++i) EXPECT_NEAR(errors[i], i == 10 ? 5 : 0, 1e-5) << i;
}

TEST(BodiesView, BecomesJsonWithShapes) {
  PageData data;
  const Json json = Json::parse(view_json(bodies(), data));
  const Json blocks = Json::parse(data.blocks());
  EXPECT_EQ(json["kind"], "bodies");
  EXPECT_EQ(json["given"], 2);
  EXPECT_EQ(json["objects"].size(), 8U);
  EXPECT_EQ(json["trajectories"].size(), 2U);
  EXPECT_EQ(blocks[json["truth"]["poses"].get<std::size_t>()]["shape"], Json({2, 3, 8, 4}));
  EXPECT_EQ(blocks[json["networks"][0]["positions"].get<std::size_t>()]["shape"], Json({2, 1, 32, 3}));
}

TEST(BodiesView, SizeMismatchIsAnError) {
  BodiesView view = bodies();
  view.networks[0].positions.pop_back();
  PageData data;
  test::expect_error_with([&] { view_json(view, data); }, {"'net'", "2 trajectories"});
}

FieldRollout rollout(std::size_t steps) {
  FieldRollout rollout{test::box_grid(2, 3), {0}, {}, {"net"}, {}};
  RolloutField field{"heat", "K", 1, {FieldFrame(6, 1)}, {}, {{}}};
  for (std::size_t t = 1; t <= steps; ++t) {
    rollout.times.push_back(static_cast<double>(t));
    field.target.emplace_back(6, static_cast<float>(t));
    field.predictions[0].emplace_back(6, static_cast<float>(t) + 0.5F);
  }
  rollout.fields = {field};
  return rollout;
}

TEST(FieldsView, ErrorsAreRootMeanSquaresOverTheArea) {
  FieldRollout even = rollout(3);
  even.fields[0].predictions[0][1][0] += 0.5F;
  const auto errors = field_errors(even, even.fields[0], 0);
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_NEAR(errors[0], 0.5, 1e-6);
  EXPECT_NEAR(errors[1], std::sqrt((5 * 0.25 + 1) / 6), 1e-6);
  even.grid.area = {1.0 / 3, 0};  // the first line has all of it
  EXPECT_NEAR(field_errors(even, even.fields[0], 0)[1], std::sqrt((2 * 0.25 + 1) / 3), 1e-6);
}

TEST(FieldsView, LongRolloutsAreThinnedButKeepTheirEnd) {
  EXPECT_EQ(frame_stride(rollout(10), 1 << 20), 1U);
  EXPECT_EQ(frame_stride(rollout(10), 10 * 6 * 2 * 2 / 3), 3U);
  PageData data;
  FieldsView view{rollout(4)};
  view.spectrum_name = "energy";
  view.target_spectra = std::vector<std::vector<double>>(4, {3, 2, 1});
  view.spectra = {view.target_spectra};
  const Json json = Json::parse(view_json(view, data));
  const Json blocks = Json::parse(data.blocks());
  EXPECT_EQ(json["times"], Json({1.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ(blocks[json["fields"][0]["target"].get<std::size_t>()]["shape"], Json({4, 1, 2, 3}));
  EXPECT_EQ(blocks[json["spectrum"]["predictions"][0].get<std::size_t>()]["shape"], Json({4, 3}));
}

TEST(FieldsView, FrameSizeMismatchIsAnError) {
  FieldsView view{rollout(2)};
  view.rollout.fields[0].target[1].pop_back();
  PageData data;
  test::expect_error_with([&] { view_json(view, data); }, {"'heat'", "5 numbers instead of 6"});
  view = {rollout(2)};
  view.rollout.fields[0].predictions.clear();
  test::expect_error_with([&] { view_json(view, data); }, {"'heat'", "0 predictions"});
}

TEST(PageView, AnyNameIsPreserved) {
  const std::string evil = "<script>\"'\n\\ é \xff";
  Chart chart{.x_label = "x", .y_label = "y", .series = {{.name = evil, .x = {1, 2}, .y = {3, 4}}}};
  PageData data;
  const Json json = Json::parse(view_json(chart, data));
  EXPECT_EQ(json["series"][0]["name"], "<script>\"'\n\\ é \xEF\xBF\xBD");
  RunsView runs{{{.name = evil,
                  .folder = "f",
                  .settings = {{"k", evil, "d", "h"}},
                  .machine = {{"m", "1"}},
                  .numbers = {},
                  .curve = {evil, {1}, {2}, {}, {}}}}};
  EXPECT_EQ(Json::parse(view_json(runs, data))["runs"][0]["settings"][0]["standard"], "d");
}

}  // namespace page_view_test
}  // namespace gcan::report
