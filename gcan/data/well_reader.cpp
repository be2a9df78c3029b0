// WellReader: one file in The Well's layout, or several as one data set.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gcan/base/error.h"
#include "gcan/data/file_names.h"
#include "gcan/data/generation.h"
#include "gcan/data/well_file.h"
#include "gcan/data/well_layout.h"
#include "gcan/data/well_part.h"

namespace gcan::data {
namespace {

using Numbers = std::array<std::int64_t, 3>;
using Parts = std::vector<std::unique_ptr<const WellPart>>;

// The options that all parts of a set share.
std::vector<Parameter> shared_options(const Description& d) {
  std::vector<Parameter> options;
  for (const Parameter& option : d.options) {
    const bool is_of_part = std::any_of(kSplitNames.begin(), kSplitNames.end(), [&](const std::string split) {
      return option.name == split || option.name == kFirstOfPart + split;
    });
    if (!is_of_part) options.push_back(option);
  }
  return options;
}

// A number per split that a part records.
std::optional<Numbers> recorded(const Description& d, const std::string& prefix) {
  Numbers numbers{};
  bool all = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto option = std::find_if(d.options.begin(), d.options.end(),
                                     [&](const Parameter& p) { return p.name == prefix + kSplitNames[i]; });
    const auto* number = option == d.options.end() ? nullptr : std::get_if<std::int64_t>(&option->value);
    all = all && number != nullptr;
    if (number != nullptr) numbers[i] = *number;
  }
  return all ? std::optional(numbers) : std::nullopt;
}

Numbers first_of(const WellPart& part) {
  return recorded(part.description(), kFirstOfPart).value_or(Numbers{});
}

// The difference between the contents of two files that prevents them from forming one set; empty if there is
// none.
std::string different_contents(const Description& a, const Description& b) {
  if (a.dataset != b.dataset) return fmt::format("the data set {} (there {})", a.dataset, b.dataset);
  if (std::string options = difference(shared_options(a), shared_options(b)); !options.empty())
    return options;
  for (std::size_t i = 0; i < 2; ++i) {
    if (a.space[i].values != b.space[i].values)
      return fmt::format("the points along {} are others", a.space[i].name);
  }
  if (a.frame_times != b.frame_times) return "the times of the frames are others";
  const auto same = [](const FieldInfo& x, const FieldInfo& y) {
    return x.name == y.name && x.components == y.components;
  };
  if (!std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), same))
    return "the fields are others";
  return "";
}

void check_contents(const Parts& parts) {
  for (const auto& part : parts) {
    const std::string differs = different_contents(parts.front()->description(), part->description());
    if (!differs.empty()) {
      throw Error(fmt::format("'{}' and '{}' are not parts of one set: {}", parts.front()->path(),
                              part->path(), differs));
    }
  }
}

// Every trajectory of the set must be in exactly one part, and the parts must be in order.
void check_complete(const Parts& parts) {
  Numbers next{};
  for (const auto& part : parts) {
    const Numbers first = first_of(*part);
    const Description& d = part->description();
    for (std::size_t i = 0; i < 3; ++i) {
      // A part without trajectories of a split may be anywhere.
      if (d.splits[i] > 0 && first[i] != next[i]) {
        throw Error(fmt::format("'{}' begins with trajectory {} of the split '{}', expected {}: a part is {}",
                                part->path(), first[i], kSplitNames[i], next[i],
                                first[i] > next[i] ? "missing" : "repeated"));
      }
      next[i] += d.splits[i];
    }
  }
  const auto whole = recorded(parts.front()->description(), kWholeOfPart);
  for (std::size_t i = 0; whole && i < 3; ++i) {
    if (next[i] == (*whole)[i]) continue;
    throw Error(fmt::format(
        "the files from '{}' on have {} of the {} trajectories of the split '{}': a part is missing",
        parts.front()->path(), next[i], (*whole)[i], kSplitNames[i]));
  }
}

Description joined_description(const Parts& parts) {
  Description whole = parts.front()->description();
  whole.splits = {};
  for (const auto& part : parts) {
    for (std::size_t i = 0; i < 3; ++i) whole.splits[i] += part->description().splits[i];
  }
  if (whole.options.empty()) return whole;
  whole.options = shared_options(whole);
  std::erase_if(whole.options, [](const Parameter& p) { return p.name.starts_with(kWholeOfPart); });
  for (std::size_t i = 0; i < 3; ++i) {
    whole.options.push_back({kSplitNames[i], std::int64_t{whole.splits[i]}, "1"});
  }
  return whole;
}

}  // namespace

