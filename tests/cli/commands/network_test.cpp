// Two ranks on two machines: network namespaces with their own addresses, and a link that is cut.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gcan/base/children.h"
#include "tests/cli/ranks.h"
#include "tests/data/scratch.h"

namespace gcan::cli::network_test {
namespace {

using test::Outcome;
using test::run_gcan;
using test::Running;
using test::Scratch;

// During its lifetime.
class TwoMachines {
 public:
  TwoMachines() : ip_(base::find_program("ip")) {
    if (ip_.empty()) return;
    made_ = ip({"netns", "add", name(0)}) && ip({"netns", "add", name(1)}) &&
            ip({"link", "add", link(0), "netns", name(0), "type", "veth", "peer", "name", link(1), "netns",
                name(1)});
    for (int i = 0; made_ && i < 2; ++i) {
      made_ = ip({"-n", name(i), "address", "add", address(i) + "/24", "dev", link(i)}) &&
              ip({"-n", name(i), "link", "set", link(i), "up"}) &&
              ip({"-n", name(i), "link", "set", "lo", "up"});
    }
  }
  ~TwoMachines() {
    for (int i = 0; !ip_.empty() && i < 2; ++i) ip({"netns", "del", name(i)});
  }
  TwoMachines(const TwoMachines&) = delete;

  [[nodiscard]] bool are_there() const { return made_; }
  void cut() { EXPECT_TRUE(ip({"-n", name(1), "link", "set", link(1), "down"})); }

  [[nodiscard]] std::vector<Running> start(const std::vector<std::string>& arguments) const {
    std::vector<Running> ranks;
    for (int i = 0; i < 2; ++i) {
      std::vector<std::string> command{ip_, "netns", "exec", name(i), GCAN_PROGRAM};
      command.insert(command.end(), arguments.begin(), arguments.end());
      ranks.emplace_back(command, std::vector<std::string>{fmt::format("RANK={}", i), "LOCAL_RANK=0",
                                                           "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=1",
                                                           "MASTER_ADDR=" + address(0), "MASTER_PORT=29517"});
    }
    return ranks;
  }

 private:
  bool ip(std::vector<std::string> words) {
    words.insert(words.begin(), ip_);
    return test::run_program(words).code == 0;
  }
  [[nodiscard]] static std::string name(int i) { return fmt::format("gcan{}-{}", getpid(), i); }
  [[nodiscard]] static std::string link(int i) { return fmt::format("gc{}-{}", getpid(), i); }
  [[nodiscard]] static std::string address(int i) { return fmt::format("10.97.0.{}", i + 1); }

  std::string ip_;
  bool made_ = false;
};

std::string bytes_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(Network, ACutLinkEndsAllInTimeAndTheRunGoesOnBitForBit) {
  TwoMachines machines;
  if (!machines.are_there()) GTEST_SKIP() << "network namespaces need root and a kernel that has them";
  const Scratch scratch;
  const std::string data = scratch / "tetris.h5", config = scratch / "config.toml", run = scratch / "run";
  ASSERT_EQ(
      run_gcan({"simulate", "tetris", "--train", "64", "--valid", "72", "--test", "8", "--out", data}).code,
      0);
  std::ofstream(config) << "[model]\nname = \"gca-mlp\"\nchannels = 16\n[data]\nkind = \"tetris\"\nfile = \""
                        << data
                        << "\"\n[train]\nbatch = 8\nthreads = 1\ntimeout = 5.0\nsteps = 120\nema = 0.9\n"
                           "validate_every = 50\ncheckpoint_every = 10\nlog_every = 10\n";
  ASSERT_EQ(run_gcan({"train", config, "--out", scratch / "whole", "--processes", "2"}).code, 0);

  std::vector<Running> ranks = machines.start({"train", config, "--out", run});
  ASSERT_TRUE(test::wait_for_file(run + "/checkpoints/last/state.json", 30));
  machines.cut();
  const auto start = std::chrono::steady_clock::now();
  for (Running& rank : ranks) {
    const Outcome outcome = rank.wait(12);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("gcan: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("rank "), std::string::npos) << outcome.err;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));

  const Outcome again = run_gcan({"train", run, "--processes", "2"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("resuming from step"), std::string::npos) << again.err;
  for (const char* file : {"weights", "optimizer", "ema"}) {
    const std::string path = fmt::format("/checkpoints/last/{}.safetensors", file);
    EXPECT_FALSE(bytes_of(run + path).empty()) << path;
    EXPECT_TRUE(bytes_of(run + path) == bytes_of(scratch / "whole" + path)) << path;
  }
}

}  // namespace
}  // namespace gcan::cli::network_test
