#include "gcan/report/bodies_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gcan/base/error.h"
#include "gcan/report/page_json.h"
#include "gcan/report/tetris_scene.h"
#include "gcan/sim/tetris/shapes.h"

namespace gcan::report {
namespace {

using sim::tetris::kObjects;
using sim::tetris::kPoints;
using sim::tetris::kPointsPerObject;

constexpr std::size_t kStep = kPoints * 3;  // numbers of one step

// (w, x, y, z)
std::array<double, 4> quaternion(const Rotation3& r) {
  const double trace = r[0][0] + r[1][1] + r[2][2];
  std::array<double, 4> squares{};  // of its numbers, four times
  squares[0] = 1 + trace;
  for (std::size_t i = 0; i < 3; ++i) squares[i + 1] = 1 - trace + 2 * r[i][i];
  const auto largest =
      static_cast<std::size_t>(std::max_element(squares.begin(), squares.end()) - squares.begin());
  const double q = std::sqrt(std::max(squares[largest], 0.0)) / 2;
  const std::array<double, 4> turned{0, r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]};
  if (largest == 0) return {q, turned[1] / (4 * q), turned[2] / (4 * q), turned[3] / (4 * q)};
  std::array<double, 4> result{};
  const std::size_t i = largest - 1;
  result[0] = turned[largest] / (4 * q);
  for (std::size_t j = 0; j < 3; ++j) result[j + 1] = j == i ? q : (r[i][j] + r[j][i]) / (4 * q);
  return result;
}

bool finite(const Cubes& cubes) {
  return std::all_of(cubes.begin(), cubes.end(), [](const Point3& p) {
    return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
  });
}

// Rotations of the objects as quaternions, (trajectory, step, object, 4), with signs continuous over steps.
std::vector<float> poses_of(const std::vector<float>& positions, std::size_t trajectories) {
  std::vector<float> poses;
  const std::size_t steps = positions.size() / kStep / std::max<std::size_t>(trajectories, 1);
  for (std::size_t t = 0; t < trajectories; ++t) {
    std::array<Rotation3, kObjects> before{};
    before.fill(kUnturned);
    for (std::size_t step = 0; step < steps; ++step) {
      const Scene scene = scene_at(positions, t * steps + step);
      for (std::size_t o = 0; o < kObjects; ++o) {
        if (finite(scene[o]))
          before[o] = fitted_rotation(sim::tetris::shapes()[o].points, scene[o], before[o]);
        for (const double value : quaternion(before[o])) poses.push_back(static_cast<float>(value));
      }
    }
  }
  return poses;
}

}  // namespace

std::size_t BodiesView::steps() const { return trajectories == 0 ? 0 : truth.size() / kStep / trajectories; }

std::size_t BodiesView::predicted_steps() const {
  if (trajectories == 0 || networks.empty()) return 0;
  return networks.front().positions.size() / kStep / trajectories;
}

std::vector<float> object_errors(const BodiesView& view, const BodiesView::Network& network) {
  const std::size_t steps = view.steps(), predicted = view.predicted_steps();
  if (steps == 0 || predicted == 0 || predicted > steps ||
      view.truth.size() != view.trajectories * steps * kStep ||
      network.positions.size() != view.trajectories * predicted * kStep)
    throw Error(fmt::format(
        "bodies on a page: {} numbers of '{}' and {} of the truth are not {} trajectories of 32 x 3",
        network.positions.size(), network.name, view.truth.size(), view.trajectories));
  std::vector<float> errors;
  for (std::size_t t = 0; t < view.trajectories; ++t)
    for (std::size_t step = 0; step < predicted; ++step)
      for (std::size_t o = 0; o < kObjects; ++o) {
        const std::size_t truth = (t * steps + steps - predicted + step) * kStep + o * kPointsPerObject * 3;
        const std::size_t made = (t * predicted + step) * kStep + o * kPointsPerObject * 3;
        double sum = 0;
        for (std::size_t i = 0; i < kPointsPerObject * 3; ++i) {
          const double difference =
              static_cast<double>(network.positions[made + i]) - static_cast<double>(view.truth[truth + i]);
          sum += difference * difference;
        }
        errors.push_back(static_cast<float>(std::sqrt(sum / kPointsPerObject)));
      }
  return errors;
}

std::string to_page(const BodiesView& view, PageData& data) {
  const std::size_t steps = view.steps(), predicted = view.predicted_steps();
  Json json{{"kind", "bodies"},
            {"objects", Json::array()},
            {"given", steps - predicted},
            {"trajectories", Json::array()}};
  for (const sim::tetris::Shape& shape : sim::tetris::shapes()) json["objects"].push_back(shape.name);
  for (std::size_t t = 1; t <= view.trajectories; ++t)
    json["trajectories"].push_back(fmt::format("test {}", t));
  Limits limits;
  limits.add(view.truth);
  limits = limits.widened(2);  // predictions may leave the range of the truth
  const auto motion = [&](const std::vector<float>& positions, std::size_t count) {
    return Json{{"positions", data.add_rounded(positions, {view.trajectories, count, kPoints, 3}, limits)},
                {"poses", data.add_rounded(poses_of(positions, view.trajectories),
                                           {view.trajectories, count, kObjects, 4}, {-1, 1})}};
  };
  json["truth"] = motion(view.truth, steps);
  json["networks"] = Json::array();
  for (const BodiesView::Network& network : view.networks) {
    const std::vector<float> errors = object_errors(view, network);
    Json entry = motion(network.positions, predicted);
    entry["name"] = network.name;
    entry["errors"] = data.add(errors, {view.trajectories, predicted, kObjects});
    json["networks"].push_back(entry);
  }
  return page_text(json);
}

}  // namespace gcan::report
