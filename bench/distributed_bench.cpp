// Family `distributed`: runs of `gcan train` with one and with several processes, whose speeds it reads. The
// program is GCAN_PROGRAM, or build/release/bin/gcan.
//
//   bench_distributed [two] [exposed] [link] [model [CHANNELS...]]        default: the first three
//
// `link` trains with two processes in network namespaces, connected by a link with 1 Gbit/s and 0.5 ms in
// each direction (slow_link.h); it needs root and ip. `model` makes the measurements that tools/scaling_model
// fits, in about ten minutes.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/slow_link.h"
#include "gcan/base/children.h"
#include "gcan/base/error.h"

namespace {

namespace fs = std::filesystem;
using gcan::bench::median;
using gcan::bench::SlowLink;
using Words = std::vector<std::string>;

// A folder for data and runs during the object's lifetime.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("gcan-bench-{}", getpid());
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

struct Process {
  Words command, environment;
};

std::string program() {
  const char* given = std::getenv("GCAN_PROGRAM");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return given != nullptr ? given : "build/release/bin/gcan";
}

// Runs programs in parallel and waits for them.
void run(const std::vector<Process>& processes, const fs::path& log) {
  gcan::base::Children children;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    children.start(i, processes[i].command, log.string() + std::to_string(i), processes[i].environment);
  }
  while (children.running() > 0) {
    for (const gcan::base::Ended& child : children.wait(1)) {
      if (child.code != 0)
        throw gcan::Error(
            fmt::format("a program ended with code {}; see {}{}", child.code, log.string(), child.id));
    }
  }
}

void run(Words words, const fs::path& log) {
  words.insert(words.begin(), program());
  run({Process{words, {}}}, log);
}

// Runs the command on both sides of a link, as the ranks of one run.
std::vector<Process> on_both(const SlowLink& link, Words words) {
  words.insert(words.begin(), program());
  std::vector<Process> both;
  for (int i = 0; i < 2; ++i) {
    both.push_back({link.on_side(i, words),
                    {fmt::format("RANK={}", i), "LOCAL_RANK=0", "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=1",
                     "MASTER_ADDR=" + SlowLink::address(0), "MASTER_PORT=29519"}});
  }
  return both;
}

struct Work {
  std::string data;
  int channels, batch, steps;
};

struct Speed {
  double step = 0;    // [s]
  double waited = 0;  // share of it
};

