#include "gcan/data/file_names.h"

#include "tests/data/scratch.h"

namespace gcan::data {
namespace file_names_test {

using test::expect_error_with;
using Names = std::vector<std::string>;

struct SomeFiles {
  test::Scratch scratch;
  SomeFiles() {
    for (const char* name : {"sw-1.h5", "sw-0.h5", "sw-10.h5", "ns.h5", "a,b.h5", "odd[1].h5"})
      std::ofstream(scratch / name) << "x";
  }
  std::string operator/(const std::string& name) const { return scratch / name; }
};

TEST(FileNames, PatternsAndListsNameFiles) {
  const SomeFiles in;
  EXPECT_EQ(files_named(in / "ns.h5"), Names{in / "ns.h5"});
  EXPECT_EQ(files_named(in / "sw-?.h5"), (Names{in / "sw-0.h5", in / "sw-1.h5"}));
  EXPECT_EQ(files_named(in / "sw-*.h5"), (Names{in / "sw-0.h5", in / "sw-1.h5", in / "sw-10.h5"}));
  EXPECT_EQ(files_named(in / "sw-[01].h5"), (Names{in / "sw-0.h5", in / "sw-1.h5"}));
  EXPECT_EQ(files_named((in / "sw-1.h5") + "," + (in / "n*.h5")), (Names{in / "sw-1.h5", in / "ns.h5"}));
}

TEST(FileNames, AnExistingNameIsNoPattern) {
  const SomeFiles in;
  for (const char* name : {"a,b.h5", "odd[1].h5"}) {
    EXPECT_EQ(files_named(in / name), Names{in / name});
    EXPECT_FALSE(is_list(in / name));
    EXPECT_TRUE(files_exist(in / name));
    EXPECT_EQ(absolute_names(in / name), in / name);
  }
}

TEST(FileNames, WhatIsMissingIsTold) {
  const SomeFiles in;
  EXPECT_EQ(files_named(in / "none.h5"), Names{in / "none.h5"}) << "whoever opens it reports a better error";
  EXPECT_FALSE(files_exist(in / "none.h5"));
  EXPECT_FALSE(files_exist((in / "ns.h5") + "," + (in / "none.h5")));
  EXPECT_TRUE(files_exist(in / "sw-*.h5"));
  expect_error_with([&] { files_named(in / "no*.h5"); }, {"there is no file '" + (in / "no*.h5") + "'"});
  expect_error_with([&] { files_named(","); }, {"',' names no file"});
  EXPECT_EQ(file_named(in / "n*.h5", "it"), in / "ns.h5");
  expect_error_with([&] { file_named(in / "sw-*.h5", "a set of Tetris motions"); },
                    {"names 3 files, but a set of Tetris motions is one file"});
}

TEST(FileNames, LongAndShort) {
  EXPECT_EQ(absolute_names("/data/../sw-*.h5,/x/ns.h5"), "/sw-*.h5,/x/ns.h5");
  EXPECT_EQ(absolute_names("sw.h5"), (std::filesystem::current_path() / "sw.h5").string());
  EXPECT_EQ(short_names("/data/sw-*.h5,/x/ns.h5"), "sw-*.h5,ns.h5");
  EXPECT_TRUE(is_list("a.h5,b.h5"));
  EXPECT_TRUE(is_list("a?.h5"));
  EXPECT_FALSE(is_list("a.h5"));
}

}  // namespace file_names_test
}  // namespace gcan::data