WellReader::WellReader(const std::string& name, Hdf5File::Mode mode) : path_(name) {
  if (is_list(name)) {
    read_parts(files_named(name));
    return;
  }
  parts_.push_back(std::make_unique<WellPart>(name, mode));
  description_ = parts_.front()->description();
  find_places();
}

WellReader::WellReader(const std::vector<std::string>& files)
    : path_(files.size() == 1 ? files.front() : fmt::format("{} and others", files.front())) {
  read_parts(files);
}

WellReader::~WellReader() = default;
WellReader::WellReader(WellReader&&) noexcept = default;

void WellReader::read_parts(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    parts_.push_back(std::make_unique<WellPart>(file, Hdf5File::Mode::kRead));
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const auto& a, const auto& b) { return first_of(*a) < first_of(*b); });
  check_contents(parts_);
  // Files from other programs do not record their position; their trajectories are concatenated.
  if (!parts_.front()->description().options.empty()) check_complete(parts_);
  description_ = joined_description(parts_);
  find_places();
}

// The order of trajectories in a set: split by split, and part by part within a split.
void WellReader::find_places() {
  for (const Split split : kSplits) {
    for (const auto& part : parts_) {
      for (int i = 0; i < part->description().trajectories(); ++i)
        if (part->description().split_of(i) == split) places_.push_back({part.get(), i});
    }
  }
}

const WellReader::Place& WellReader::place(int trajectory) const {
  if (trajectory < 0 || trajectory >= description_.trajectories())
    throw Error(fmt::format("{}: there is no trajectory {}; the file has {}, counted from 0", path(),
                            trajectory, description_.trajectories()));
  return places_[static_cast<std::size_t>(trajectory)];
}

Status WellReader::status(int trajectory) const {
  const Place& at = place(trajectory);
  return at.part->status(at.trajectory);
}

std::string WellReader::failure(int trajectory) const {
  const Place& at = place(trajectory);
  if (at.part->status(at.trajectory) != Status::kFailed) return "";
  const std::string field = at.part->failed_field(at.trajectory);
  return fmt::format("trajectory {} became unstable at step {} in the field {}", trajectory,
                     at.part->failed_step(at.trajectory), field.empty() ? "unknown" : field);
}

std::vector<double> WellReader::start(int trajectory) const {
  const Place& at = place(trajectory);
  return at.part->start(at.trajectory);
}

std::vector<float> WellReader::field(std::size_t field, int trajectory) const {
  const Place& at = place(trajectory);
  return at.part->field(field, at.trajectory);
}

Trajectory WellReader::trajectory(int trajectory) const {
  const Place& at = place(trajectory);
  Trajectory result;
  for (std::size_t f = 0; f < description_.fields.size(); ++f)
    result.fields.push_back(at.part->field(f, at.trajectory));
  result.start = at.part->start(at.trajectory);
  if (at.part->status(at.trajectory) != Status::kFailed) return result;
  result.failed_step = at.part->failed_step(at.trajectory);
  result.failed_field = at.part->failed_field(at.trajectory);
  return result;
}

std::vector<float> WellReader::frame(std::size_t field, int trajectory, std::size_t frame) const {
  const Place& at = place(trajectory);
  if (frame >= description_.frames())
    throw Error(fmt::format("{}: there is no frame {}; a trajectory has {}, counted from 0", path(), frame,
                            description_.frames()));
  return at.part->frame(field, at.trajectory, frame);
}

std::size_t WellReader::field_index(const std::string& name) const {
  std::string known;
  for (std::size_t i = 0; i < description_.fields.size(); ++i) {
    if (description_.fields[i].name == name) return i;
    known.append(known.empty() ? "" : ", ").append(description_.fields[i].name);
  }
  throw Error(fmt::format("{}: there is no field '{}'; the file has {}", path(), name, known));
}

std::optional<FieldStatistics> WellReader::statistics(std::size_t field) const {
  FieldStatistics result;
  for (const auto& part : parts_) {
    if (!part->own()) return {};
    join_training_moments(part->file(), part->description(), description_.fields.at(field),
                          result.components);
  }
  return result;
}

}  // namespace gcan::data
