// gcan simulate: runs the simulators and writes data files.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gcan/base/cpu.h"
#include "gcan/base/human.h"
#include "gcan/base/launcher.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/interrupt.h"
#include "gcan/cli/frame/program.h"
#include "gcan/cli/frame/progress.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/cli/frame/values.h"
#include "gcan/data/generate.h"

namespace gcan::cli {
namespace {

struct SimulateArguments {
  std::string preset = "paper";
  std::string out;
  std::string trajectories, train, valid, test;
  bool compress = false;
  std::map<std::string, std::string> settings;  // by name, only those given
};

// Errors about the arguments are usage errors, wherever they are detected.
template <class Work>
auto as_usage(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// Replaces the C++ names of options in a simulator's error by those on the command line: "--time-step is
// 9000".
template <class Set>
std::string as_typed(std::string sentence, const std::vector<config::Setting<Set>>& table) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  for (const auto& setting : table) {
    std::string name = setting.name;
    for (int spelling = 0; spelling < 2; ++spelling) {
      for (auto at = sentence.find(name); at != std::string::npos; at = sentence.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool whole =
            (at == 0 || !is_word(sentence[at - 1])) && (end == sentence.size() || !is_word(sentence[end]));
        // A single word may be ordinary English, unless its value follows.
        const bool meant =
            name.find_first_of("_-") != std::string::npos || sentence.compare(end, 4, " is ") == 0;
        if (!whole || !meant) continue;
        sentence.replace(at, name.size(), "--" + setting.name);
        at += setting.name.size() + 2;
      }
      std::replace(name.begin(), name.end(), '-', '_');
    }
  }
  return sentence;
}

int parse_count(const char* option, const std::string& text) {
  constexpr int kMost = 10'000'000;
  return text.empty() ? 0 : whole_number(option, text, 0, kMost);
}

std::array<int, 3> splits_of(const SimulateArguments& a) {
  const bool parts = !a.train.empty() || !a.valid.empty() || !a.test.empty();
  if (parts && !a.trajectories.empty())
    throw UsageError("--trajectories is the same as --train; use only one of them");
  const std::array<int, 3> splits{
      parse_count(parts ? "--train" : "--trajectories", parts ? a.train : a.trajectories),
      parse_count("--valid", a.valid), parse_count("--test", a.test)};
  if (splits[0] + splits[1] + splits[2] == 0)
    throw UsageError("missing number of trajectories: use --trajectories, or --train, --valid and --test");
  return splits;
}

// The presets of a simulator by name, the default first.
template <class Set>
using Presets = std::vector<std::pair<std::string, Set>>;

const Presets<data::ShallowWaterSet>& presets(const data::ShallowWaterSet& /*tag*/) {
  static const Presets<data::ShallowWaterSet> all{{"paper", {sim::shallow_water::paper_preset()}},
                                                  {"small", {sim::shallow_water::small_preset()}}};
  return all;
}

const Presets<data::SmokeSet>& presets(const data::SmokeSet& /*tag*/) {
  static const Presets<data::SmokeSet> all{{"paper", {sim::smoke::Options::paper()}},
                                           {"small", {sim::smoke::Options::small()}}};
  return all;
}

const Presets<data::TetrisSet>& presets(const data::TetrisSet& /*tag*/) {
  static const Presets<data::TetrisSet> all{{"paper", {sim::tetris::Options::paper()}},
                                            {"literal", {sim::tetris::Options::literal()}}};
  return all;
}

template <class Set>
Set preset(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, set] : presets(Set{})) {
    if (known == name) return set;
    names.push_back(fmt::format("'{}'", known));
  }
  throw UsageError(fmt::format("there is no preset '{}'; use {}", name, fmt::join(names, " or ")));
}

template <class Set>
Set set_of(const SimulateArguments& arguments, const std::vector<config::Setting<Set>>& table) {
  return as_usage([&] {
    Set set = preset<Set>(arguments.preset);
    // In the order of the table: the truncation sets a grid, which later options may change.
    for (const auto& setting : table) {
      const auto given = arguments.settings.find(setting.name);
      if (given != arguments.settings.end())
        setting.set(set, config::parse(setting, given->second, "--" + setting.name));
    }
    return set;
  });
}

std::string contents(const data::Description& d) {
  std::string fields;
  for (const auto& field : d.fields) fields.append(fields.empty() ? "" : ", ").append(field.name);
  return fmt::format("{} frames on {} x {} points; {}", d.frames(), d.space[0].values.size(),
                     d.space[1].values.size(), fields);
}

