#include "gcan/data/generate.h"

#include <fmt/format.h>

#include <filesystem>

#include "gcan/base/error.h"
#include "gcan/data/generation.h"

namespace gcan::data {
namespace {

std::vector<Split> useless_splits(const WellReader& reader) {
  std::array<int, 3> complete{};
  const Description& d = reader.description();
  for (int i = 0; i < d.trajectories(); ++i) {
    if (reader.status(i) == Status::kComplete) ++complete[static_cast<std::size_t>(d.split_of(i))];
  }
  std::vector<Split> useless;
  for (const Split split : kSplits) {
    const auto i = static_cast<std::size_t>(split);
    if (d.splits[i] > 0 && complete[i] == 0) useless.push_back(split);
  }
  return useless;
}

}  // namespace

std::vector<Range> ranges_of(const std::vector<int>& trajectories, const Description& description) {
  std::vector<Range> ranges;
  for (const int i : trajectories) {
    const bool follows = !ranges.empty() && ranges.back().first + ranges.back().count == i &&
                         description.split_of(i) == description.split_of(ranges.back().first);
    if (follows)
      ++ranges.back().count;
    else
      ranges.push_back({i, 1});
  }
  return ranges;
}

SetOptions part_of(const SetOptions& whole, int rank, int size) {
  SetOptions part = whole;
  part.whole = whole.splits;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto count = static_cast<std::int64_t>(whole.splits[i]);
    const auto begin = static_cast<int>(count * rank / size),
               end = static_cast<int>(count * (rank + 1) / size);
    part.first[i] = whole.first[i] + begin;
    part.splits[i] = end - begin;
  }
  // Zero-padded to the width of the last rank, so that shell patterns list the parts in order.
  std::string number = std::to_string(rank);
  number.insert(0, std::to_string(size - 1).size() - number.size(), '0');
  const std::filesystem::path out(whole.out);
  part.out = (out.parent_path() / (out.stem().string() + "-" + number + out.extension().string())).string();
  return part;
}

void mark_part(Description& description, const SetOptions& options) {
  if (options.whole == std::array<int, 3>{}) return;
  for (const auto& [prefix, numbers] :
       {std::pair(kFirstOfPart, options.first), std::pair(kWholeOfPart, options.whole)}) {
    for (std::size_t i = 0; i < 3; ++i) {
      description.options.push_back({std::string(prefix) + kSplitNames[i], std::int64_t{numbers[i]}, "1"});
    }
  }
}

Trajectory& RunningTrajectories::at(std::int64_t number) {
  const auto [found, is_new] = running_.try_emplace(number);
  if (is_new) found->second = empty_trajectory(description_);
  return found->second;
}

void RunningTrajectories::finish(std::int64_t number, int failed_step, const std::string& failed_field,
                                 const std::string& message) {
  Trajectory& data = at(number);
  data.failed_step = failed_step;
  if (failed_step >= 0) data.failed_field = failed_field;
  done_(range_.first + static_cast<int>(number - description_.number_of(range_.first)), data, message);
  running_.erase(number);
}

void record_run(Description& description, const std::array<int, 3>& splits) {
  description.options.push_back({"generator", std::string(kGenerator), "1"});
  for (std::size_t i = 0; i < splits.size(); ++i)
    description.options.push_back({kSplitNames[i], std::int64_t{splits[i]}, "1"});
  description.splits = splits;
}

Outcome run_generation(const Description& description, const SetOptions& options, const Observer& observer,
                       const RangeRunner& run) {
  Outcome outcome;
  if (already_written(options.out, description)) {
    outcome.was_there = true;
  } else {
    WellWriter writer(options.out, description, options.compress);
    const auto missing = writer.missing();
    const int total = description.trajectories();
    if (observer.begin) observer.begin(total, total - static_cast<int>(missing.size()), writer.damaged());
    std::string first;
    for (const Range& range : ranges_of(missing, description)) {
      run(range, [&](int trajectory, const Trajectory& data, const std::string& failure) {
        writer.write(trajectory, data);
        if (first.empty()) first = failure;
        if (observer.trajectory) observer.trajectory(failure);
      });
    }
    if (writer.complete() == 0) {
      writer.discard();
      throw Error(fmt::format(
          "{}: not written, because {} became unstable ({}); try a smaller --time-step", options.out,
          total == 1 ? "its only trajectory" : fmt::format("all of its {} trajectories", total), first));
    }
    writer.finish();
  }
  const WellReader reader(options.out);
  for (int i = 0; i < description.trajectories(); ++i)
    if (std::string failure = reader.failure(i); !failure.empty()) outcome.failures.push_back(failure);
  outcome.useless = useless_splits(reader);
  return outcome;
}

}  // namespace gcan::data
