#include "gcan/train/tasks/trajectory_store.h"

#include <fmt/format.h>

#include "gcan/base/error.h"

namespace gcan::train {
namespace {

std::vector<std::size_t> chosen_fields(const data::WellReader& file, const std::vector<std::string>& names) {
  std::vector<std::size_t> fields;
  for (const std::string& name : names) fields.push_back(file.field_index(name));
  for (std::size_t i = 0; names.empty() && i < file.description().fields.size(); ++i) fields.push_back(i);
  return fields;
}

std::vector<FieldPlanes> field_planes(const data::WellReader& file, const std::vector<std::size_t>& fields) {
  std::vector<FieldPlanes> planes;
  std::int64_t next = 0;
  for (const std::size_t field : fields) {
    const data::FieldInfo& info = file.description().fields[field];
    const auto count = static_cast<std::int64_t>(info.elements());
    if (!info.components.empty() && count != 2) {
      throw Error(
          fmt::format("'{}': the vector field '{}' has {} components, but the networks need two; exclude it "
                      "with data.names",
                      file.path(), info.name, count));
    }
    planes.push_back({next, count});
    next += count;
  }
  return planes;
}

}  // namespace

torch::Tensor network_form(const torch::Tensor& stored) { return stored.permute({0, 3, 1, 2}); }

torch::Tensor stored_form(const torch::Tensor& planes) { return planes.permute({0, 2, 3, 1}).contiguous(); }

TrajectoryStore::TrajectoryStore(const std::string& file, const std::vector<std::string>& names,
                                 std::int64_t memory)
    : file_(file),
      fields_(chosen_fields(file_, names)),
      planes_(field_planes(file_, fields_)),
      limit_(memory << 20),
      normalisation_(plane_count()) {}

std::int64_t TrajectoryStore::plane_count() const { return planes_.back().first + planes_.back().count; }

void TrajectoryStore::normalise_by(const Normalisation& normalisation) {
  const std::scoped_lock lock(keeping_);
  normalisation_ = normalisation;
  kept_.clear();
  bytes_ = 0;
}

torch::Tensor TrajectoryStore::read(int number) const {
  const data::Description& d = file_.description();
  const auto frames = static_cast<std::int64_t>(d.frames());
  const auto height = static_cast<std::int64_t>(d.space[0].values.size());
  const auto width = static_cast<std::int64_t>(d.space[1].values.size());
  torch::Tensor result = torch::empty({frames, plane_count(), height, width});
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    std::vector<float> values = [&] {
      const std::scoped_lock lock(reading_);
      return file_.field(fields_[i], number);
    }();
    const torch::Tensor stored = torch::from_blob(values.data(), {frames, height, width, planes_[i].count});
    const torch::Tensor finite = torch::isfinite(stored).flatten(1).all(1);
    if (!finite.all().item<bool>()) {
      throw Error(
          fmt::format("'{}': trajectory {} has a non-finite number in the field '{}' at frame {}; "
                      "data.damaged=skip skips such trajectories",
                      file_.path(), number, d.fields[fields_[i]].name,
                      finite.to(torch::kInt64).argmin().item<std::int64_t>()));
    }
    result.narrow(1, planes_[i].first, planes_[i].count).copy_(network_form(stored));
  }
  return result;
}

torch::Tensor TrajectoryStore::trajectory(int number) {
  {
    const std::scoped_lock lock(keeping_);
    if (const auto found = kept_.find(number); found != kept_.end()) return found->second;
  }
  torch::Tensor frames = read(number);
  normalisation_.apply_(frames);
  const auto size = static_cast<std::int64_t>(frames.nbytes());
  const std::scoped_lock lock(keeping_);
  if (bytes_ + size <= limit_ && kept_.emplace(number, frames).second) bytes_ += size;
  return frames;
}

std::int64_t TrajectoryStore::bytes() const {
  const std::scoped_lock lock(keeping_);
  return bytes_;
}

}  // namespace gcan::train
