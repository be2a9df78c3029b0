// The trained networks in models/: on data simulated again, each has the error that models/README.md states.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"
#include "tests/runner/source_dir.h"

namespace gcan::test {
namespace models_test {

namespace fs = std::filesystem;

const std::string kModels = source_dir() + "/models";

// The page's command that simulates a data file, as words.
std::vector<std::string> simulation_of(const std::string& file) {
  const std::string page = contents(kModels + "/README.md");
  std::smatch found;
  const std::regex line("\n    gcan (simulate [^\n]*--out " +
                        std::regex_replace(file, std::regex("\\."), "\\.") + ")\n");
  if (!std::regex_search(page, found, line)) return {};
  std::istringstream text(found[1]);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// The error in the page's row of a network: "| `gca-mlp` | ... | 0.0125 |".
double stated_error(const std::string& name) {
  const std::string page = contents(kModels + "/README.md");
  std::smatch found;
  const std::regex row("\n\\| `" + name + "` \\|[^\n]*\\| ([0-9.]+) \\|\n");
  return std::regex_search(page, found, row) ? std::stod(found[1]) : std::nan("");
}

class Models : public testing::TestWithParam<std::string> {};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(kModels))
    if (entry.is_directory()) all.push_back(entry.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Models, testing::ValuesIn(names()), [](const auto& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Models, HaveTheStatedError) {
  const Scratch scratch;
  const std::string run = kModels + "/" + GetParam();
  std::smatch found;
  const std::string config = contents(run + "/config.toml");
  ASSERT_TRUE(std::regex_search(config, found, std::regex("\nfile = \"([^\"]+)\"")));
  const std::string data = scratch / found[1].str();
  std::vector<std::string> words = simulation_of(found[1]);
  ASSERT_FALSE(words.empty()) << found[1];
  words.back() = data;
  const Outcome simulated = run_gcan(words);
  ASSERT_EQ(simulated.code, 0) << simulated.err;

  const Outcome evaluated = run_gcan({"evaluate", run, "--data", data, "--json"});
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  const auto json = nlohmann::json::parse(evaluated.out);
  const double error = json["checkpoints"]["best"]["error"];
  const auto result = nlohmann::json::parse(contents(run + "/result.json"));
  // Another instruction set adds in another order.
  EXPECT_NEAR(error / result["test"]["best"]["error"].get<double>(), 1, 1e-3);
  EXPECT_NEAR(error / stated_error(GetParam()), 1, 6e-3) << "models/README.md rounds to three digits";
}

}  // namespace models_test
}  // namespace gcan::test
