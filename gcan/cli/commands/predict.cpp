// gcan predict: writes a network's predictions for a whole data file.

#include "gcan/cli/options/predict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <string>

#include "gcan/base/human.h"
#include "gcan/base/numbers.h"
#include "gcan/cli/frame/interrupt.h"
#include "gcan/cli/frame/program.h"
#include "gcan/cli/frame/progress.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/data/file_names.h"
#include "gcan/train/device.h"
#include "gcan/train/file_prediction.h"

namespace gcan::cli {
namespace {

// "0,3-5" -> 0 3 4 5
std::vector<int> parse_list(const std::string& text) {
  constexpr int kMost = 10'000'000;
  std::vector<int> numbers;
  for (const std::string& part : config::comma_parts(text)) {
    const auto dash = part.find('-');
    const auto first = base::parse_number<int>(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : base::parse_number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last - *first > kMost)
      throw UsageError(fmt::format("--trajectories expects numbers and ranges, as in 0,3-5, not '{}'", part));
    for (int i = *first; i <= *last; ++i) numbers.push_back(i);
  }
  return numbers;
}

train::FilePredictionOptions options_of(const PredictArguments& a) {
  if (a.run.empty())
    throw UsageError("missing argument RUN, as in 'gcan predict runs/gca-unet sw.h5 --out predicted.h5'");
  if (a.files.empty())
    throw UsageError(
        fmt::format("missing argument FILE, as in 'gcan predict {} sw.h5 --out predicted.h5'", a.run));
  if (a.out.empty())
    throw UsageError("missing option --out, as in '--out predicted.h5' or '--out predicted.nc'");
  const std::string all = fmt::format("{}", fmt::join(a.files, ","));
  for (const std::string& file : data::files_named(all)) {
    if (std::filesystem::weakly_canonical(a.out) == std::filesystem::weakly_canonical(file))
      throw UsageError(fmt::format("'{}' is both read and written", file));
  }
  if (a.steps.value_or(1) < 1) throw UsageError(fmt::format("--steps expects at least 1, not {}", *a.steps));
  if (a.start.value_or(0) < 0) throw UsageError(fmt::format("--start expects at least 0, not {}", *a.start));
  if (a.start && !a.steps)
    throw UsageError("--start is the beginning of a rollout; set its length with --steps");
  try {
    train::FilePredictionOptions options{a.run, all, a.out, train::checkpoint_named(a.checkpoint)};
    options.steps = a.steps.value_or(0);
    options.start = a.start.value_or(0);
    if (!a.split.empty()) options.split = data::split_named(a.split);
    if (!a.trajectories.empty()) options.trajectories = parse_list(a.trajectories);
    return options;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

void run_predict(const PredictArguments& a, const Context& context) {
  train::FilePredictionOptions options = options_of(a);
  set_threads(context.threads);
  options.device = train::device_named(a.device);
  std::optional<Progress> progress;
  std::optional<Interrupt> interrupt;
  train::FilePredictionObserver observer;
  observer.note = [](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); };
  std::int64_t there = 0, total = 0;
  observer.begin = [&](std::int64_t all, std::int64_t done) {
    progress.emplace("trajectories", all, done);
    interrupt.emplace();
    there = done;
    total = all;
    if (done > 0) progress->note(fmt::format("resuming after {}", base::counted(done, "trajectories")));
  };
  observer.trajectory = [&](const std::string& failure) {
    if (!failure.empty()) progress->note(failure);
    progress->step();
    if (++there == total || Interrupt::signal() == 0) return;
    progress.reset();
    throw Interrupted(fmt::format("stopped by {} after {} of {}; the same command resumes", Interrupt::name(),
                                  there, base::counted(total, "trajectories")),
                      Interrupt::signal());
  };
  const train::FilePrediction made = train::predict_file(options, observer);
  progress.reset();
  fmt::print("{} {}: {} of {} each, by {}\n", made.was_there ? "complete already:" : "wrote", a.out,
             base::counted(made.trajectories, "trajectories"), base::counted(made.frames, "frames"),
             train::run_config(a.run).network().title);
  if (!made.failures.empty())
    fmt::print("{} became non-finite; they are marked in 'gcan/status'\n",
               base::counted(static_cast<std::int64_t>(made.failures.size()), "predictions"));
}

}  // namespace gcan::cli
