// gcan merge: merges the data files that several processes have written.

#include "gcan/data/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gcan/base/human.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/data/file_names.h"

namespace gcan::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  std::string out;
  bool compress = false;
};

void run(const MergeArguments& arguments) {
  if (arguments.files.empty())
    throw UsageError("missing argument FILES, as in 'gcan merge sw-*.h5 --out sw.h5'");
  if (arguments.out.empty()) throw UsageError("missing option --out, as in '--out sw.h5'");
  const std::vector<std::string> files =
      data::files_named(fmt::format("{}", fmt::join(arguments.files, ",")));
  for (const std::string& file : files) {
    if (file == arguments.out) throw UsageError(fmt::format("'{}' is both read and written", file));
  }
  data::merge_files(files, arguments.out, arguments.compress);
  const data::WellReader reader(arguments.out);
  const data::Description& d = reader.description();
  fmt::print("wrote {}: {} (train {}, valid {}, test {}) from {}\n", arguments.out,
             base::counted(d.trajectories(), "trajectories"), d.splits[0], d.splits[1], d.splits[2],
             base::counted(static_cast<std::int64_t>(files.size()), "files"));
}

}  // namespace

void add_merge(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command =
      program.add_subcommand("merge", "Merge the parts of a data set that several processes simulated");
  command->add_option("FILES", arguments->files, "All parts of a data set, in any order");
  command->add_option("--out", arguments->out, "Data file to write")->type_name("FILE");
  command->add_flag("--compress", arguments->compress, "Lossless compression (deflate)");
  command->footer(
      "Example:\n"
      "  mpirun -n 4 gcan simulate shallow-water --train 400 --valid 40 --test 40 --out sw.h5\n"
      "  gcan merge sw-*.h5 --out sw.h5");
  command->callback([&context, arguments] { context.work = [arguments] { run(*arguments); }; });
}

}  // namespace gcan::cli
