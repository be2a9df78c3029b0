#include "gcan/data/file_check.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <random>

#include "gcan/data/generate.h"
#include "gcan/files/checksum.h"
#include "gcan/files/durable.h"
#include "tests/data/scratch.h"

namespace gcan::data {
namespace file_check_test {

using test::expect_error_with;
using test::Scratch;

std::string tetris(const Scratch& scratch, bool compress) {
  const std::string path = scratch / (compress ? "c.h5" : "a.h5");
  generate(TetrisSet{}, {.splits = {3, 1, 1}, .out = path, .compress = compress}, {});
  return path;
}

// Reads a possibly damaged file.
void read_all(const std::string& path) {
  const TetrisFile file(path);
  for (const Split split : kSplits) static_cast<void>(file.read(split));
  static_cast<void>(file.position_statistics());
}

void without_checksum(const std::string& path) {
  std::string bytes = files::read_whole(path);
  bytes.erase(bytes.rfind("\ngcan-xxh3"));
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(FileCheck, AFileOfVersion01IsRead) {
  const Scratch scratch;
  const std::string path = tetris(scratch, false);
  EXPECT_EQ(files::check_file(path), files::Seal::intact);
  without_checksum(path);
  EXPECT_EQ(files::check_file(path), files::Seal::none);
  EXPECT_NO_THROW(read_all(path));
}

TEST(FileCheck, EveryFlippedBitIsSeen) {
  const Scratch scratch;
  for (const bool compress : {false, true}) {
    const std::string path = tetris(scratch, compress), whole = files::read_whole(path);
    std::mt19937 random(1);
    const auto end = whole.rfind("\ngcan-xxh3");
    std::uniform_int_distribution<std::size_t> bit(0, 8 * end - 1);
    for (int i = 0; i < 20; ++i) {
      std::string damaged = whole;
      const std::size_t at = bit(random);
      damaged[at / 8] = static_cast<char>(damaged[at / 8] ^ (1 << (at % 8)));
      std::ofstream(path, std::ios::binary) << damaged;
      expect_error_with([&] { read_all(path); }, {"damaged or was changed", "--no-verify"});
    }
  }
}

// A file without a checksum may contain anything: reading it gives numbers or an error, although the library
// crashes or loops on some of these files.
TEST(FileCheck, AHostileFileCostsASentence) {
  const Scratch scratch;
  const std::string path = tetris(scratch, false);
  without_checksum(path);
  const std::string whole = files::read_whole(path);
  std::mt19937 random(2);
  std::uniform_int_distribution<std::size_t> place(0, std::min<std::size_t>(whole.size(), 8000) - 1);
  for (int i = 0; i < 20; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 3; ++k) damaged[place(random)] = static_cast<char>(random());
    std::ofstream(path, std::ios::binary) << damaged;
    try {
      read_all(path);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("a.h5"), std::string::npos) << error.what();
    }
  }
}

TEST(FileCheck, OtherFilesAreNotOpened) {
  const Scratch scratch;
  const std::string linked = scratch / "link.h5", stored = scratch / "external.h5";
  const hid_t first = H5Fcreate(linked.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("/etc/other.h5", "/", first, "gcan", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(first);
  expect_error_with([&] { check_before_parsing(linked); }, {"link.h5", "'gcan' is a link to another file"});
  const hid_t second = H5Fcreate(stored.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(properties, "/etc/passwd", 0, 40);
  const hsize_t size = 10;
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  H5Dclose(H5Dcreate2(second, "numbers", H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(properties);
  H5Fclose(second);
  expect_error_with([&] { check_before_parsing(stored); }, {"external.h5", "'numbers'", "in other files"});
}

TEST(FileCheck, CanBeLeftOut) {
  const Scratch scratch;
  const std::string path = tetris(scratch, false);
  std::string bytes = files::read_whole(path);
  bytes[bytes.rfind("\ngcan-xxh3") + 20] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THROW(read_all(path), Error);
  set_verification(false);
  EXPECT_NO_THROW(read_all(path));
  set_verification(true);
}

TEST(FileCheck, TwoWritersOfOneFile) {
  const Scratch scratch;
  const std::string path = scratch / "a.h5";
  const auto description = describe(TetrisSet{}, {1, 1, 1});
  TetrisWriter first(path, description, false);
  expect_error_with([&] { TetrisWriter(path, description, false); }, {"a.h5", "is being written by process"});
}

TEST(FileCheck, NumbersThatAreNotFiniteAreNamed) {
  const Scratch scratch;
  const std::string path = scratch / "a.h5";
  const auto description = describe(TetrisSet{}, {2, 0, 0});
  {
    TetrisWriter writer(path, description, false);
    const std::size_t size = static_cast<std::size_t>(description.options.steps) * 32 * 3 * 2;
    TetrisSplit block{2, std::vector<float>(size), std::vector<float>(size)};
    block.velocities[size - 1] = std::numeric_limits<float>::infinity();
    writer.write(Split::train, 0, block);
    writer.finish();
  }
  expect_error_with([&] { TetrisFile(path).read(Split::train); },
                    {"a.h5", "'train/velocities' of trajectory 1 contains inf"});
}

}  // namespace file_check_test
}  // namespace gcan::data
