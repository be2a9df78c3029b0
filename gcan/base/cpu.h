#pragma once

// What the CPU can do, and how much of it this process may use.

#include <filesystem>
#include <optional>

namespace gcan::base {

// Whether the CPU has the AVX-512 parts (F, BW, DQ, VL) that ATen's AVX-512 kernels need.
bool has_avx512();

// Whether the CPU has instructions for bfloat16 (AVX512_BF16). Whether they beat float32 depends on the
// library that uses them: `gcan doctor` measures it.
bool has_bfloat16();

// Whether the CPU has Intel's AMX tiles for bfloat16 matrices.
bool has_amx_bfloat16();

// How many of the machine's cores this process may use, and what limits it.
struct Cores {
  int online = 1;               // hardware threads of the machine
  int affinity = 1;             // those the process may be scheduled on (taskset, cpuset)
  std::optional<double> quota;  // CPU time per wall time that the cgroups allow; none when unlimited

  // The number of threads worth starting: a started part of a core counts as a core, at least one.
  int usable() const;
};

Cores cores();

// The smallest CPU quota of the process's cgroup (version 1 or 2) and all cgroups above it, in cores; none
// when there is none. `root` is the folder in which proc/ and sys/ lie: "/" but in tests.
std::optional<double> cgroup_quota(const std::filesystem::path& root = "/");

}  // namespace gcan::base
