#pragma once

// Small fields with known numbers: our own and foreign files.

#include <cmath>
#include <string>
#include <vector>

#include "gcan/data/well_file.h"
#include "tests/train/tiny_run.h"

namespace gcan::test {

inline constexpr std::int64_t kTinyFrames = 10, kTinySide = 8;

inline data::Description tiny_fluid() {
  data::Description d;
  d.dataset = "tiny";
  d.grid_type = "cartesian";
  std::vector<double> at;
  for (int i = 0; i < kTinySide; ++i) at.push_back(0.25 + 0.5 * i);
  d.space = {data::Axis{"x", "m", at, "WALL"}, data::Axis{"y", "m", at, "PERIODIC"}};
  d.area.assign(kTinySide, 1.0 / kTinySide / kTinySide);
  for (int i = 0; i < kTinyFrames; ++i) {
    d.frame_times.push_back(1.5 * i);
    d.frame_steps.push_back(i);
  }
  d.fields = {{"heat", "K", {}, ""}, {"flow", "m/s", {"fx", "fy"}, ""}};
  d.splits = {6, 2, 3};
  d.failure_names = {"heat", "flow"};
  return d;
}

// Moving waves, different in each trajectory.
inline data::Trajectory tiny_waves(const data::Description& d, int trajectory) {
  data::Trajectory result = data::empty_trajectory(d);
  for (std::size_t f = 0; f < result.fields.size(); ++f) {
    for (std::size_t i = 0; i < result.fields[f].size(); ++i) {
      const std::size_t point = i / d.fields[f].elements(), frame = point / (kTinySide * kTinySide);
      const double phase = 0.7 * static_cast<double>(point % (kTinySide * kTinySide)) +
                           0.3 * static_cast<double>(frame) + trajectory + static_cast<double>(i % 2);
      result.fields[f][i] = static_cast<float>(3 * std::sin(phase) + (f == 0 ? 5 : 0.5));
    }
  }
  return result;
}

// `failed` became unstable.
inline std::string tiny_fluid_file(const Scratch& scratch, int failed = -1) {
  const data::Description d = tiny_fluid();
  const std::string path = scratch / ("fluid" + std::to_string(failed) + ".h5");
  data::WellWriter writer(path, d, false);
  for (const int i : writer.missing()) {
    data::Trajectory trajectory = tiny_waves(d, i);
    if (i == failed) trajectory.failed_step = 3, trajectory.failed_field = "flow";
    writer.write(i, trajectory);
  }
  writer.finish();
  return path;
}

// The same in a foreign file: without our group, with 11 trajectories without splits.
inline std::string foreign_fluid_file(const Scratch& scratch) {
  const data::Description d = tiny_fluid();
  const std::string path = scratch / "foreign.h5";
  data::Hdf5File file(path, data::Hdf5File::Mode::kCreate);
  using data::NumberType;
  const std::uint64_t count = 11, frames = kTinyFrames, side = kTinySide;
  for (const char* group : {"dimensions", "t0_fields", "t1_fields"}) file.make_group(group);
  file.set("dimensions", "spatial_dims", std::vector<std::string>{"x", "y"});
  file.write<double>("dimensions/time", NumberType::kFloat32, {frames}, d.frame_times);
  for (std::size_t i = 0; i < 2; ++i) {
    file.write<double>("dimensions/" + d.space[i].name, NumberType::kFloat32, {side}, d.space[i].values);
  }
  std::vector<float> heat, flow;
  for (int i = 0; i < 11; ++i) {
    const data::Trajectory t = tiny_waves(d, i);
    heat.insert(heat.end(), t.fields[0].begin(), t.fields[0].end());
    flow.insert(flow.end(), t.fields[1].begin(), t.fields[1].end());
  }
  file.set("t0_fields", "field_names", std::vector<std::string>{"heat"});
  file.set("t1_fields", "field_names", std::vector<std::string>{"flow"});
  file.write<float>("t0_fields/heat", NumberType::kFloat32, {count, frames, side, side}, heat);
  file.write<float>("t1_fields/flow", NumberType::kFloat32, {count, frames, side, side, 2}, flow);
  file.close();
  return path;
}

// Changes numbers of a trajectory without updating its checksum.
inline void damage(const std::string& path, int trajectory, float value = 1e3F) {
  data::Hdf5File file(path, data::Hdf5File::Mode::kChange);
  const std::vector<float> wrong{value};
  file.write_part<float>("t0_fields/heat", {static_cast<std::uint64_t>(trajectory), 2, 1, 1}, {1, 1, 1, 1},
                         wrong);
  file.close();
}

inline train::Config fluid_config(const std::string& data_file, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{
      "model.name=gca-resnet",  "model.channels=4",        "model.blocks=1", "data.kind=fluid",
      "data.file=" + data_file, "train.steps=12",          "train.batch=2",  "train.log_every=3",
      "train.validate_every=4", "train.checkpoint_every=5"};
  settings.insert(settings.end(), more.begin(), more.end());
  return train::make_config(settings);
}

}  // namespace gcan::test
