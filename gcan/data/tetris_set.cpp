#include <algorithm>
#include <limits>

#include "gcan/data/generate.h"
#include "gcan/sim/tetris/simulate.h"

namespace gcan::data {
namespace {

namespace tetris = sim::tetris;
using config::choice_setting;
using config::number_setting;
using config::Setting;
using Set = TetrisSet;

std::vector<Setting<Set>> make_settings() {
  return {
      choice_setting<Set>("orientation",
                          "Initial orientation: haar (random per object), none (the paper's text), scene "
                          "(random, equal for all objects)",
                          {"haar", "none", "scene"},
                          [](Set& s) -> tetris::Orientation& { return s.options.orientation; }),
      number_setting<Set>("max-angle", "rad", "Largest rotation per step",
                          [](Set& s) -> double& { return s.options.max_angle; }),
      choice_setting<Set>("translation", "Where offsets are uniform: in a cube or a ball", {"cube", "ball"},
                          [](Set& s) -> tetris::Translation& { return s.options.translation; }),
      number_setting<Set>("max-offset", "1",
                          "Largest offset per step: per coordinate (cube) or in length (ball)",
                          [](Set& s) -> double& { return s.options.max_offset; }),
      number_setting<Set>("rho", "1", "Correlation of the motions within a scene: 0 independent, 1 equal",
                          [](Set& s) -> double& { return s.options.rho; }),
      number_setting<Set>("deformation-sigma", "1", "Standard deviation of the cubes' displacements",
                          [](Set& s) -> double& { return s.options.deformation_sigma; }),
      choice_setting<Set>("deformation", "Whether displacements are constant in time or drawn in each step",
                          {"constant", "per-step"},
                          [](Set& s) -> tetris::Deformation& { return s.options.deformation; }),
      number_setting<Set>("steps", "1", "Positions per trajectory",
                          [](Set& s) -> int& { return s.options.steps; }),
      number_setting<Set>("seed", "1", "Seed of the data set",
                          [](Set& s) -> std::uint64_t& { return s.options.seed; }),
  };
}

}  // namespace

const std::vector<Setting<Set>>& tetris_settings() {
  static const auto settings = make_settings();
  return settings;
}

TetrisDescription describe(const Set& set, const std::array<int, 3>& splits) {
  tetris::validate(set.options);
  if (set.options.seed > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw Error("--seed is " + std::to_string(set.options.seed) + ", but must be below 2^63");
  return {set.options, splits};
}

Outcome generate(const Set& set, const SetOptions& options, const Observer& observer) {
  const TetrisDescription description = describe(set, options.splits);
  if (already_written(options.out, description)) return {.was_there = true, .failures = {}};
  TetrisWriter writer(options.out, description, options.compress);
  if (observer.begin) observer.begin(description.trajectories(), 0, 0);
  constexpr std::size_t kBlock = 8192;  // trajectories in memory at once, 50 MB
  for (const Split split : kSplits) {
    const auto count = static_cast<std::size_t>(options.splits[static_cast<std::size_t>(split)]);
    for (std::size_t first = 0; first < count; first += kBlock) {
      const auto number = trajectory_number(split, static_cast<std::int64_t>(first));
      const tetris::Job job{set.options, static_cast<std::uint64_t>(number), std::min(kBlock, count - first),
                            options.threads};
      TetrisSplit block{job.trajectories, std::vector<float>(job.size()), std::vector<float>(job.size())};
      tetris::simulate(job, block.positions, block.velocities);
      writer.write(split, first, block);
      for (std::size_t k = 0; observer.trajectory && k < job.trajectories; ++k) observer.trajectory("");
    }
  }
  writer.finish();
  return {};
}

}  // namespace gcan::data
