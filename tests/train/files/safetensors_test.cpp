#include "gcan/train/files/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "gcan/files/durable.h"
#include "tests/data/scratch.h"
#include "tests/train/file_size_limit.h"

namespace gcan::train {
namespace safetensors_test {

using test::expect_error_with;
using test::Scratch;

const std::vector<torch::ScalarType> kTypes{
    torch::kBool,  torch::kUInt8,   torch::kInt8,     torch::kInt16,   torch::kInt32,
    torch::kInt64, torch::kFloat16, torch::kBFloat16, torch::kFloat32, torch::kFloat64};

NamedTensors example() {
  torch::manual_seed(1);
  NamedTensors tensors;
  for (const auto type : kTypes) {
    tensors.emplace_back(c10::toString(type), (torch::randn({2, 3}) * 50).to(type));
  }
  tensors.emplace_back("empty", torch::empty({0, 4}));
  tensors.emplace_back("scalar", torch::tensor(2.5));
  tensors.emplace_back("turned \"round\"", torch::randn({4, 5}).t());
  return tensors;
}

// A file from a header and numbers, without a checksum, as Python writes it.
std::string foreign(const std::string& header, const std::string& numbers) {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + numbers;
}

Safetensors parse(const std::string& bytes, Checksum checksum = Checksum::if_present) {
  return parse_safetensors(std::as_bytes(std::span(bytes)), "x.safetensors", checksum);
}

TEST(Safetensors, EveryTypeRoundTrips) {
  const Scratch scratch;
  const NamedTensors tensors = example();
  write_safetensors(scratch / "x", tensors, {{"step", "12"}});
  const Safetensors read = read_safetensors(scratch / "x");
  EXPECT_EQ(read.metadata, (std::map<std::string, std::string>{{"step", "12"}}));
  ASSERT_EQ(read.tensors.size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(read.tensors[i].first, tensors[i].first);
    EXPECT_EQ(read.tensors[i].second.scalar_type(), tensors[i].second.scalar_type());
    EXPECT_TRUE(read.tensors[i].second.equal(tensors[i].second)) << tensors[i].first;
  }
}

TEST(Safetensors, ReadsWhatPythonWrites) {
  // safetensors.numpy.save({"a": np.array([1, 2], np.float32)})
  const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}          )";
  const float numbers[]{1, 2};
  const std::string file = foreign(header, std::string(reinterpret_cast<const char*>(numbers), 8));
  const Safetensors read = parse(file);
  ASSERT_EQ(read.tensors.size(), 1U);
  EXPECT_TRUE(read.tensors[0].second.equal(torch::tensor({1.0F, 2.0F})));
  expect_error_with([&] { parse(file, Checksum::required); }, {"x.safetensors", "no checksum"});
}

TEST(Safetensors, BrokenRulesAreErrors) {
  const auto fails = [](const std::string& header, std::size_t bytes, const std::string& part) {
    expect_error_with([&] { parse(foreign(header, std::string(bytes, 'x'))); }, {"x.safetensors", part});
  };
  const auto entry = [](const std::string& name, const std::string& shape, const std::string& offsets) {
    return "\"" + name + R"(":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
  };
  fails("{" + entry("a", "[2]", "[0,8]") + "}", 9, "the file has 9");
  fails("{" + entry("a", "[2]", "[0,8]") + "}", 7, "8 bytes");
  fails("{" + entry("a", "[2]", "[4,12]") + "}", 12, "begin at byte 4");
  fails("{" + entry("a", "[2]", "[0,8]") + "," + entry("b", "[2]", "[4,12]") + "}", 12,
        "'b' begin at byte 4");
  fails("{" + entry("a", "[2]", "[0,8]") + "," + entry("a", "[1]", "[8,12]") + "}", 12, "'a' twice");
  fails("{" + entry("a", "[3]", "[0,8]") + "}", 8, "do not fit its shape");
  fails("{" + entry("a", "[2]", "[8,0]") + "}", 8, "do not fit its shape");
  fails("{" + entry("a", "[-2]", "[0,8]") + "}", 8, "not a whole number");
  fails("{" + entry("a", "[2.0]", "[0,8]") + "}", 8, "not a whole number");
  fails("{" + entry("a", "[4611686018427387904,4611686018427387904]", "[0,8]") + "}", 8, "impossible shape");
  fails("{" + entry("a", "[0,4611686018427387904,9223372036854775807]", "[0,0]") + "}", 0,
        "impossible shape");
  fails(R"({"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})", 8, "unknown type");
  fails(R"({"a":{"dtype":"F32","shape":[2]}})", 8, "data_offsets");
  fails(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1}})", 8, "data_offsets");
  fails(R"({"__metadata__":{"a":1}})", 0, "metadata 'a'");
  fails(R"({"a":[[[[[[1]]]]]]})", 0, "too deep");
  fails("[]", 0, "JSON object");
  fails("{", 0, "not JSON");
  fails("\xff\xfe", 0, "not JSON");
  expect_error_with([] { parse("1234567"); }, {"ends before the header"});
  expect_error_with([] { parse(std::string("\xff\0\0\0\0\0\0\0{}", 10)); }, {"ends within the header"});
  expect_error_with([] { parse(std::string("\xff\xff\xff\xff\0\0\0\0{}", 10)); }, {"4294967295 bytes"});
  expect_error_with([] { read_safetensors("/no/such/file"); }, {"/no/such/file"});
}

// Any damage is an error, never a crash and never ignored.
TEST(Safetensors, AllDamageIsDetected) {
  const Scratch scratch;
  write_safetensors(scratch / "x", example());
  const std::string whole = files::read_whole(scratch / "x");
  std::mt19937 random(7);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  for (int round = 0; round < 6000; ++round) {
    std::string file = whole;
    switch (below(4)) {
      case 0: file[below(file.size())] ^= static_cast<char>(1U << below(8)); break;
      case 1: file.resize(below(file.size())); break;
      case 2: file.insert(below(file.size()), 1 + below(16), static_cast<char>(below(256))); break;
      default:
        for (std::size_t i = 0; i <= below(20); ++i) file[below(600)] = static_cast<char>(below(256));
    }
    if (file == whole) continue;
    EXPECT_THROW(parse(file, Checksum::required), Error) << round;
    try {
      parse(file, Checksum::if_present);  // may pass if the checksum itself was damaged; must not crash
    } catch (const Error&) {
    }
  }
}

// Without a checksum the rules alone must keep the reader inside the file.
TEST(Safetensors, NoHeaderReadsOutsideTheFile) {
  std::mt19937 random(8);
  const std::string header =
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"I64","shape":[1,2],"data_offsets":[8,24]}})";
  const std::string digits = "0123456789[]{},:\"-eF";
  for (int round = 0; round < 6000; ++round) {
    std::string changed = header;
    for (std::size_t i = 0; i <= random() % 3; ++i)
      changed[random() % changed.size()] = digits[random() % digits.size()];
    try {
      for (const auto& [name, tensor] : parse(foreign(changed, std::string(24, 'x'))).tensors) {
        EXPECT_LE(tensor.nbytes(), 24U) << changed;
      }
    } catch (const Error&) {
    }
  }
}

TEST(Safetensors, AFullDiskLeavesNoFile) {
  const Scratch scratch;
  {
    const test::FileSizeLimit limit(1000);
    expect_error_with([&] { write_safetensors(scratch / "x", example()); }, {"x", "too large"});
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "x"));
  expect_error_with([&] { write_safetensors(scratch / "no/x", example()); }, {"no/x"});
}

}  // namespace safetensors_test
}  // namespace gcan::train
