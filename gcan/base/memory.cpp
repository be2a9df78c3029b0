#include "gcan/base/memory.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace gcan::base {
namespace {

namespace fs = std::filesystem;
constexpr double kNone = std::numeric_limits<double>::infinity();

// The number after a key such as "MemAvailable:" [kB] or "inactive_file" in a text file; `otherwise` if there
// is none.
double number_behind(const fs::path& path, const std::string& key, double otherwise) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    double number = 0;
    if (word == key && file >> number) return number;
  }
  return otherwise;
}

double only_number(const fs::path& path) {
  std::ifstream file(path);
  double number = kNone;
  if (!(file >> number)) return kNone;  // "max" means no limit
  return number;
}

// What one group leaves; the page cache can be reclaimed.
double left_in(const fs::path& group, const char* limit, const char* used, const char* kept) {
  const double most = only_number(group / limit), now = only_number(group / used);
  if (most == kNone || now == kNone) return kNone;
  return std::max(0.0, most - now + number_behind(group / "memory.stat", kept, 0));
}

// The minimum over the process's group and its parents.
double cgroups_leave(const fs::path& root) {
  double least = kNone;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string kind = line.substr(first + 1, second - first - 1);
    const bool unified = kind.empty();
    if (!unified && kind != "memory") continue;
    const fs::path top = root / (unified ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
    fs::path group = top / fs::path(line.substr(second + 1)).relative_path();
    for (;; group = group.parent_path()) {
      least = std::min(least, unified ? left_in(group, "memory.max", "memory.current", "inactive_file")
                                      : left_in(group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                                "total_inactive_file"));
      if (group == top || group.string().size() <= top.string().size()) break;
    }
  }
  return least;
}

double status_bytes(const std::string& key) {
  return 1024 * number_behind("/proc/self/status", key + ":", 0);
}

double address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNone;
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - status_bytes("VmSize"));
}

}  // namespace

double free_memory(const fs::path& root) {
  const double available = 1024 * number_behind(root / "proc/meminfo", "MemAvailable:", kNone);
  return std::min({available, cgroups_leave(root), address_space_left()});
}

MemoryLimit::MemoryLimit(double growth) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  former_ = limit.rlim_cur;
  const double wanted = status_bytes("VmSize") + growth;
  if (wanted < static_cast<double>(limit.rlim_cur)) limit.rlim_cur = static_cast<rlim_t>(wanted);
  setrlimit(RLIMIT_AS, &limit);
}

MemoryLimit::~MemoryLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = former_;
  setrlimit(RLIMIT_AS, &limit);
}

double peak_growth_here(const std::function<void()>& work) {
  malloc_trim(0);
  // 5 resets the peak to the current use.
  std::ofstream("/proc/self/clear_refs") << "5";
  const double before = status_bytes("VmRSS");
  work();
  return std::max(0.0, status_bytes("VmHWM") - before);
}

}  // namespace gcan::base
