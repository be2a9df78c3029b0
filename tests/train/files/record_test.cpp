#include "gcan/train/files/record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/train/tiny_run.h"

namespace gcan::train {
namespace record_test {

using test::expect_error_with;

TEST(Record, AResultRoundTrips) {
  Result result;
  result.steps = 12;
  result.seconds = 3.5;
  result.steps_per_second = 4;
  result.parameters = 443776;
  result.test_last = {12, {0.1, {0.04, 0.06}, {{"spectrum", 2}}}};
  result.test_best = {8, {0.2, {0.1, 0.1}}};
  result.valid_last = {12, {0.3}};
  result.valid_best = {8, {0.4}};
  result.trivial = {{"constant velocity", {0.5, {0.2, 0.3}}}};
  const auto json = to_json(result);
  EXPECT_EQ(json["test"]["last"]["error"], 0.1);
  EXPECT_EQ(json["test"]["last"]["by_step"].size(), 2U);
  EXPECT_EQ(json["trivial"]["constant velocity"]["error"], 0.5);
  EXPECT_EQ(to_json(result_from(json)).dump(), json.dump());
  expect_error_with([] { result_from({{"steps", 3}}); }, {"form"});
  expect_error_with([] { result_from({{"steps", "three"}}); }, {"form"});
}

TEST(Record, ContainsWhatARunDependsOn) {
  const test::Scratch scratch;
  const Config config = test::tiny_config(test::tiny_data(scratch), {"train.seed=5"});
  const auto task = config.make_task();
  const auto json = run_record(config, *task, 99);
  EXPECT_EQ(json["seed"], 5);
  EXPECT_EQ(json["parameters"], 99);
  EXPECT_EQ(json["threads"], at::get_num_threads());
  EXPECT_EQ(json["data"]["train"], 20);
  EXPECT_EQ(json["data"]["file"], config.data.text("file"));
  for (const char* key : {"/gcan/version", "/gcan/commit", "/machine/processor", "/machine/simd",
                          "/libtorch/version", "/libtorch/capability", "/data/checksum", "/started"}) {
    EXPECT_FALSE(json.at(nlohmann::ordered_json::json_pointer(key)).get<std::string>().empty()) << key;
  }
}

}  // namespace record_test
}  // namespace gcan::train
