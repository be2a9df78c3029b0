#include "gcan/train/config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/data/scratch.h"
#include "tests/runner/source_dir.h"

namespace gcan::train {
namespace config_test {

using test::expect_error_with;
using test::Scratch;

const std::string kSmallest = "[model]\nname = \"mlp\"\n[data]\nkind = \"tetris\"\n";

std::string written(const Scratch& scratch, const std::string& text) {
  std::string path = scratch / "c.toml";
  std::ofstream(path) << text;
  return path;
}

TEST(TrainConfig, SettingsOverrideTheFile) {
  const Scratch scratch;
  const std::string path = written(scratch, kSmallest + "file = \"t.h5\"\n[train]\nsteps = 5\nbatch = 3\n");
  const Config config =
      read_config(path, {"train.steps=7", "model.width=20", "train.seed=9", "train.seed=8"});
  EXPECT_EQ(config.train.integer("steps"), 7);
  EXPECT_EQ(config.train.integer("batch"), 3);
  EXPECT_EQ(config.train.integer("seed"), 8);
  EXPECT_EQ(config.model.integer("width"), 20);
  EXPECT_EQ(config.data.text("file"), (std::filesystem::current_path() / "t.h5").string());
}

TEST(TrainConfig, ANetworkCanBeReplaced) {
  const Scratch scratch;
  const Config config = read_config(written(scratch, kSmallest), {"model.name=gca-mlp", "model.channels=4"});
  EXPECT_EQ(config.model_name, "gca-mlp");
  EXPECT_EQ(config.model.integer("channels"), 4);
}

TEST(TrainConfig, RoundTrips) {
  const Scratch scratch;
  for (const models::Model& model : models::registry()) {
    if (model.kind != models::Kind::tetris) continue;
    const Config config = make_config({"model.name=" + model.name, "data.kind=tetris",
                                       "train.learning_rate=0.3", "data.file=/a \"b\"/c.h5"});
    const Config again = read_config(written(scratch, to_toml(config)));
    EXPECT_EQ(difference(config, again), "") << model.name;
    EXPECT_EQ(to_toml(config), to_toml(again));
  }
}

TEST(TrainConfig, NetworkAndDataShareKeys) {
  const auto velocities = [](const std::vector<std::string>& more) {
    std::vector<std::string> settings{"data.kind=tetris"};
    settings.insert(settings.end(), more.begin(), more.end());
    const Config config = make_config(settings);
    EXPECT_EQ(config.model.flag("velocities"), config.data.flag("velocities"));
    return config.data.flag("velocities");
  };
  EXPECT_FALSE(velocities({"model.name=mlp"}));
  EXPECT_TRUE(velocities({"model.name=mlp", "data.velocities=true"}));
  EXPECT_TRUE(velocities({"model.name=mlp", "model.velocities=true"}));
  EXPECT_TRUE(velocities({"model.name=mlp-velocity"}));
  expect_error_with(
      [&] {
        velocities({"model.name=mlp", "data.velocities=true", "model.velocities=false"});
      },
      {"model.velocities is false", "data.velocities is true"});
}

TEST(TrainConfig, MistakesAreErrors) {
  const Scratch scratch;
  const auto fails = [&](const std::string& text, std::initializer_list<std::string> parts) {
    const std::string path = written(scratch, text);
    expect_error_with([&] { read_config(path); }, parts);
  };
  fails(kSmallest + "[trian]\nsteps = 1\n", {"c.toml, line 6", "'trian'", "'train'"});
  fails(kSmallest + "[network]\nsteps = 1\n", {"c.toml, line 6", "'network'"});
  fails(kSmallest + "[train]\nlearning_rat = 1\n", {"c.toml, line 6", "'train.learning_rate'"});
  fails(kSmallest + "[train]\nsteps = -1\n", {"c.toml, line 6", "train.steps", "-1"});
  fails(kSmallest + "[train]\noptimizer = \"sgd\"\n", {"c.toml, line 6", "adam, adamw", "sgd"});
  fails(kSmallest + "[train]\nsteps = 5\nwarmup_steps = 6\n",
        {"warmup_steps (6)", "steps (5)", "at most 5", "train.warmup to a fraction"});
  fails("[model]\nname = \"mlpp\"\n[data]\nkind = \"tetris\"\n", {"c.toml, line 2", "'mlpp'", "'mlp'"});
  fails("[model]\nname = 3\n[data]\nkind = \"tetris\"\n", {"c.toml, line 2", "model.name", "a string"});
  fails("[model]\nname = \"mlp\"\n[data]\nkind = \"tetriss\"\n", {"c.toml, line 4", "'tetris'"});
  fails("[model]\nname = \"mlp\"\n", {"data.kind"});
  fails("[data]\nkind = \"tetris\"\n", {"model.name"});
  expect_error_with(
      [] {
        make_config({"model.name=mlp", "data.kind=tetris", "train.steps=many"});
      },
      {"--set", "train.steps", "'many'"});
}

TEST(TrainConfig, DifferencesThatMatter) {
  const auto config = [](const std::string& setting) {
    return make_config({"model.name=mlp", "data.kind=tetris", setting});
  };
  const Config base = config("train.seed=1");
  EXPECT_EQ(difference(base, config("train.steps=12")), "train.steps is 131072 there and 12 here");
  EXPECT_EQ(difference(base, config("model.width=12")), "model.width is 384 there and 12 here");
  EXPECT_EQ(difference(base, config("model.name=gca-mlp")),
            "model.name is \"mlp\" there and \"gca-mlp\" here");
  for (const char* free : {"train.threads=2", "train.checkpoint_every=1", "data.file=x"}) {
    EXPECT_EQ(difference(base, config(free)), "") << free;
  }
}

// Every configuration that we give away can be read and makes its network.
TEST(TrainConfig, TheConfigurationsOfTheProject) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_dir() + "/configs")) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path());
    EXPECT_GT(models::parameter_count(*read_config(entry.path().string()).make_network()), 0);
    ++count;
  }
  EXPECT_GT(count, 4);
}

}  // namespace config_test
}  // namespace gcan::train
