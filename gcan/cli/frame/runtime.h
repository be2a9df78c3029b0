#pragma once

// Torch's threads and versions. By default torch uses half the cores, and OpenBLAS has its own thread pool.
// Only the program changes these settings, never the library.

#include <optional>
#include <string>

namespace gcan::cli {

// The settings in effect.
struct Runtime {
  int threads = 1;           // of ATen
  std::string threads_from;  // the origin of the number
  int blas_threads = 0;      // of OpenBLAS's own pool; 0 for another BLAS
};

// Sets the number of threads: `threads` if given, else OMP_NUM_THREADS, else every core the process may run
// on. Every subcommand that computes with torch calls this first. OpenBLAS gets the same number unless
// OPENBLAS_NUM_THREADS is set. Also applies the log level of become_torch_program().
Runtime set_threads(std::optional<int> threads);

// The BLAS loaded in this process.
struct Blas {
  std::string library;  // the file that contains sgemm
  std::string config;   // OpenBLAS's configuration string; empty for another BLAS
};
Blas blas();

// The version of LibTorch gcan was built with.
std::string torch_version();

}  // namespace gcan::cli
