#pragma once

// The memory that this process may still use.

#include <cstdint>
#include <filesystem>
#include <functional>

namespace gcan::base {

// In bytes: the minimum of the machine's available memory, the cgroups' remaining memory (version 1 or 2) and
// the remaining address space (ulimit -v). `root` is the folder that contains proc/ and sys/: "/" except in
// tests.
double free_memory(const std::filesystem::path& root = "/");

// During the object's lifetime the process may grow by at most this many bytes: larger allocations fail at
// once instead of getting the process killed later.
class MemoryLimit {
 public:
  explicit MemoryLimit(double growth);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  std::uint64_t former_;
};

// The peak growth of memory use in bytes during the work; 0 if the system does not report it.
double peak_growth_here(const std::function<void()>& work);

}  // namespace gcan::base
