#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_program.h"

namespace gcan::test {
namespace doctor_test {

nlohmann::json doctor(const std::vector<std::string>& environment, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"doctor", "--json"});
  const Outcome outcome = run_gcan(arguments, {environment, ""});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

bool warns(const nlohmann::json& report, const std::string& part) {
  for (const std::string warning : report["warnings"]) {
    if (warning.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(Doctor, ReportsFindingsSettingsAndMeasurements) {
  const Outcome outcome = run_gcan({"doctor"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"Found", "cores", "BLAS", "SIMD", "Usable", "devices", "pictures", "Set",
                           "OMP_WAIT_POLICY", "Measured", "GFLOPS"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " is missing in " << outcome.out;
  }
}

TEST(Doctor, TheEnvironmentLimitsTheSimdLevel) {
  RunOptions options;
  options.environment = {"GCAN_SIMD=avx2"};
  const Outcome limited = run_gcan({"doctor"}, options), plain = run_gcan({"doctor"});
  EXPECT_EQ(limited.out.find("AVX3"), std::string::npos) << limited.out;
  if (plain.out.find("AVX3") != std::string::npos) {
    EXPECT_NE(limited.out.find("AVX2"), std::string::npos) << limited.out;
  }
}

TEST(Doctor, PrintsTheSameAsJson) {
  const auto report = doctor({"OMP_WAIT_POLICY", "OMP_NUM_THREADS", "GOMP_SPINCOUNT", "GCAN_HAS_SET"});
  EXPECT_EQ(report["threads"]["aten"], report["cores"]["usable"]);
  EXPECT_TRUE(report["threads"]["wait_passively"]);
  EXPECT_EQ(report["environment"]["OMP_WAIT_POLICY"]["value"], "passive");
  EXPECT_FALSE(report["environment"]["OMP_WAIT_POLICY"]["set_by_user"]);
  EXPECT_NE(report["usable"]["configurations"].get<std::string>().find("share/gcan/configs"),
            std::string::npos);
  ASSERT_FALSE(report["gemm"].empty());
  for (const auto& rate : report["gemm"]) EXPECT_GT(rate["gflops"], 0);
}

TEST(Doctor, KeepsTheUsersSettingsAndWarnsAboutThem) {
  const auto report =
      doctor({"OMP_WAIT_POLICY=active", "ATEN_CPU_CAPABILITY=default", "OMP_NUM_THREADS=3", "GCAN_HAS_SET"});
  EXPECT_EQ(report["threads"]["aten"], 3);
  EXPECT_EQ(report["threads"]["from"], "OMP_NUM_THREADS");
  EXPECT_EQ(report["environment"]["OMP_WAIT_POLICY"]["value"], "active");
  EXPECT_TRUE(report["environment"]["OMP_WAIT_POLICY"]["set_by_user"]);
  EXPECT_TRUE(warns(report, "OMP_WAIT_POLICY"));
  if (report["simd"]["avx512"]) {
    EXPECT_TRUE(warns(report, "ATEN_CPU_CAPABILITY"));
  }
}

TEST(Doctor, CommandLineOverridesTheEnvironment) {
  const auto report = doctor({"OMP_NUM_THREADS=3", "OPENBLAS_NUM_THREADS=2"}, {"--threads", "1"});
  EXPECT_EQ(report["threads"]["aten"], 1);
  EXPECT_EQ(report["threads"]["from"], "--threads");
  if (report["threads"]["openblas"] != 0) {
    EXPECT_EQ(report["threads"]["openblas"], 1);
  }
}

TEST(Doctor, DetectsUnwritableOutput) {
  expect_error(run_gcan({"doctor"}, {{}, "/dev/full"}), 1, "could not be written");
}

}  // namespace doctor_test
}  // namespace gcan::test
