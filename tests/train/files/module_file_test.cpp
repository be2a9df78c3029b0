#include "gcan/train/files/module_file.h"

#include <gtest/gtest.h>

#include "gcan/models/tetris/gca_mlp.h"
#include "tests/data/scratch.h"

namespace gcan::train {
namespace module_file_test {

using test::expect_error_with;
using test::Scratch;

models::GcaMlp small(std::int64_t channels) {
  return models::GcaMlp(models::GcaMlpOptions().points(3).channels(channels));
}

TEST(ModuleFile, KeepsANetworkFoldedOrNot) {
  const Scratch scratch;
  const std::string path = scratch / "network.safetensors";
  const torch::Tensor x = torch::randn({2, 1, 4, 3, 3});
  for (const bool folded : {false, true}) {
    auto first = small(4), second = small(4);
    if (folded) {
      models::fold(*first);
      models::fold(*second);
    }
    EXPECT_FALSE(torch::equal(first(x), second(x)));
    save_module(path, *first);
    load_module(path, *second);
    EXPECT_TRUE(torch::equal(first(x), second(x)));
  }
}

TEST(ModuleFile, RejectsTheWeightsOfAnotherNetwork) {
  const Scratch scratch;
  const std::string path = scratch / "network.safetensors";
  save_module(path, *small(4));
  auto other = small(5);
  expect_error_with([&] { load_module(path, *other); }, {path, "shape"});
  auto folded = small(4);
  models::fold(*folded);
  expect_error_with([&] { load_module(path, *folded); }, {path});
  expect_error_with([&] { load_module(scratch / "none", *other); }, {"none"});
}

}  // namespace module_file_test
}  // namespace gcan::train
