#pragma once

// What the program that started this process says about the other processes: torchrun, mpirun (Open MPI,
// MPICH), srun, or gcan itself.

#include <functional>
#include <optional>
#include <string>

namespace gcan::base {

// One of several processes that work together.
struct Launch {
  std::string launcher;  // "torchrun", "mpirun", "srun"; empty for a process that was started alone
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 1;  // among those on this machine
  // Where they meet: an address, or a file in which rank 0 writes one.
  std::string host;
  int port = 0;
  std::string file;
  bool served = false;  // another process than rank 0 serves the meeting point
  std::string attempt;  // distinguishes the keys of this start from those of an earlier one
};

// The value of a variable, none where it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

// From these variables, the first of: RANK and WORLD_SIZE (torchrun, gcan train --processes),
// OMPI_COMM_WORLD_* (Open MPI), PMI_* (MPICH), SLURM_PROCID of a job step (srun). MASTER_ADDR and MASTER_PORT
// name the meeting point wherever they are set. Error, with the variable, for a value that makes no sense.
Launch launch_of(const Variables& variables);

// From the environment of this process.
Launch launch();

// The first host of a list as Slurm writes it: "node[03-07,9],gpu1" -> "node03".
std::string first_host(const std::string& list);

}  // namespace gcan::base
