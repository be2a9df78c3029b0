#pragma once

// How much memory this process may still use.

#include <cstdint>
#include <filesystem>
#include <functional>

namespace gcan::base {

// Bytes: the least of what the machine has available, what the cgroups leave (version 1 or 2) and what the
// limit of the address space (ulimit -v) leaves. `root` is the folder in which proc/ and sys/ lie: "/" but in
// tests.
double free_memory(const std::filesystem::path& root = "/");

// While the object lives, the process may grow by at most this many bytes: a request for more fails at
// once, instead of being killed by the system later.
class MemoryLimit {
 public:
  explicit MemoryLimit(double growth);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  std::uint64_t former_;
};

// How many bytes of memory are in use at most during the work beyond those before it; 0 where the system does
// not say.
double peak_growth_here(const std::function<void()>& work);

}  // namespace gcan::base
