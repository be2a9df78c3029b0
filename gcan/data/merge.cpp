#include "gcan/data/merge.h"

#include <fmt/format.h>

#include "gcan/base/error.h"

namespace gcan::data {
<<<<<<< HEAD
namespace {

using Numbers = std::array<std::int64_t, 3>;

bool is_of_part(const std::string& name) {
  return std::any_of(kSplitNames.begin(), kSplitNames.end(), [&](const char* split) {
    return name == split || name == std::string(kFirstOfPart) + split;
  });
}

// The options that all parts of a set share.
std::vector<Parameter> shared_options(const Description& d) {
  std::vector<Parameter> options;
  for (const Parameter& option : d.options) {
    if (!is_of_part(option.name)) options.push_back(option);
  }
  return options;
}

struct Part {
  std::unique_ptr<WellReader> reader;
  Numbers first{};  // first trajectory of each split in the whole set
};

Part open_part(const std::string& file) {
  Part part{std::make_unique<WellReader>(file)};
  const Description& d = part.reader->description();
  if (d.options.empty()) throw Error(fmt::format("'{}' was not written by 'gcan simulate'", file));
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Parameter& option : d.options) {
      if (option.name != std::string(kFirstOfPart) + kSplitNames[i]) continue;
      if (const auto* number = std::get_if<std::int64_t>(&option.value)) part.first[i] = *number;
    }
  }
  return part;
}

std::vector<Part> open_parts(const std::vector<std::string>& files) {
  std::vector<Part> parts;
  parts.reserve(files.size());
  for (const std::string& file : files) parts.push_back(open_part(file));
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.first < b.first; });
  const Description& d = parts.front().reader->description();
  Numbers next{};
  for (const Part& part : parts) {
    const Description& other = part.reader->description();
    const std::string differs = d.dataset != other.dataset
                                    ? fmt::format("the data set {} (there {})", d.dataset, other.dataset)
                                    : difference(shared_options(d), shared_options(other));
    if (!differs.empty()) {
      throw Error(fmt::format("'{}' and '{}' are not parts of one set: {}", parts.front().reader->path(),
                              part.reader->path(), differs));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      // A part without trajectories of a split fits anywhere.
      if (other.splits[i] > 0 && part.first[i] != next[i]) {
        throw Error(fmt::format("'{}' begins with trajectory {} of the split '{}', expected {}: a part is {}",
                                part.reader->path(), part.first[i], kSplitNames[i], next[i],
                                part.first[i] > next[i] ? "missing" : "repeated"));
      }
      next[i] += other.splits[i];
    }
  }
  return parts;
}

Description whole_description(const std::vector<Part>& parts) {
  Description whole = parts.front().reader->description();
  whole.splits = {};
  for (const Part& part : parts) {
    for (std::size_t i = 0; i < 3; ++i) whole.splits[i] += part.reader->description().splits[i];
  }
  whole.options = shared_options(whole);
  for (std::size_t i = 0; i < 3; ++i) {
    whole.options.push_back({kSplitNames[i], std::int64_t{whole.splits[i]}, "1"});
  }
  return whole;
}

// The parts that hold the trajectories of the whole set, by trajectory number.
struct Place {
  const WellReader* reader;
  int trajectory;
};

std::map<std::int64_t, Place> places(const std::vector<Part>& parts) {
  std::map<std::int64_t, Place> result;
  for (const Part& part : parts) {
    const Description& d = part.reader->description();
    for (int i = 0; i < d.trajectories(); ++i) result.emplace(d.number_of(i), Place{part.reader.get(), i});
  }
  return result;
}

}  // namespace
=======
>>>>>>> d2738f373bf1d8dbd3f502fcc00cbadb520d5cc3

void merge_files(const std::vector<std::string>& files, const std::string& out, bool compress) {
  const WellReader parts(files);
  const Description& whole = parts.description();
  if (whole.options.empty())
    throw Error(fmt::format("'{}' was not written by 'gcan simulate'", files.front()));
  if (already_written(out, whole)) return;
  WellWriter writer(out, whole, compress);
  for (const int i : writer.missing()) writer.write(i, parts.trajectory(i));
  writer.finish();
}

}  // namespace gcan::data
