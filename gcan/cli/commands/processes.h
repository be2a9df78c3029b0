#pragma once

// Several processes that run one command together.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcan/base/launcher.h"
#include "gcan/distributed/backend.h"

namespace gcan::distributed {
class Group;
}  // namespace gcan::distributed

namespace gcan::cli {

// The group that a launcher started; null for a single process.
std::shared_ptr<distributed::Group> join(const base::Launch& launch, double seconds,
                                         distributed::Backend backend);

// Runs the work of one rank. After an error a rank among several prints it and exits immediately: Gloo's
// threads may still use objects that a normal exit destroys, and would crash, and MPI would wait for the
// other ranks.
void as_a_rank(const std::function<void()>& work);

// The number of threads for a process that shares its machine: `threads` if given, else its share of the
// cores; empty for a single process, or if OMP_NUM_THREADS is set.
std::optional<int> threads_of(const base::Launch& launch, std::optional<int> threads);

// Starts this process's command `count` times, as the ranks of one run, and waits for them. UsageError for an
// invalid count, or if a launcher has started this process.
void run_processes(const std::string& text, char** argv);

// The row of `gcan doctor` about launchers.
std::vector<std::pair<std::string, std::string>> processes_rows();

}  // namespace gcan::cli
