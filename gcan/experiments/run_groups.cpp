#include "gcan/experiments/run_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "gcan/base/error.h"
#include "gcan/train/data_check.h"

namespace gcan::experiments {
namespace {

namespace fs = std::filesystem;

void check_same_data(const std::string& folder, const std::string& file) {
  if (train::same_data(folder, *train::task_of(folder, file))) return;
  throw Error(fmt::format(
      "'{}' is not the data of the run '{}', on which its errors were measured; use the file that "
      "was moved, or evaluate on another one with 'gcan evaluate {} --data {}'",
      file, folder, folder, file));
}

void name_runs(RunGroup& group) {
  std::multiset<std::string> titles;
  for (ReportedRun& run : group.runs) {
    run.name = train::run_config(run.folder).network().title;
    titles.insert(run.name);
  }
  for (ReportedRun& run : group.runs) {
    if (titles.count(run.name) < 2) continue;
    const fs::path path = fs::path(run.folder + "/.").lexically_normal().parent_path();
    run.name += fmt::format(" ({})", path.filename().string());
  }
}

// Numbers groups with equal titles.
void tell_apart(std::vector<RunGroup>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string title = groups[i].title;
    std::size_t number = 1;
    for (std::size_t k = i + 1; k < groups.size(); ++k)
      if (groups[k].title == title) groups[k].title += fmt::format(" ({})", ++number);
    if (number > 1) groups[i].title += " (1)";
  }
}

}  // namespace

std::vector<RunGroup> grouped(const std::vector<std::string>& folders, const std::string& data_file) {
  std::vector<RunGroup> groups;
  std::vector<std::string> keys;
  for (const std::string& folder : folders) {
    const std::string key = train::comparison_key(folder);
    if (!data_file.empty()) check_same_data(folder, data_file);
    const auto at = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
    if (at == keys.size()) {
      keys.push_back(key);
      groups.push_back({train::data_title(folder), train::run_config(folder).data_kind, {}});
    }
    groups[at].runs.push_back({"", folder, data_file});
  }
  for (RunGroup& group : groups) name_runs(group);
  tell_apart(groups);
  return groups;
}

train::Split shown_split(const ReportedRun& run) {
  return train::recorded(run.folder, "test") == "0" ? train::Split::valid : train::Split::test;
}

}  // namespace gcan::experiments
