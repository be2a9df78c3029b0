#include <gtest/gtest.h>

#include "tests/cli/run_program.h"

namespace gcan::test {
namespace list_test {

TEST(List, NamesNetworksDataAndKeys) {
  const Outcome all = run_gcan({"list"});
  EXPECT_EQ(all.code, 0) << all.err;
  for (const char* part : {"gca-mlp", "GCA-MLP", "443,776 parameters", "443,520", "tetris"}) {
    EXPECT_NE(all.out.find(part), std::string::npos) << part << " in " << all.out;
  }
  EXPECT_NE(run_gcan({"list", "gca-mlp"}).out.find("model.channels"), std::string::npos);
  EXPECT_NE(run_gcan({"list", "train"}).out.find("constant, cosine"), std::string::npos);
}

TEST(List, AnUnknownNameIsAnError) {
  expect_error(run_gcan({"list", "gca-mpl"}), 2, "did you mean 'gca-mlp'");
}

}  // namespace list_test
}  // namespace gcan::test
