#include "gcan/base/launcher.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "gcan/base/error.h"

namespace gcan::base {
namespace {

constexpr int kMostProcesses = 1 << 20;
constexpr int kMostPort = 65535;

class Reader {
 public:
  explicit Reader(const Variables& variables) : variables_(variables) {}

  [[nodiscard]] std::optional<std::string> text(const std::string& name) const {
    const auto value = variables_(name);
    return value && !value->empty() ? value : std::nullopt;
  }

  [[nodiscard]] std::optional<int> number(const std::string& name, int least, int most) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    int result = 0;
    const char* const end = value->data() + value->size();
    const auto [stop, problem] = std::from_chars(value->data(), end, result);
    if (problem != std::errc() || stop != end || result < least || result > most) {
      throw Error("the variable " + name + " is '" + *value + "', expected a whole number from " +
                  std::to_string(least) + " to " + std::to_string(most));
    }
    return result;
  }

 private:
  const Variables& variables_;
};

// The names of a launcher's variables.
struct Names {
  const char *launcher, *rank, *size, *local_rank, *local_size;
};

std::optional<Launch> numbers(const Reader& read, const Names& names) {
  if (!read.text(names.rank) || !read.text(names.size)) return std::nullopt;
  Launch launch;
  launch.launcher = names.launcher;
  launch.size = *read.number(names.size, 1, kMostProcesses);
  launch.rank = *read.number(names.rank, 0, launch.size - 1);
  if (names.local_size != nullptr) {
    launch.local_size = read.number(names.local_size, 1, launch.size).value_or(1);
  }
  launch.local_rank = read.number(names.local_rank, 0, launch.size - 1).value_or(0);
  return launch;
}

// The letters, digits and '-' of a text, for use in a file name.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return result;
}

// Processes on one machine use its folder for temporary files; processes on several machines use the working
// folder, which they share.
std::string meeting_file(const Launch& launch, const std::string& start) {
  const std::string name = ".gcan-meeting-" + std::to_string(getuid()) + "-" + plain(start);
  std::error_code ignored;
  const auto folder = launch.local_size == launch.size ? std::filesystem::temp_directory_path(ignored)
                                                       : std::filesystem::current_path(ignored);
  return (folder / name).string();
}

void meet_at_address(const Reader& read, Launch& launch) {
  launch.host = *read.text("MASTER_ADDR");
  launch.port = read.number("MASTER_PORT", 1, kMostPort).value_or(29500);
}

std::optional<Launch> from_torchrun(const Reader& read) {
  auto launch = numbers(read, {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"});
  if (!launch) return std::nullopt;
  if (launch->size > 1 && !read.text("MASTER_ADDR")) {
    throw Error("RANK and WORLD_SIZE are set, but MASTER_ADDR is not; set it to the machine of rank 0");
  }
  launch->served = read.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  launch->attempt = read.text("TORCHELASTIC_RUN_ID").value_or("") + "/" +
                    read.text("TORCHELASTIC_RESTART_COUNT").value_or("0");
  return launch;
}

std::optional<Launch> from_mpirun(const Reader& read) {
  auto launch = numbers(read, {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                               "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"});
  std::optional<std::string> start = read.text("PMIX_NAMESPACE");
  if (!start) start = read.text("OMPI_MCA_ess_base_jobid");
  // In a job step srun may set PMI_* too. MPICH's own launcher, which may run in a step, sets MPI_* as well.
  if (!launch && (read.text("MPI_LOCALNRANKS") || !read.text("SLURM_STEP_ID"))) {
    launch = numbers(read, {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"});
    start = read.text("PMI_PORT");
  }
  if (launch) launch->file = meeting_file(*launch, start.value_or("mpi"));
  return launch;
}

// In a job step only: the script of a batch job has these variables as well, but runs once.
std::optional<Launch> from_srun(const Reader& read) {
  if (!read.text("SLURM_STEP_ID")) return std::nullopt;
  const bool own = read.text("SLURM_STEP_NUM_TASKS").has_value();
  auto launch = numbers(read, {"srun", "SLURM_PROCID", own ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS",
                               "SLURM_LOCALID", nullptr});
  if (!launch || launch->size == 1) return launch;
  auto nodes = read.text("SLURM_STEP_NODELIST");
  if (!nodes) nodes = read.text("SLURM_JOB_NODELIST");
  if (!nodes) throw Error("srun has set SLURM_PROCID but not SLURM_JOB_NODELIST; set MASTER_ADDR");
  launch->host = first_host(*nodes);
  const bool one_machine = nodes->find_first_of(",[") == std::string::npos;
  // "4" or "4(x3),2": takes the first number for all.
  const auto tasks = read.text("SLURM_STEP_TASKS_PER_NODE").value_or("1");
  launch->local_size = one_machine ? launch->size : std::max(1, std::atoi(tasks.c_str()));
  // A different unprivileged port for every step.
  constexpr std::uint64_t kFirstPort = 20000, kPorts = 12000, kSteps = 61;
  const auto job = std::strtoull(read.text("SLURM_JOB_ID").value_or("0").c_str(), nullptr, 10);
  const auto step = std::strtoull(read.text("SLURM_STEP_ID").value_or("0").c_str(), nullptr, 10);
  launch->port = static_cast<int>(kFirstPort + (job * kSteps + step) % kPorts);
  return launch;
}

}  // namespace

std::string first_host(const std::string& list) {
  const std::size_t bracket = list.find('['), comma = list.find(',');
  if (bracket == std::string::npos || comma < bracket) return list.substr(0, comma);
  const std::size_t end = list.find(']', bracket);
  const std::string numbers = list.substr(bracket + 1, end - bracket - 1);
  const std::string first = list.substr(0, bracket) + numbers.substr(0, numbers.find_first_of("-,"));
  // Text after the brackets belongs to the name: "rack[1-2]-node", or a second pair of brackets.
  const std::string rest = end == std::string::npos ? "" : list.substr(end + 1);
  return rest.empty() || rest[0] == ',' ? first : first_host(first + rest);
}

Launch launch_of(const Variables& variables) {
  const Reader read(variables);
  std::optional<Launch> launch = from_torchrun(read);
  if (!launch) launch = from_mpirun(read);
  if (!launch) launch = from_srun(read);
  if (!launch || launch->size == 1) return {};
  if (read.text("MASTER_ADDR")) {
    meet_at_address(read, *launch);
    launch->file.clear();
  }
  return *launch;
}

Launch launch() {
  return launch_of([](const std::string& name) -> std::optional<std::string> {
    const char* value =
        std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nothing sets it meanwhile
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
}

}  // namespace gcan::base
