// Family `distributed`: whole trainings by `gcan train`, with one process and with several, of which it reads
// the speeds. The program is GCAN_PROGRAM, or build/release/bin/gcan.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/report.h"
#include "gcan/base/children.h"
#include "gcan/base/error.h"

namespace {

namespace fs = std::filesystem;
using gcan::bench::median;

// A folder for data and runs as long as the object lives.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("gcan-bench-{}", getpid());
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

void run(const std::vector<std::string>& words, const fs::path& log) {
  const char* given = std::getenv("GCAN_PROGRAM");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  std::vector<std::string> command{given != nullptr ? given : "build/release/bin/gcan"};
  command.insert(command.end(), words.begin(), words.end());
  gcan::base::Children children;
  children.start(0, command, log.string());
  while (true) {
    for (const gcan::base::Ended& child : children.wait(1)) {
      if (child.code == 0) return;
      throw gcan::Error(
          fmt::format("'{}' ended with code {}; see {}", words.front(), child.code, log.string()));
    }
  }
}

struct Work {
  std::string data;
  int channels, batch, steps;
};

struct Speed {
  double step = 0;    // [s]
  double waited = 0;  // share of it
};

// The second half of a training, when caches and threads are warm.
Speed train(const Folder& folder, const Work& work, const std::vector<std::string>& more) {
  const fs::path out = folder.path / "run", config = folder.path / "config.toml";
  fs::remove_all(out);
  std::ofstream(config) << fmt::format(
      "[model]\nname = \"gca-unet\"\nchannels = {}\n[data]\nkind = \"fluid\"\nfile = \"{}\"\nwindows = 1\n"
      "rollout = 1\n[train]\nsteps = {}\nbatch = {}\nlog_every = {}\nvalidate_every = {}\n",
      work.channels, work.data, work.steps, work.batch, work.steps / 2, work.steps);
  std::vector<std::string> words{"train", config.string(), "--out", out.string()};
  words.insert(words.end(), more.begin(), more.end());
  run(words, folder.path / "train.log");
  std::vector<nlohmann::json> lines;
  std::ifstream file(out / "metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json["kind"] == "train") lines.push_back(json);
  }
  const auto between = [&](const char* key) {
    return lines.at(1).value(key, 0.0) - lines.at(0).value(key, 0.0);
  };
  const double seconds = between("train_seconds");
  return {seconds / (work.steps - work.steps / 2), between("waited") / seconds};
}

// 1 process x 2 threads against 2 x 1, in turns.
void report_two(const Folder& folder, gcan::bench::Report& report) {
  const std::string data = (folder.path / "small.h5").string();
  run({"simulate", "shallow-water", "--truncation", "21", "--frames", "22", "--train", "8", "--valid", "1",
       "--test", "1", "--out", data},
      folder.path / "data.log");
  const Work work{data, 8, 8, 40};
  std::vector<double> processes, threads, ratios;
  for (int round = 0; round < 3; ++round) {
    processes.push_back(train(folder, work, {"--processes", "2", "--threads", "1"}).step);
    threads.push_back(train(folder, work, {"--threads", "2"}).step);
    ratios.push_back(processes.back() / threads.back());
  }
  report.ratio("two_processes_vs_two_threads", {median(processes), median(threads), median(ratios)});
}

void report_exposed(const Folder& folder, gcan::bench::Report& report) {
  const std::string data = (folder.path / "large.h5").string();
  run({"simulate", "shallow-water", "--frames", "8", "--train", "4", "--valid", "1", "--test", "1", "--out",
       data},
      folder.path / "data.log");
  for (const std::string wire : {"float", "bfloat16"}) {
    const Speed speed = train(folder, {data, 32, 2, 6},
                              {"--processes", "2", "--threads", "1", "--set", "train.wire=" + wire});
    const std::string row = wire == "float" ? "exposed_communication" : "exposed_communication_bfloat16";
    report.value(row, 100 * speed.waited, "%");
  }
}

}  // namespace

int main() {
  const Folder folder;
  gcan::bench::Report report("training by several processes; two cores of one machine");
  report_two(folder, report);
  report_exposed(folder, report);
}
