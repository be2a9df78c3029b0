#include "gcan/cli/frame/runtime.h"

#include <dlfcn.h>

#include "gcan/cli/frame/environment.h"
#include "gcan/cli/frame/threads.h"
#include "gcan/torch.h"

namespace gcan::cli {
namespace {

// Looks up OpenBLAS's functions by name, because torch may use another BLAS.
template <typename Function>
Function* find_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

int set_blas_threads(int threads, bool forced) {
  auto* set = find_function<void(int)>("openblas_set_num_threads");
  auto* get = find_function<int()>("openblas_get_num_threads");
  if (set != nullptr && (forced || !environment("OPENBLAS_NUM_THREADS"))) set(threads);
  return get != nullptr ? get() : 0;
}

// ATen accepts this setting only once.
void set_interop_threads() {
  static const bool once = [] {
    at::set_num_interop_threads(1);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

Runtime set_threads(std::optional<int> threads) {
  c10::initLogging();  // reads the log level; LibTorch 2.6 does not by itself
  const Threads chosen = choose_threads(threads);
  Runtime result{chosen.number, chosen.from};
  set_interop_threads();
  at::set_num_threads(result.threads);
  result.blas_threads = set_blas_threads(result.threads, threads.has_value());
  return result;
}

Blas blas() {
  Blas result;
  Dl_info info{};
  void* sgemm = dlsym(RTLD_DEFAULT, "sgemm_");
  if (sgemm != nullptr && dladdr(sgemm, &info) != 0) result.library = info.dli_fname;
  if (auto* config = find_function<char*()>("openblas_get_config")) result.config = config();
  return result;
}

std::string torch_version() { return TORCH_VERSION; }

}  // namespace gcan::cli
