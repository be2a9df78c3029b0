// gcan train: trains a network from a configuration, in a run folder.

#include "gcan/cli/options/train.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gcan/base/human.h"
#include "gcan/cli/commands/errors_table.h"
#include "gcan/cli/commands/processes.h"
#include "gcan/cli/frame/interrupt.h"
#include "gcan/cli/frame/own_files.h"
#include "gcan/cli/frame/program.h"
#include "gcan/cli/frame/progress.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/train/device.h"
#include "gcan/train/longer_run.h"
#include "gcan/train/loop/together.h"
#include "gcan/train/run.h"

namespace gcan::cli {
namespace {

namespace fs = std::filesystem;

// The configuration is a file, or the folder of a run to resume.
struct Request {
  train::Config config;
  std::string folder;
  train::Start start;
};

train::Start start_of(const TrainArguments& a) {
  if (a.from.empty() && a.checkpoint != "best")
    throw UsageError("--checkpoint selects the weights of --from, which is missing");
  try {
    return {a.from, train::checkpoint_named(a.checkpoint)};
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// The existing run with its new length, if --steps is given.
train::Config config_of(const Request& request, const TrainArguments& a, int processes) {
  if (!a.steps || !fs::exists(fs::path(request.folder) / "config.toml")) return request.config;
  if (processes > 1)
    throw UsageError(fmt::format(
        "--steps cannot extend an existing run with several processes; start 'gcan train {} --steps {}' "
        "as one process, stop it, and resume with several",
        request.folder, *a.steps));
  const train::LongerRun run = train::train_longer(request.config, request.folder);
  if (!run.note.empty()) fmt::print(stderr, "{}\n", run.note);
  return run.config;
}

// Without --from, only the configuration of a trained run is used.
std::string hint_of(const TrainArguments& a) {
  if (!a.from.empty() || !fs::is_directory(a.config)) return "";
  return fmt::format(": '{}' provides only its configuration; --from {} also provides its weights", a.config,
                     a.config);
}

Request request_of(TrainArguments a) {
  if (a.config.empty() && a.from.empty()) {
    throw UsageError("missing argument CONFIG, as in 'gcan train tetris/gca-mlp'");
  }
  if (a.config.empty()) {
    a.config = a.from;
    if (a.out.empty()) throw UsageError("missing option --out, as in '--out runs/fine-tuned'");
  }
  if (a.steps) {
    if (*a.steps < 1) throw UsageError(fmt::format("--steps expects at least 1, not {}", *a.steps));
    a.settings.push_back(fmt::format("train.steps={}", *a.steps));
  }
  const fs::path given(a.config);
  const bool is_folder = fs::is_directory(given) || a.config == a.from;
  const std::string file = is_folder ? (given / "config.toml").string() : find_configuration(a.config);
  if (is_folder && !fs::exists(file)) {
    throw Error(fmt::format("'{}' is not a run folder: it has no config.toml", a.config));
  }
  std::string folder = a.out;
  if (folder.empty()) folder = is_folder ? a.config : (fs::path("runs") / given.stem()).string();
  if (a.resume && !fs::exists(fs::path(folder) / "config.toml")) {
    throw Error(fmt::format("there is no run to resume in '{}'; omit --resume to start one", folder));
  }
  return {train::read_config(file, a.settings), folder, start_of(a)};
}

std::string losses(const train::Progress& p) {
  std::string text = fmt::format("loss {:.4g}", p.loss);
  if (p.valid) text += fmt::format(", validation {:.4g}", *p.valid);
  if (p.best) text += fmt::format(" (best {:.4g})", *p.best);
  return text;
}

void print_result(const std::string& folder, const train::Outcome& outcome) {
  const train::Result& r = *outcome.result;
  fmt::print("{} {}: {}, {}, {} steps per second, {}\n",
             outcome.end == train::End::was_complete ? "complete already:" : "trained", folder,
             base::counted(r.steps, "steps"), duration_text(r.seconds), base::rate_text(r.steps_per_second),
             base::counted(r.parameters, "parameters"));
  std::vector<ErrorRow> rows;
  const auto add = [&](const char* split, const char* name, const train::Evaluated& e) {
    rows.push_back({fmt::format("{}, {} (step {})", split, name, e.step), e.metrics});
  };
  add("validation", "last", r.valid_last);
  add("validation", "best", r.valid_best);
  if (r.tested) {
    add("test", "last", r.test_last);
    add("test", "best", r.test_best);
  }
  for (const auto& [name, metrics] : r.trivial) {
    rows.push_back({fmt::format("{}, {}", r.tested ? "test" : "validation", name), metrics});
  }
  fmt::print("{}", errors_table(rows));
  if (!r.tested) fmt::print("the data has no test split; errors are those of the validation split\n");
}

[[noreturn]] void tell_interruption(const std::string& folder, const train::Outcome& outcome) {
  throw Interrupted(fmt::format("stopped by {} and saved at step {}; resume with 'gcan train {}'",
                                Interrupt::name(), outcome.step, folder),
                    Interrupt::signal());
}

void train_here(const TrainArguments& arguments, const Context& context) {
  std::optional<int> threads = context.threads;
  Request request = request_of(arguments);
  if (const auto wanted = request.config.train.integer("threads"); !threads && wanted > 0) {
    threads = static_cast<int>(wanted);
  }
  const base::Launch launch = base::launch();
  const torch::Device device = train::device_named(arguments.device, launch.local_rank);
  set_threads(threads_of(launch, threads));
  const auto group = join(launch, request.config.train.number("timeout"),
                          train::backend_of(request.config.train, device, launch));
  const bool first = launch.rank == 0;
  request.config = config_of(request, arguments, launch.size);
  // Before that there is nothing to save, and a signal ends the program at once.
  std::optional<Interrupt> interrupt;
  std::optional<Progress> progress;
  train::Observer observer;
  observer.begin = [&] { interrupt.emplace(); };
  if (first)
    observer.note = [&](const std::string& sentence) {
      const bool random = sentence.starts_with("starting from random weights");
      fmt::print(stderr, "{}{}\n", sentence, random ? hint_of(arguments) : "");
    };
  observer.stop = [] { return Interrupt::signal() != 0; };
  if (first)
    observer.progress = [&](const train::Progress& p) {
      if (!progress) progress.emplace("steps", p.steps, p.first_step);
      progress->move_to(p.step, [&] { return losses(p); });
    };
  const train::Outcome outcome =
      train::train(request.config, request.folder, observer, group, request.start, device);
  progress.reset();
  if (outcome.end == train::End::stopped) tell_interruption(request.folder, outcome);
  if (first) print_result(request.folder, outcome);
}

}  // namespace

void run_train(const TrainArguments& arguments, const Context& context) {
  if (!arguments.processes.empty()) return run_processes(arguments.processes, context.argv);
  as_a_rank([&] { train_here(arguments, context); });
}

}  // namespace gcan::cli
