#include "gcan/base/cpu.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gcan::base {
namespace {

namespace fs = std::filesystem;

int affinity_count() {
  // The kernel rejects a mask smaller than its own, and its size cannot be queried: try larger ones.
  constexpr int kMostCores = 1 << 20;
  for (int size = CPU_SETSIZE; size <= kMostCores; size *= 2) {
    const auto free_mask = [](cpu_set_t* mask) { CPU_FREE(mask); };
    const std::unique_ptr<cpu_set_t, decltype(free_mask)> mask(CPU_ALLOC(static_cast<std::size_t>(size)),
                                                               free_mask);
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(size));
    if (sched_getaffinity(0, bytes, mask.get()) == 0) return CPU_COUNT_S(bytes, mask.get());
  }
  return 1;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// One mounted cgroup hierarchy that controls CPU time, and where in it the process is.
struct Hierarchy {
  fs::path mount;   // where it is mounted
  fs::path inside;  // the process's cgroup, relative to the mount
  bool unified = false;
};

// proc/self/cgroup has lines "id:controllers:path"; version 2 is the line with no controllers.
std::optional<std::string> cgroup_path(const fs::path& root, bool unified) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : contains(split(controllers, ','), "cpu")) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

// In a container the mount often shows only part of the hierarchy (mountinfo's "root" field), while the
// process's path starts at the top: remove the part that is not mounted.
fs::path below(const std::string& path, const std::string& mount_root) {
  if (mount_root != "/" && path.starts_with(mount_root)) {
    return fs::path(path.substr(mount_root.size())).relative_path();
  }
  return fs::path(path).relative_path();
}

// proc/self/mountinfo: id parent device root mount-point options... - type source super-options
std::vector<Hierarchy> cpu_hierarchies(const fs::path& root) {
  std::vector<Hierarchy> found;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    const bool unified = dash[1] == "cgroup2";
    if (!unified && !(dash[1] == "cgroup" && contains(split(dash[3], ','), "cpu"))) continue;
    if (const auto path = cgroup_path(root, unified)) {
      found.push_back({root / fs::path(fields[4]).relative_path(), below(*path, fields[3]), unified});
    }
  }
  return found;
}

// Version 2 has "max 100000" or "150000 100000" (allowed microseconds, period) in one file; version 1 has two
// files, and -1 for no limit.
std::optional<double> quota_of_folder(const fs::path& folder, bool unified) {
  double allowed = -1;
  double period = 0;
  if (unified) {
    std::ifstream(folder / "cpu.max") >> allowed >> period;
  } else {
    std::ifstream(folder / "cpu.cfs_quota_us") >> allowed;
    std::ifstream(folder / "cpu.cfs_period_us") >> period;
  }
  if (allowed > 0 && period > 0) return allowed / period;
  return std::nullopt;
}

}  // namespace

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

bool has_bfloat16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

bool has_amx_bfloat16() {
#if defined(__x86_64__)
  // g++ 12's __builtin_cpu_supports has no name for it; leaf 7, register EDX, see Intel's manual.
  constexpr unsigned kAmxBfloat16 = 1U << 22;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAmxBfloat16) != 0;
#else
  return false;
#endif
}

int Cores::usable() const {
  const double limit = std::min(static_cast<double>(affinity), quota.value_or(affinity));
  return std::max(1, static_cast<int>(std::ceil(limit)));
}

Cores cores() {
  const int online = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return {online, affinity_count(), cgroup_quota()};
}

std::optional<double> cgroup_quota(const fs::path& root) {
  std::optional<double> least;
  for (const Hierarchy& hierarchy : cpu_hierarchies(root)) {
    fs::path folder = hierarchy.mount;
    auto take = [&] {
      const auto quota = quota_of_folder(folder, hierarchy.unified);
      if (quota) least = std::min(*quota, least.value_or(*quota));
    };
    take();
    for (const fs::path& part : hierarchy.inside) {
      folder /= part;
      take();
    }
  }
  return least;
}

}  // namespace gcan::base