Words training(const Folder& folder, const Work& work, const Words& more) {
  const fs::path out = folder.path / "run", config = folder.path / "config.toml";
  fs::remove_all(out);
  std::ofstream(config) << fmt::format(
      "[model]\nname = \"gca-unet\"\nchannels = {}\n[data]\nkind = \"fluid\"\nfile = \"{}\"\nwindows = 1\n"
      "rollout = 1\n[train]\nsteps = {}\nbatch = {}\nlog_every = {}\nvalidate_every = {}\n",
      work.channels, work.data, work.steps, work.batch, work.steps / 2, work.steps);
  Words words{"train", config.string(), "--out", out.string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Measures the second half of a run, when caches and threads are warm.
Speed speed_of(const Folder& folder, const Work& work) {
  std::vector<nlohmann::json> lines;
  std::ifstream file(folder.path / "run" / "metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json["kind"] == "train") lines.push_back(json);
  }
  const auto between = [&](const char* key) {
    return lines.at(1).value(key, 0.0) - lines.at(0).value(key, 0.0);
  };
  const double seconds = between("train_seconds");
  const Speed speed{seconds / (work.steps - work.steps / 2), between("waited") / seconds};
  fmt::print(stderr, "GCA-UNet-{}, batch {}: {:.3f} s a step, waited {:.3f} s\n", work.channels, work.batch,
             speed.step, speed.step * speed.waited);
  return speed;
}

Speed train(const Folder& folder, const Work& work, const Words& more) {
  run(training(folder, work, more), folder.path / "train.log");
  return speed_of(folder, work);
}

Speed train_over(const SlowLink& link, const Folder& folder, const Work& work, const std::string& wire) {
  run(on_both(link, training(folder, work, {"--threads", "1", "--set", "train.wire=" + wire})),
      folder.path / "link.log");
  return speed_of(folder, work);
}

// 1 process x 2 threads compared with 2 x 1, alternating.
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

// On the paper's grid.
std::string large_data(const Folder& folder) {
  std::string data = (folder.path / "large.h5").string();
  if (!fs::exists(data)) {
    run({"simulate", "shallow-water", "--frames", "8", "--train", "4", "--valid", "1", "--test", "1", "--out",
         data},
        folder.path / "data.log");
  }
  return data;
}

constexpr const char* kWires[] = {"float", "bfloat16"};

void report_exposed(const Folder& folder, gcan::bench::Report& report) {
  for (const std::string wire : kWires) {
    const Speed speed = train(folder, {large_data(folder), 32, 2, 4},
                              {"--processes", "2", "--threads", "1", "--set", "train.wire=" + wire});
    const std::string row = wire == "float" ? "exposed_communication" : "exposed_communication_bfloat16";
    report.value(row, 100 * speed.waited, "%");
  }
}

std::string text_of(const SlowLink& link) {
  return fmt::format("a link of 1 Gbit/s and 0.5 ms in each direction, by {}", link.means());
}

// What the idle link provides.
void report_speed_of(const SlowLink& link, gcan::bench::Report& report) {
  fmt::print("{}\n", text_of(link));
  report.value("link_round_trip", 1e3 * link.round_trip(), "ms");
  report.value("link_throughput", link.throughput() / 1e6, "Mbit/s");
}

// The CPU time of this process, including the relay [s].
double own_work() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void report_link(const Folder& folder, gcan::bench::Report& report) {
  std::unique_ptr<SlowLink> link;
  try {
    link = std::make_unique<SlowLink>(SlowLink::Speed{});
  } catch (const gcan::Error& error) {
    fmt::print("exposed_communication_link: not measured: {}\n", error.what());
    return;
  }
  report_speed_of(*link, report);
  for (const std::string wire : kWires) {
    const std::string tail = wire == "float" ? "" : "_bfloat16";
    const double relayed = own_work();
    const Work work{large_data(folder), 32, 2, 4};
    const Speed speed = train_over(*link, folder, work, wire);
    report.value("exposed_communication_link" + tail, 100 * speed.waited, "%");
    report.value("step_link" + tail, speed.step, "s");
    report.value("relay_link" + tail, (own_work() - relayed) / work.steps, "s");  // CPU time per step
  }
}

// The data of the cost model: steps of one process, over loopback, and over the link.
void report_model(const Folder& folder, const std::vector<int>& widths, gcan::bench::Report& report) {
  const SlowLink link({});
  report_speed_of(link, report);
  for (const int channels : widths) {
    const int steps = channels > 16 ? 4 : 8;
    const auto row = [&](const std::string& how, int batch, const Speed& speed) {
      const std::string name = fmt::format("model_{}_{}_{}", how, channels, batch);
      report.value(name, speed.step, "s");
      if (speed.waited > 0) report.value(name + "_waited", speed.step * speed.waited, "s");
    };
    for (const int batch : {1, 2}) {
      const Work work{large_data(folder), channels, batch, steps};
      row("alone", batch, train(folder, work, {"--threads", "1"}));
      if (channels == 32) row("threads", batch, train(folder, work, {"--threads", "2"}));
    }
    std::ifstream record(folder.path / "run" / "run.json");
    fmt::print("parameters of GCA-UNet-{}: {}\n", channels,
               nlohmann::json::parse(record)["parameters"].get<std::int64_t>());
    const Work both{large_data(folder), channels, 2, steps};
    row("loopback", 2, train(folder, both, {"--processes", "2", "--threads", "1"}));
    for (const std::string wire : kWires) row("link-" + wire, 2, train_over(link, folder, both, wire));
  }
}

}  // namespace

int main(int count, char** words) {
  const Words asked(words + 1, words + count);
  const auto wants = [&](const char* row) {
    return asked.empty() ? std::string(row) != "model"
                         : std::find(asked.begin(), asked.end(), row) != asked.end();
  };
  const Folder folder;
  gcan::bench::Report report("training by several processes; two cores of one machine");
  if (wants("two")) report_two(folder, report);
  if (wants("exposed")) report_exposed(folder, report);
  if (wants("link")) report_link(folder, report);
  std::vector<int> widths;
  for (const std::string& word : asked) {
    if (word.find_first_not_of("0123456789") == std::string::npos) widths.push_back(std::stoi(word));
  }
  if (widths.empty()) widths = {8, 16, 24, 32};
  if (wants("model")) report_model(folder, widths, report);
}
