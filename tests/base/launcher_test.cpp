#include "gcan/base/launcher.h"

#include <gtest/gtest.h>

#include <map>

#include "gcan/base/error.h"

namespace gcan::base::launcher_test {
namespace {

using Given = std::map<std::string, std::string>;

Launch of(const Given& given) {
  return launch_of([&](const std::string& name) -> std::optional<std::string> {
    const auto found = given.find(name);
    return found == given.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string sentence_of(const Given& given) {
  try {
    of(given);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const Given kTorchrun{{"RANK", "3"},
                      {"WORLD_SIZE", "8"},
                      {"LOCAL_RANK", "1"},
                      {"LOCAL_WORLD_SIZE", "2"},
                      {"MASTER_ADDR", "node7"},
                      {"MASTER_PORT", "29511"},
                      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                      {"TORCHELASTIC_RUN_ID", "job"},
                      {"TORCHELASTIC_RESTART_COUNT", "2"}};

Given with(Given given, const std::string& name, const std::string& value) {
  given[name] = value;
  return given;
}

TEST(Launcher, NothingMeansAlone) {
  const Launch launch = of({});
  EXPECT_EQ(launch.size, 1);
  EXPECT_EQ(launch.launcher, "");
  EXPECT_EQ(of({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).launcher, "") << "one process is alone";
  EXPECT_EQ(of({{"RANK", "0"}}).size, 1) << "a variable that somebody else set";
}

TEST(Launcher, ReadsTorchrun) {
  const Launch launch = of(kTorchrun);
  EXPECT_EQ(launch.launcher, "torchrun");
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.size, 8);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 2);
  EXPECT_EQ(launch.host, "node7");
  EXPECT_EQ(launch.port, 29511);
  EXPECT_TRUE(launch.served);
  EXPECT_NE(launch.attempt, of(with(kTorchrun, "TORCHELASTIC_RESTART_COUNT", "3")).attempt);
}

TEST(Launcher, ReadsOpenMpi) {
  const Given given{{"OMPI_COMM_WORLD_RANK", "1"},
                    {"OMPI_COMM_WORLD_SIZE", "4"},
                    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                    {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                    {"PMIX_NAMESPACE", "1234@1"}};
  const Launch launch = of(given);
  EXPECT_EQ(launch.launcher, "mpirun");
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.size, 4);
  EXPECT_NE(launch.file.find("1234-1"), std::string::npos) << launch.file;
  EXPECT_NE(launch.file, of(with(given, "PMIX_NAMESPACE", "1235@1")).file);
  const Launch addressed = of(with(given, "MASTER_ADDR", "node1"));
  EXPECT_EQ(addressed.host, "node1");
  EXPECT_EQ(addressed.file, "");
}

TEST(Launcher, ReadsMpich) {
  const Launch launch = of({{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}, {"PMI_PORT", "node:4711"}});
  EXPECT_EQ(launch.rank, 2);
  EXPECT_EQ(launch.size, 3);
  EXPECT_FALSE(launch.file.empty());
  // Its launcher starts one process on each machine of a Slurm job by srun, and those start the ranks.
  Given step{{"PMI_RANK", "2"},        {"PMI_SIZE", "4"},      {"MPI_LOCALNRANKS", "2"},
             {"MPI_LOCALRANKID", "0"}, {"SLURM_PROCID", "1"},  {"SLURM_STEP_NUM_TASKS", "2"},
             {"SLURM_STEP_ID", "0"},   {"SLURM_JOB_ID", "77"}, {"SLURM_JOB_NODELIST", "node[03-04]"}};
  EXPECT_EQ(of(step).launcher, "mpirun");
  EXPECT_EQ(of(step).rank, 2);
  EXPECT_EQ(of(step).local_size, 2);
  step.erase("MPI_LOCALNRANKS");
  EXPECT_EQ(of(step).launcher, "srun") << "srun with its own PMI";
}

TEST(Launcher, ReadsSlurm) {
  const Given given{{"SLURM_PROCID", "5"},
                    {"SLURM_NTASKS", "8"},
                    {"SLURM_STEP_NUM_TASKS", "6"},
                    {"SLURM_LOCALID", "1"},
                    {"SLURM_STEP_ID", "0"},
                    {"SLURM_JOB_ID", "77"},
                    {"SLURM_JOB_NODELIST", "node[03-05]"},
                    {"SLURM_STEP_TASKS_PER_NODE", "2(x3)"}};
  const Launch launch = of(given);
  EXPECT_EQ(launch.launcher, "srun");
  EXPECT_EQ(launch.rank, 5);
  EXPECT_EQ(launch.size, 6) << "a step may be a part of a job";
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 2);
  EXPECT_EQ(launch.host, "node03");
  EXPECT_NE(launch.port, of(with(given, "SLURM_STEP_ID", "1")).port) << "two steps of a job run at once";
  EXPECT_EQ(of(with(given, "SLURM_JOB_NODELIST", "node9")).local_size, 6);
  Given script = given;
  script.erase("SLURM_STEP_ID");
  EXPECT_EQ(of(script).size, 1) << "the script of a batch job is one process";
}

TEST(Launcher, NamesInvalidVariables) {
  EXPECT_EQ(sentence_of(with(kTorchrun, "RANK", "8")),
            "the variable RANK is '8', expected a whole number from 0 to 7");
  EXPECT_NE(sentence_of(with(kTorchrun, "WORLD_SIZE", "many")).find("WORLD_SIZE is 'many'"),
            std::string::npos);
  EXPECT_NE(sentence_of(with(kTorchrun, "MASTER_PORT", "70000")).find("MASTER_PORT"), std::string::npos);
  EXPECT_NE(sentence_of(with(kTorchrun, "LOCAL_RANK", "-1")).find("LOCAL_RANK"), std::string::npos);
  EXPECT_NE(sentence_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}).find("MASTER_ADDR"), std::string::npos);
}

TEST(Launcher, FindsTheFirstHostOfAList) {
  EXPECT_EQ(first_host("node1"), "node1");
  EXPECT_EQ(first_host("node1,node2"), "node1");
  EXPECT_EQ(first_host("node[03-07,9],gpu1"), "node03");
  EXPECT_EQ(first_host("node[9,3-7]"), "node9");
  EXPECT_EQ(first_host("gpu,node[1-2]"), "gpu");
  EXPECT_EQ(first_host("r[1-2]n[5-6]"), "r1n5");
  EXPECT_EQ(first_host("rack[1-2].cluster,b"), "rack1.cluster");
}

}  // namespace
}  // namespace gcan::base::launcher_test
