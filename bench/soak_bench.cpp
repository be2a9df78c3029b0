// One process that trains for an hour and then evaluates 10,000 times: memory, open files and threads must
// stay flat. GCAN_SOAK_MINUTES and GCAN_SOAK_EVALUATIONS change that; minutes are CPU time, so a busy machine
// does not shorten the work. Pictures and numbers are written to build/soak.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gcan/data/generate.h"
#include "gcan/report/chart.h"
#include "gcan/train.h"

namespace {

namespace fs = std::filesystem;
using namespace gcan;

double setting(const char* name, double standard) {
  const char* text = std::getenv(name);
  return text == nullptr ? standard : std::atof(text);
}

double status_number(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + ":")) return std::atof(line.c_str() + key.size() + 1);
  return 0;
}

// Resources that could grow over time.
struct Course {
  std::string name;
  std::vector<double> at, memory, files, threads;  // memory in MB

  void sample(double place) {
    at.push_back(place);
    memory.push_back(status_number("VmRSS") / 1e3);
    threads.push_back(status_number("Threads"));
    files.push_back(static_cast<double>(std::distance(fs::directory_iterator("/proc/self/fd"), {})));
  }

  // The growth from the second quarter to the last, which excludes the start.
  static double growth(const std::vector<double>& values) {
    const std::size_t quarter = values.size() / 4;
    if (quarter == 0) return 0;
    const auto most = [&](std::size_t part) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(part * quarter);
      return *std::max_element(first, first + static_cast<std::ptrdiff_t>(quarter));
    };
    return most(3) - most(1);
  }

  void draw(const std::string& folder, const std::string& unit) const {
    report::Chart chart{.title = name, .x_label = unit, .y_label = "MB, files, threads", .y_log = true};
    chart.series.push_back({.name = "memory [MB]", .x = at, .y = memory});
    chart.series.push_back({.name = "open files", .x = at, .y = files, .colour = 1});
    chart.series.push_back({.name = "threads", .x = at, .y = threads, .colour = 2});
    report::draw_chart(chart, folder + "/" + name + ".png");
    std::ofstream table(folder + "/" + name + ".tsv");
    for (std::size_t i = 0; i < at.size(); ++i)
      table << at[i] << '\t' << memory[i] << '\t' << files[i] << '\t' << threads[i] << '\n';
    fmt::print("{}: {:.0f} {}, memory {:.1f} MB ({:+.1f}), open files {} ({:+}), threads {} ({:+})\n", name,
               at.back(), unit, memory.back(), growth(memory), files.back(), growth(files), threads.back(),
               growth(threads));
    fmt::print("VALUE soak_{}_growth {:.1f} MB\n", name, growth(memory));
  }
};

std::string make_run(const fs::path& folder) {
  const std::string data = (folder / "tetris.h5").string(), config = (folder / "soak.toml").string();
  data::generate(data::TetrisSet{}, {.splits = {256, 16, 16}, .out = data}, {});
  std::ofstream(config)
      << "[model]\nname = \"gca-mlp\"\n[data]\nkind = \"tetris\"\nfile = \"" << data
      << "\"\n[train]\nsteps = 1000000000\nbatch = 16\nvalidate_every = 100\nlog_every = 10\n"
         "checkpoint_every = 200\n";
  return config;
}

}  // namespace

int main() {
  const double minutes = setting("GCAN_SOAK_MINUTES", 60);
  const auto evaluations = static_cast<int>(setting("GCAN_SOAK_EVALUATIONS", 10000));
  const fs::path folder = fs::path("build") / "soak";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string config = make_run(fs::absolute(folder)), run = (folder / "run").string();
  torch::set_num_threads(1);

  Course training{"training", {}, {}, {}, {}}, evaluating{"evaluations", {}, {}, {}, {}};
  const auto passed = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC / 60; };
  train::Observer observer;
  observer.progress = [&](const train::Progress& p) {
    if (p.step % 20 == 0 && (training.at.empty() || passed() > training.at.back() + minutes / 400))
      training.sample(passed());
  };
  observer.stop = [&] { return passed() >= minutes; };
  const auto outcome = train::train(train::read_config(config, {}), run, observer);
  fmt::print("trained {} steps in {:.1f} minutes of processor time\n", outcome.step, passed());
  std::fflush(stdout);
  training.draw(folder.string(), "minutes");

  for (int i = 0; i < evaluations; ++i) {
    train::evaluate(run, train::Checkpoint::last, train::Split::valid);
    if (i % std::max(evaluations / 400, 1) == 0) evaluating.sample(i);
  }
  evaluating.draw(folder.string(), "evaluations");
  // Up to a tenth of a network's memory is allocator noise.
  const bool flat = Course::growth(training.memory) < 20 && Course::growth(evaluating.memory) < 20 &&
                    Course::growth(training.files) <= 0 && Course::growth(evaluating.files) <= 0 &&
                    Course::growth(training.threads) <= 0 && Course::growth(evaluating.threads) <= 0;
  fmt::print("{}\n", flat ? "flat" : "NOT FLAT");
  return flat ? 0 : 1;
}
