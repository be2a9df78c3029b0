#include "gcan/data/generate.h"

#include "gcan/data/generation.h"

namespace gcan::data {

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
    for (const Range& range : ranges_of(missing, description)) {
      run(range, [&](int trajectory, const Trajectory& data, const std::string& failure) {
        writer.write(trajectory, data);
        if (observer.trajectory) observer.trajectory(failure);
      });
    }
    writer.finish();
  }
  const WellReader reader(options.out);
  for (int i = 0; i < description.trajectories(); ++i)
    if (std::string failure = reader.failure(i); !failure.empty()) outcome.failures.push_back(failure);
  return outcome;
}

}  // namespace gcan::data