std::string contents(const data::TetrisDescription& d) {
  return fmt::format("{} steps of 8 objects, 32 points; positions, velocities", d.options.steps);
}

template <class Description>
void print_summary(const data::SetOptions& options, const Description& d, const data::Outcome& outcome) {
  for (const std::string& failure : outcome.failures) fmt::print("failed: {}\n", failure);
  fmt::print("{} {}: {} (train {}, valid {}, test {}) of {}; {}\n",
             outcome.was_there ? "complete already:" : "wrote", options.out,
             base::counted(d.trajectories(), "trajectories"), d.splits[0], d.splits[1], d.splits[2],
             contents(d), base::size_text(static_cast<double>(std::filesystem::file_size(options.out))));
  if (outcome.failures.empty()) return;
  fmt::print("{} of them became unstable; they are marked in 'gcan/status' and NaN from that step on\n",
             outcome.failures.size());
  for (const data::Split split : outcome.useless)
    fmt::print("no trajectory of the split '{}' is complete; it cannot be used\n", to_string(split));
}

// Reports what remains on disk after a signal, and how to resume.
[[noreturn]] void tell_interruption(const data::SetOptions& options, std::int64_t done, std::int64_t total,
                                    bool resumes) {
  const std::string left =
      resumes ? fmt::format("'{}.partial' contains {} of {}; the same command resumes", options.out,
                            base::whole_text(done), base::counted(total, "trajectories"))
              : fmt::format("'{}' was removed; the same command starts again", options.out);
  throw Interrupted(fmt::format("stopped by {}: {}", Interrupt::name(), left), Interrupt::signal());
}

// Reduces the options to this process's part, if a launcher has started several; false if it has nothing to
// do. A trajectory depends only on its number, so the merged parts are the set that one process would write.
bool take_part(data::SetOptions& options, std::optional<int> threads, bool can_be_cut) {
  const base::Launch launch = base::launch();
  if (launch.size == 1) return true;
  if (!threads) options.threads = std::max(1, options.threads / launch.local_size);
  if (!can_be_cut) return launch.rank == 0;
  options = data::part_of(options, launch.rank, launch.size);
  return options.splits != std::array<int, 3>{};
}

template <class Set>
void run(const SimulateArguments& arguments, std::optional<int> threads,
         const std::vector<config::Setting<Set>>& table) {
  data::SetOptions options;
  options.splits = splits_of(arguments);
  options.out = arguments.out;
  options.compress = arguments.compress;
  options.threads = threads.value_or(base::cores().usable());
  if (options.out.empty()) throw UsageError("missing option --out, as in '--out data.h5'");
  // A Tetris set takes a second, so one process writes it.
  if (!take_part(options, threads, !std::is_same_v<Set, data::TetrisSet>)) return;
  const Set set = set_of(arguments, table);
  const auto description = [&] {
    try {
      return describe(set, options.splits);
    } catch (const Error& error) {
      throw UsageError(as_typed(error.what(), table));
    }
  }();
  constexpr bool kResumes = !std::is_same_v<Set, data::TetrisSet>;

  std::optional<Progress> progress;
  std::optional<Interrupt> interrupt(std::in_place);
  std::int64_t there = 0;
  data::Observer observer;
  observer.begin = [&](int total, int done, int damaged) {
    progress.emplace("trajectories", total, done);
    there = done;
    if (done > 0) progress->note(fmt::format("resuming {}.partial, which has {}", options.out, done));
    if (damaged > 0) progress->note(fmt::format("recomputing {} damaged ones", damaged));
  };
  observer.trajectory = [&](const std::string& failure) {
    if (!failure.empty()) progress->note(failure);
    progress->step();
    if (++there == description.trajectories()) interrupt.reset();  // finishing is quick and not interruptible
    if (interrupt && Interrupt::signal() != 0) {
      progress.reset();
      tell_interruption(options, there, description.trajectories(), kResumes);
    }
  };
  const data::Outcome outcome = generate(set, options, observer);
  progress.reset();
  print_summary(options, description, outcome);
}

// Seven significant digits.
std::string value_text(const config::Value& value) {
  const double* number = std::get_if<double>(&value);
  return number == nullptr ? data::to_string(value) : fmt::format("{:.7g}", *number);
}

// "default: 3290", or the values of the presets if they differ: "paper: 62, small: 31".
template <class Set>
std::string defaults_text(const config::Setting<Set>& setting) {
  std::vector<std::string> values, named;
  for (const auto& [name, set] : presets(Set{})) {
    values.push_back(value_text(setting.get(set)));
    named.push_back(fmt::format("{}: {}", name, values.back()));
  }
  const bool alike = std::equal(values.begin() + 1, values.end(), values.begin());
  return alike ? "default: " + values.front() : fmt::format("{}", fmt::join(named, ", "));
}

