#pragma once

// Reads the rank and size that a launcher gave to this process: torchrun, mpirun (Open MPI, MPICH), srun, or
// gcan itself.

#include <functional>
#include <optional>
#include <string>

namespace gcan::base {

// This process among those that work together.
struct Launch {
  std::string launcher;  // "torchrun", "mpirun", "srun"; empty for a single process
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 1;  // within this machine
  // The rendezvous: an address, or a file to which rank 0 writes one.
  std::string host;
  int port = 0;
  std::string file;
  bool served = false;  // a process other than rank 0 serves the rendezvous
  std::string attempt;  // distinguishes this start's keys from those of an earlier start
};

// Looks up an environment variable; empty if it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

// Reads the first of these variables that is set: RANK and WORLD_SIZE (torchrun, gcan train --processes),
// OMPI_COMM_WORLD_* (Open MPI), PMI_* (MPICH), SLURM_PROCID of a job step (srun). MASTER_ADDR and
// MASTER_PORT, if set, are the rendezvous. Error, with the variable's name, for an invalid value.
Launch launch_of(const Variables& variables);

// From the environment of this process.
Launch launch();

// The first host of a Slurm host list: "node[03-07,9],gpu1" -> "node03".
std::string first_host(const std::string& list);

}  // namespace gcan::base
