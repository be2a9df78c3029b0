#include "gcan/cli/runtime.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <sstream>

#include "gcan/kernels/cpu.h"
#include "gcan/torch.h"

namespace gcan::cli {
namespace {

// Names the variables that gcan itself has put into the environment, so that after the restart, and in
// programs that gcan starts, they are not taken for the user's. Its presence also guards the restart.
constexpr const char* kMark = "GCAN_HAS_SET";
constexpr const char* kWaitPolicy = "OMP_WAIT_POLICY";
constexpr const char* kCapability = "ATEN_CPU_CAPABILITY";

std::optional<std::string> environment(const char* name) {
  // gcan has one thread when it reads and writes its environment: first thing in main.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::vector<std::string> marked() {
  std::vector<std::string> names;
  std::istringstream list(environment(kMark).value_or(""));
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

bool is_marked(std::string_view name) {
  const auto names = marked();
  return std::find(names.begin(), names.end(), name) != names.end();
}

void set_and_mark(const char* name, const char* value) {
  const auto before = environment(kMark);
  const std::string mark = before ? *before + "," + name : name;
  setenv(name, value, 1);           // NOLINT(concurrency-mt-unsafe)
  setenv(kMark, mark.c_str(), 1);   // NOLINT(concurrency-mt-unsafe)
}

Variable describe(const char* name) {
  const auto value = environment(name);
  return {name, value, value && !is_marked(name)};
}

std::optional<int> positive_number(const char* name) {
  const std::string text = environment(name).value_or("");
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);  // "4,2" means 4 at the outer level
  return number > 0 ? std::optional(number) : std::nullopt;
}

// OpenBLAS's functions are looked up by name because torch may have been built with another BLAS.
template <typename Function>
Function* find_symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

int set_blas_threads(int threads, bool forced) {
  auto* set = find_symbol<void(int)>("openblas_set_num_threads");
  auto* get = find_symbol<int()>("openblas_get_num_threads");
  if (set != nullptr && (forced || !environment("OPENBLAS_NUM_THREADS"))) set(threads);
  return get != nullptr ? get() : 0;
}

}  // namespace

const Variable& Runtime::variable(std::string_view name) const {
  return *std::find_if(environment.begin(), environment.end(), [&](const auto& v) { return v.name == name; });
}

void prepare_environment() {
  if (kernels::has_avx512() && !environment(kCapability)) set_and_mark(kCapability, "avx512");
}

void restart_with_passive_waiting(char** argv) {
  // GOMP_SPINCOUNT is libgomp's finer way to say the same.
  if (environment(kWaitPolicy) || environment("GOMP_SPINCOUNT") || is_marked(kWaitPolicy)) return;
  std::array<char, PATH_MAX> path{};
  // The name itself rather than /proc/self/exe, which would show as "exe" in ps.
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0) return;
  set_and_mark(kWaitPolicy, "passive");
  execv(path.data(), argv);
  // Not possible here: go on, but do not claim a setting that libgomp has not seen.
  unsetenv(kWaitPolicy);  // NOLINT(concurrency-mt-unsafe)
}

Runtime set_threads(std::optional<int> threads) {
  Runtime result;
  if (threads) {
    result.threads = *threads;
    result.threads_from = "--threads";
  } else if (const auto wanted = positive_number("OMP_NUM_THREADS")) {
    result.threads = *wanted;
    result.threads_from = "OMP_NUM_THREADS";
  } else {
    result.threads = kernels::cores().usable();
    result.threads_from = "every core gcan may run on";
  }
  at::set_num_threads(result.threads);
  at::set_num_interop_threads(1);
  result.threads = at::get_num_threads();
  result.blas_threads = set_blas_threads(result.threads, threads.has_value());

  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", kWaitPolicy,
                           "GOMP_SPINCOUNT", kCapability, "DNNL_MAX_CPU_ISA", "OPENBLAS_CORETYPE"}) {
    result.environment.push_back(describe(name));
  }
  const auto policy = environment(kWaitPolicy).value_or("");
  result.waits_passively = policy == "passive" || policy == "PASSIVE" || environment("GOMP_SPINCOUNT") == "0";
  return result;
}

Blas blas() {
  Blas result;
  Dl_info info{};
  void* sgemm = dlsym(RTLD_DEFAULT, "sgemm_");
  if (sgemm != nullptr && dladdr(sgemm, &info) != 0) result.library = info.dli_fname;
  if (auto* config = find_symbol<char*()>("openblas_get_config")) result.config = config();
  return result;
}

std::string aten_capability() {
  // LibTorch has a function for it only from 2.x on; this text has been there all along.
  constexpr std::string_view kKey = "CPU capability usage: ";
  const std::string config = at::show_config();
  const auto start = config.find(kKey);
  if (start == std::string::npos) return "unknown";
  const auto from = start + kKey.size();
  return config.substr(from, config.find_first_of(" \n", from) - from);
}

std::string torch_version() { return TORCH_VERSION; }

}  // namespace gcan::cli
