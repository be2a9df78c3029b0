#pragma once

#include <string>

namespace gcan::distributed {

// What sends tensors between the ranks, all by LibTorch's c10d. gloo: TCP, in every LibTorch. mpi: the MPI
// with which LibTorch was built, under its mpirun. nccl: sums of gradients between GPUs; Gloo sends the rest.
enum class Backend { gloo, mpi, nccl };

// "gloo", "mpi", "nccl"
std::string to_string(Backend backend);
Backend backend_named(const std::string& name);

// Whether gcan was built with it.
bool has(Backend backend);

}  // namespace gcan::distributed
