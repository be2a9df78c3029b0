#include "gcan/models/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "gcan/base/error.h"

namespace gcan::models {
namespace registry_test {

TEST(Registry, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const Model& model : registry()) {
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
    EXPECT_EQ(find(model.name).title, model.title);
  }
}

// `gcan list` prints the catalog's numbers without making a network.
TEST(Registry, TheCatalogHasTheSizesOfTheNetworks) {
  ASSERT_EQ(registry().size(), catalog().size());
  for (std::size_t i = 0; i < catalog().size(); ++i) {
    const Model& model = registry()[i];
    EXPECT_EQ(model.name, catalog()[i].name);
    const auto network = model.make(config::Options("model", model.options));
    EXPECT_EQ(parameter_count(*network), catalog()[i].parameters) << model.name;
  }
}

TEST(Registry, AnUnknownNameIsAnError) { EXPECT_THROW(find("no-such-network"), Error); }

}  // namespace registry_test
}  // namespace gcan::models
