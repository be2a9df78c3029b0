// gcan report: a page with tables and pictures of training runs or of an experiment.

#include "gcan/cli/options/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/experiments/experiment_report.h"
#include "gcan/experiments/run_report.h"
#include "gcan/files/durable.h"
#include "gcan/files/output_lock.h"

namespace gcan::cli {
namespace {

namespace fs = std::filesystem;

bool is_experiment(const std::string& folder) { return fs::exists(fs::path(folder) / "results.json"); }

void check(const std::vector<std::string>& folders) {
  if (folders.empty()) throw UsageError("missing argument FOLDER, as in 'gcan report runs/gca-mlp'");
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder)) throw Error(fmt::format("there is no folder '{}'", folder));
    if (is_experiment(folder)) {
      if (folders.size() == 1) continue;
      throw UsageError(fmt::format(
          "'{}' is an experiment, which has its own report; it cannot be combined with other folders",
          folder));
    }
    if (fs::exists(fs::path(folder) / "config.toml")) continue;
    throw Error(fmt::format(
        "'{}' is neither a run of 'gcan train' nor a finished experiment of 'gcan reproduce'", folder));
  }
}

}  // namespace

void run_report(const ReportArguments& a, const Context& context) {
  check(a.folders);
  set_threads(context.threads);
  std::string out = a.out;
  if (out.empty()) out = a.folders.size() == 1 ? (fs::path(a.folders.front()) / "report").string() : "report";
  const std::string command =
      fmt::format("gcan report {}{}{}", fmt::join(a.folders, " "), a.data.empty() ? "" : " --data " + a.data,
                  a.out.empty() ? "" : " --out " + a.out);
  const auto note = [](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); };
  files::make_folder(out);
  const files::OutputLock lock((fs::path(out) / "").string());
  if (!is_experiment(a.folders.front())) {
    fmt::print("wrote {}\n", experiments::write_run_report(a.folders, out, command, {a.data, note}));
    return;
  }
  if (!a.data.empty()) throw UsageError("--data is for runs of 'gcan train'; an experiment has its own data");
  auto plan = experiments::read_plan(a.folders.front());
  note(fmt::format("drawing the report of {}", a.folders.front()));
  const auto results = experiments::collect(plan, a.folders.front());
  fmt::print("wrote {}\n", experiments::write_experiment_report(plan, results, out, command));
}

}  // namespace gcan::cli
