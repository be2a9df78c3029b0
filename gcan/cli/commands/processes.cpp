#include "gcan/cli/commands/processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "gcan/base/children.h"
#include "gcan/base/cpu.h"
#include "gcan/cli/frame/environment.h"
#include "gcan/cli/frame/interrupt.h"
#include "gcan/cli/frame/program.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/cli/frame/values.h"
#include "gcan/distributed/c10d.h"
#include "gcan/distributed/group.h"

namespace gcan::cli {
namespace {

constexpr int kMost = 1024;

int count_of(const std::string& text) { return whole_number("--processes", text, 1, kMost); }

// This process's command line without --processes.
std::vector<std::string> words_without_processes(char** argv) {
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string()};
  for (char** word = argv + 1; *word != nullptr; ++word) words.emplace_back(*word);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--processes") {
      ++i;
    } else if (!words[i].starts_with("--processes=")) {
      kept.push_back(words[i]);
    }
  }
  return kept;
}

std::vector<std::string> variables_of(int rank, int count, int port) {
  const auto both = [](const char* name, int value) {
    return std::vector{fmt::format("{}={}", name, value), fmt::format("LOCAL_{}={}", name, value)};
  };
  std::vector<std::string> variables = both("RANK", rank);
  variables.push_back(fmt::format("WORLD_SIZE={}", count));
  variables.push_back(fmt::format("LOCAL_WORLD_SIZE={}", count));
  variables.emplace_back("MASTER_ADDR=127.0.0.1");
  variables.push_back(fmt::format("MASTER_PORT={}", port));
  // This process serves the rendezvous, like torchrun.
  variables.emplace_back("TORCHELASTIC_USE_AGENT_STORE=True");
  variables.push_back(fmt::format("TORCHELASTIC_RUN_ID=gcan-{}", getpid()));
  return variables;
}

// Waits for all. If one fails, the others detect it themselves.
std::vector<base::Ended> wait_for_all(base::Children& children) {
  std::vector<base::Ended> ended;
  int forwarded = 0;
  while (children.running() > 0) {
    for (const base::Ended& child : children.wait(0.2)) ended.push_back(child);
    if (const int signal = Interrupt::signal(); signal != forwarded) {
      forwarded = signal;
      children.signal(signal);
    }
  }
  return ended;
}

std::string backends_text() {
  using distributed::Backend;
  if (!distributed::has(Backend::gloo)) return "not built in: libgloo-dev was missing";
  std::string text = "train.backend: gloo";
  for (const Backend backend : {Backend::mpi, Backend::nccl}) {
    if (distributed::has(backend)) text += ", " + distributed::to_string(backend);
  }
  return text;
}

}  // namespace

std::shared_ptr<distributed::Group> join(const base::Launch& launch, double seconds,
                                         distributed::Backend backend) {
  return launch.size == 1 ? nullptr : distributed::Group::join(launch, seconds, backend);
}

void as_a_rank(const std::function<void()>& work) {
  try {
    work();
  } catch (const Interrupted&) {
    throw;  // all ranks stop together
  } catch (const std::exception&) {
    if (base::launch().size == 1) throw;
    const int code = guarded([] { throw; });
    std::fflush(nullptr);
    std::_Exit(code);
  }
}

std::optional<int> threads_of(const base::Launch& launch, std::optional<int> threads) {
  if (threads || launch.local_size == 1 || environment("OMP_NUM_THREADS")) return threads;
  const base::Cores cores = base::cores();
  return std::max(1, std::min(cores.usable(), cores.online / launch.local_size));
}

void run_processes(const std::string& text, char** argv) {
  const int count = count_of(text);
  if (const base::Launch launch = base::launch(); launch.size > 1) {
    throw UsageError(
        fmt::format("{} has already started {} processes; omit --processes", launch.launcher, launch.size));
  }
  constexpr double kSeconds = 60;
  const distributed::KeyStore store = distributed::KeyStore::serve(0, kSeconds);
  const Interrupt interrupt;
  base::Children children;
  const std::vector<std::string> words = words_without_processes(argv);
  for (int rank = 0; rank < count; ++rank) {
    children.start(static_cast<std::size_t>(rank), words, "", variables_of(rank, count, store.port()));
  }
  const std::vector<base::Ended> ended = wait_for_all(children);
  if (Interrupt::signal() != 0) {
    throw Interrupted(fmt::format("all {} processes stopped", count), Interrupt::signal());
  }
  for (const base::Ended& child : ended) {
    if (child.code != 0)
      throw Error(fmt::format("rank {} of {} ended with code {}", child.id, count, child.code));
  }
}

std::vector<std::pair<std::string, std::string>> processes_rows() {
  std::vector<std::pair<std::string, std::string>> rows{{"several processes", backends_text()}};
  const base::Launch launch = base::launch();
  if (launch.size == 1) {
    rows.emplace_back("launcher",
                      "none; torchrun, mpirun, srun and 'gcan train --processes N' are supported");
    return rows;
  }
  rows.emplace_back("launcher", fmt::format("{}: rank {} of {}, {} of {} on this machine", launch.launcher,
                                            launch.rank, launch.size, launch.local_rank, launch.local_size));
  rows.emplace_back("rendezvous", launch.file.empty() ? fmt::format("{}:{}", launch.host, launch.port)
                                                      : fmt::format("through the file {}", launch.file));
  return rows;
}

}  // namespace gcan::cli
