#pragma once

// Several processes that do the work of one command.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcan/base/launcher.h"

namespace gcan::distributed {
class Group;
}  // namespace gcan::distributed

namespace gcan::cli {

// The others that a launcher started with this process; null for one alone.
std::shared_ptr<distributed::Group> join(const base::Launch& launch, double seconds);

// Does the work of one rank. After a fault the process ends at once, with its sentence: Gloo's threads may
// still use what an orderly end destroys, and would crash.
void as_a_rank(const std::function<void()>& work);

// The threads of a process that shares its machine with others: `threads` where given, else its part of the
// cores; none where the process is alone or the user's OMP_NUM_THREADS says it.
std::optional<int> threads_of(const base::Launch& launch, std::optional<int> threads);

// Starts the command of these words `count` times, as the ranks of one run, and waits for them. UsageError
// for a count that is none, and where a launcher has started this process already.
void run_processes(const std::string& count, char** argv);

// What doctor says of launchers: a row's name and its text.
std::vector<std::pair<std::string, std::string>> processes_rows();

}  // namespace gcan::cli
