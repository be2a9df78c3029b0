#pragma once

// The settings of the process that decide how fast torch computes: threads of ATen, threads of OpenBLAS,
// how idle threads wait, and ATen's SIMD level. By itself torch takes half the cores and AVX2, and libgomp's
// spinning threads take the cores that OpenBLAS's need; together that costs more than half the speed. The
// settings belong to the program: the library never changes them in a host program.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gcan::cli {

// An environment variable that these settings depend on.
struct Variable {
  std::string name;
  std::optional<std::string> value;
  bool set_by_user = false;  // otherwise by gcan, where it has a value
};

// What was found and what was set.
struct Runtime {
  int threads = 1;              // of ATen (and OpenBLAS, where OPENBLAS_NUM_THREADS does not say otherwise)
  std::string threads_from;     // who decided on them
  int blas_threads = 0;         // of OpenBLAS's own pool; 0 where the BLAS is another one
  bool waits_passively = true;  // whether idle OpenMP threads sleep
  std::vector<Variable> environment;

  const Variable& variable(std::string_view name) const;
};

// Sets what ATen reads from the environment at its first use. Call before anything of torch.
void prepare_environment();

// Starts the program anew, once, where libgomp must see another OMP_WAIT_POLICY, which it reads when it is
// loaded. Returns where nothing had to change, or where the system does not let it.
void restart_with_passive_waiting(char** argv);

// Sets the numbers of threads: `threads` where given, else the user's OMP_NUM_THREADS, else every core the
// process may run on.
Runtime set_threads(std::optional<int> threads);

// What a shared library that is loaded in this process says of the BLAS.
struct Blas {
  std::string library;  // the file that holds sgemm
  std::string config;   // OpenBLAS's description of itself; empty for another BLAS
};
Blas blas();

// ATen's SIMD level in use: "AVX512", "AVX2", "DEFAULT", ...
std::string aten_capability();

// The version of LibTorch gcan was built with.
std::string torch_version();

}  // namespace gcan::cli
