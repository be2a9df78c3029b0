#include "gcan/cli/frame/environment.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "gcan/base/cpu.h"
#include "gcan/base/error.h"

namespace gcan::cli {
namespace {

// Lists the variables that gcan has set.
constexpr const char* kMark = "GCAN_HAS_SET";
constexpr const char* kWaitPolicy = "OMP_WAIT_POLICY";
constexpr const char* kSpinCount = "GOMP_SPINCOUNT";
constexpr const char* kCapability = "ATEN_CPU_CAPABILITY";
constexpr const char* kDnnlIsa = "DNNL_MAX_CPU_ISA";
constexpr const char* kBlasCore = "OPENBLAS_CORETYPE";
constexpr const char* kMalloc = "GLIBC_TUNABLES";

bool is_marked(std::string_view name) {
  std::istringstream list(environment(kMark).value_or(""));
  for (std::string entry; std::getline(list, entry, ',');) {
    if (entry == name) return true;
  }
  return false;
}

// Settings that make torch fast on this machine, except those that the user has set.
std::vector<Setting> missing_settings() {
  std::vector<Setting> settings;
  const auto propose = [&](const char* name, const char* value) {
    if (!environment(name)) settings.push_back({name, value});
  };
  // Idle libgomp threads spin by default and compete with OpenBLAS's threads, which halves the speed.
  // GOMP_SPINCOUNT controls the same, so it is respected if set.
  if (!environment(kSpinCount)) propose(kWaitPolicy, "passive");
  // By default glibc returns large blocks to the system when freed, and the system clears their pages on
  // every allocation: 45 of 75 ms for GELU, forward and backward, on 57 MB. These settings keep the blocks in
  // the heap.
  propose(kMalloc,
          "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1099511627776:glibc.malloc.top_pad=67108864");
  if (base::has_avx512()) {
    // ATen defaults to AVX2; with AVX-512 its silu and exp are 1.8 times as fast.
    propose(kCapability, "avx512");
    // OpenBLAS 0.3.21 does not know Emerald Rapids CPUs and falls back to its SSE kernels (Prescott): 33
    // GFLOPS on one thread, against 157 with SkylakeX's. Cooperlake's were no faster there.
    propose(kBlasCore, "SkylakeX");
  }
  // With Debian's oneDNN (2.6.3 in LibTorch 1.13, 3.7 with 2.6), bfloat16 matrix products on CPUs with AMX
  // tiles crashed with an illegal instruction (tilezero) although the kernel allows AMX; the reason is
  // unknown. They work without AMX.
  if (base::has_amx_bfloat16()) propose(kDnnlIsa, "AVX512_CORE_BF16");
  return settings;
}

// With less, OpenBLAS hangs or crashes before main() while allocating its buffers: measured with 2 cores,
// plus a stack and a buffer for each further core.
void check_memory_limit() {
  rlimit limit{};
  const rlim_t needed =
      800'000'000 + 40'000'000 * static_cast<rlim_t>(std::max(base::cores().usable() - 2, 0));
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed)
    return;
  throw Error(
      fmt::format("there is not enough memory for this: the limit (ulimit -v) is {} MB, but LibTorch and its "
                  "libraries need {} MB to start; raise the limit",
                  limit.rlim_cur / 1'000'000, needed / 1'000'000));
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it meanwhile
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::vector<Variable> compute_environment() {
  std::vector<Variable> variables;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", kWaitPolicy,
                           kSpinCount, kCapability, kDnnlIsa, kBlasCore, kMalloc}) {
    const auto value = environment(name);
    variables.push_back({name, value, value && !is_marked(name)});
  }
  return variables;
}

std::vector<Setting> wanted_environment() {
  auto settings = missing_settings();
  std::string mark = environment(kMark).value_or("");
  for (const Setting& setting : settings) mark += (mark.empty() ? "" : ",") + setting.name;
  if (!settings.empty()) settings.push_back({kMark, mark});
  return settings;
}

void become_torch_program(char** argv) {
  check_memory_limit();
  for (const auto& [name, value] : wanted_environment()) {
    setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): gcan has one thread here
  }
  // LibTorch would log a failed connection besides our message; with glog, as in Debian, and without.
  setenv("GLOG_minloglevel", "3", 0);         // NOLINT(concurrency-mt-unsafe)
  setenv("TORCH_CPP_LOG_LEVEL", "FATAL", 0);  // NOLINT(concurrency-mt-unsafe)
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto other = (self.parent_path() / GCAN_TORCH_PROGRAM).lexically_normal();
  execv(other.c_str(), argv);
  throw Error(fmt::format("cannot start {}, a part of gcan: {}; reinstall gcan", other.string(),
                          std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe): one thread
}

}  // namespace gcan::cli
