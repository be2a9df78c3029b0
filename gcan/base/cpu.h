#pragma once

// The CPU's features, and how much of the CPU this process may use.

#include <filesystem>
#include <optional>

namespace gcan::base {

// Whether the CPU has the AVX-512 extensions (F, BW, DQ, VL) that ATen's AVX-512 kernels need.
bool has_avx512();

// Whether the CPU has bfloat16 instructions (AVX512_BF16). Whether they are faster than float32 depends on
// the library that uses them; `gcan doctor` measures it.
bool has_bfloat16();

// Whether the CPU has Intel's AMX tiles for bfloat16 matrices.
bool has_amx_bfloat16();

// How many of the machine's cores this process may use, and the limits behind the number.
struct Cores {
  int online = 1;               // hardware threads of the machine
  int affinity = 1;             // cores the process may be scheduled on (taskset, cpuset)
  std::optional<double> quota;  // CPU time per wall time that the cgroups allow; empty if unlimited

  // The number of threads worth starting: the quota rounded up, at least one.
  int usable() const;
};

Cores cores();

// The smallest CPU quota of the process's cgroup (version 1 or 2) and all its parents, in cores; empty if
// there is none. `root` is the folder that contains proc/ and sys/: "/" except in tests.
std::optional<double> cgroup_quota(const std::filesystem::path& root = "/");

}  // namespace gcan::base