template <class Set>
void add_settings(CLI::App& command, SimulateArguments& arguments,
                  const std::vector<config::Setting<Set>>& table) {
  for (const auto& setting : table) {
    std::string help = setting.help;
    if (setting.unit != "1") help.append(" [").append(setting.unit).append("]");
    help.append("; ").append(defaults_text(setting));
    command
        .add_option_function<std::string>(
            "--" + setting.name,
            [&arguments, name = setting.name](const std::string& text) { arguments.settings[name] = text; },
            help)
        ->type_name("VALUE")
        ->group("Simulator");
  }
}

// The help texts of a simulator.
struct Kind {
  std::string name, about, layout, presets, note, examples;
};

const char* const kResuming =
    "The same command resumes a stopped run. Under torchrun, mpirun or srun each process writes a part\n"
    "(sw-0.h5, sw-1.h5, ... for sw.h5); 'gcan merge' merges them.";

template <class Set>
void add_kind(CLI::App& simulate, Context& context, const Kind& kind,
              const std::vector<config::Setting<Set>>& table) {
  const auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command = simulate.add_subcommand(kind.name, kind.about);
  command->add_option("--out", arguments->out, "File to write, HDF5 in " + kind.layout)->type_name("FILE");
  command
      ->add_option("--preset", arguments->preset, kind.presets + "; the options below change single values")
      ->type_name("NAME");
  command->add_option("--trajectories", arguments->trajectories, "Number of trajectories, all for training")
      ->type_name("N");
  command->add_option("--train", arguments->train, "Number of training trajectories")->type_name("N");
  command->add_option("--valid", arguments->valid, "Number of validation trajectories")->type_name("N");
  command->add_option("--test", arguments->test, "Number of test trajectories")->type_name("N");
  command->add_flag("--compress", arguments->compress, "Lossless compression (deflate) of the complete file");
  add_settings(*command, *arguments, table);
  command->footer(kind.note + "\n\nExamples:\n" + kind.examples);
  command->callback([&context, &table, arguments] {
    context.work = [&context, &table, arguments] { run(*arguments, context.threads, table); };
  });
}

}  // namespace

void add_simulate(CLI::App& program, Context& context) {
  CLI::App* command = program.add_subcommand("simulate", "Simulate a data set and write it to a file");
  command->footer(
      "Examples:\n"
      "  gcan simulate shallow-water --preset small --trajectories 8 --out sw.h5\n"
      "  gcan simulate navier-stokes --train 5200 --valid 1300 --test 1300 --out ns.h5\n"
      "  gcan simulate tetris --train 1024 --valid 1024 --test 1024 --out tetris.h5\n"
      "  gcan simulate shallow-water --help");
  add_kind(*command, context,
           {"shallow-water", "Shallow water on the rotating sphere", "The Well's layout",
            "paper (default) or small", kResuming,
            "  gcan simulate shallow-water --train 5600 --valid 1400 --test 1400 --out sw.h5\n"
            "  gcan simulate shallow-water --preset small --initial galewsky --time-step 1800 \\\n"
            "      --trajectories 8 --out jet.h5"},
           data::shallow_water_settings());
  add_kind(*command, context,
           {"navier-stokes", "Smoke that rises in a closed box", "The Well's layout",
            "paper (default) or small", kResuming,
            "  gcan simulate navier-stokes --train 5200 --valid 1300 --test 1300 --out ns.h5\n"
            "  gcan simulate navier-stokes --preset small --trajectories 8 --seed 7 --out ns.h5 --compress"},
           data::smoke_settings());
  add_kind(*command, context,
           {"tetris", "Eight rigid objects that rotate and drift", "the layout of docs/data-files.md",
            "paper (default) or literal (exactly the paper's text: no initial rotation, independent, rigid)",
            "Trajectory i of a split depends only on the options, the seed and i.",
            "  gcan simulate tetris --train 1024 --valid 1024 --test 1024 --out tetris.h5\n"
            "  gcan simulate tetris --train 16384 --rho 0 --orientation none --seed 7 --out other.h5"},
           data::tetris_settings());
  command->callback([command] {
    if (command->get_subcommands().empty())
      throw UsageError(
          "missing simulator: 'gcan simulate shallow-water', 'gcan simulate navier-stokes' or 'gcan simulate "
          "tetris'");
  });
}

}  // namespace gcan::cli
