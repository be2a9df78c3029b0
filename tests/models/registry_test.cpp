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

TEST(Registry, AnUnknownNameIsAnError) { EXPECT_THROW(find("no-such-network"), Error); }

}  // namespace registry_test
}  // namespace gcan::models
