#pragma once

// The threads that torch computes with, and what torch says of itself. By itself it takes half the cores,
// and OpenBLAS keeps a pool of its own. The settings belong to the program: the library never changes them
// in a host program.

#include <optional>
#include <string>

namespace gcan::cli {

// What was set.
struct Runtime {
  int threads = 1;           // of ATen
  std::string threads_from;  // who decided on them
  int blas_threads = 0;      // of OpenBLAS's own pool; 0 where the BLAS is another one
};

// Sets the numbers of threads: `threads` where given, else the user's OMP_NUM_THREADS, else every core the
// process may run on. Every subcommand that computes with torch calls this first. OpenBLAS follows unless
// the user's OPENBLAS_NUM_THREADS says otherwise.
Runtime set_threads(std::optional<int> threads);

// What the libraries loaded in this process say of the BLAS.
struct Blas {
  std::string library;  // the file that holds sgemm
  std::string config;   // OpenBLAS's description of itself; empty for another BLAS
};
Blas blas();

// The version of LibTorch gcan was built with.
std::string torch_version();

}  // namespace gcan::cli
