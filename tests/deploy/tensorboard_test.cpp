#include "gcan/deploy/tensorboard.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"
#include "gcan/files/protobuf.h"

namespace gcan::tensorboard_test {
namespace {

TEST(Tensorboard, ChecksumIsCastagnolis) {
  EXPECT_EQ(deploy::crc32c("123456789"), 0xE3069283U);  // RFC 3720's check value
  EXPECT_EQ(deploy::crc32c(std::string(32, '\0')), 0x8A9136AAU);
}

TEST(Tensorboard, DamagedMetricsAreNamedAndNothingIsWritten) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "tensorboard_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "metrics.jsonl") << "{\"kind\":\"train\",\"step\":1,\"loss\":0.5}\n{oh\n{}\n";
  EXPECT_THROW(deploy::write_tensorboard(folder.string()), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "tensorboard"));
  // An unfinished last line is still being written.
  std::ofstream(folder / "metrics.jsonl") << "{\"kind\":\"train\",\"step\":1,\"loss\":0.5}\n{\"kind\":\"tra";
  EXPECT_EQ(deploy::write_tensorboard(folder.string()).scalars, 1);
}

TEST(Protobuf, WritesTheBytesOfItsDocumentation) {
  EXPECT_EQ(files::ProtobufMessage().integer(1, 150).bytes(), "\x08\x96\x01");
  EXPECT_EQ(files::ProtobufMessage().text(2, "testing").bytes(), "\x12\x07testing");
  EXPECT_EQ(files::ProtobufMessage().integer(1, -1).bytes(), "\x08" + std::string(9, '\xff') + "\x01");
}

}  // namespace
}  // namespace gcan::tensorboard_test
