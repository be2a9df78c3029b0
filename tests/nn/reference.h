#pragma once

// Cases of tests/data/reference/layers.h5 and similar files as tensors in double precision. A test without
// its file is skipped:
//
//   const auto file = gcan::test::ReferenceFile::open("layers.h5");
//   if (!file) GTEST_SKIP() << gcan::test::ReferenceFile::missing("layers.h5");
//   const torch::Tensor x = file->tensor("gca_linear_points/input");

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gcan/torch.h"
#include "tests/nn/compare.h"
#include "tests/runner/source_dir.h"

namespace gcan::test {

class ReferenceFile {
 public:
  static std::unique_ptr<ReferenceFile> open(const std::string& name) {
    if (!std::filesystem::exists(reference_file(name))) return nullptr;
    return std::unique_ptr<ReferenceFile>(new ReferenceFile(reference_file(name)));
  }
  static std::string missing(const std::string& name) {
    return "no reference file " + reference_file(name) +
           "; set GCAN_REFERENCE_DIR to the folder that holds it";
  }
  ReferenceFile(const ReferenceFile&) = delete;
  ReferenceFile& operator=(const ReferenceFile&) = delete;
  ~ReferenceFile() { H5Fclose(file_); }

  bool has(const std::string& name) const { return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0; }

  torch::Tensor tensor(const std::string& name) const {
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<hsize_t> sizes(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    const torch::Tensor values =
        torch::empty(std::vector<std::int64_t>(sizes.begin(), sizes.end()), torch::kDouble);
    EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data_ptr<double>()), 0)
        << name;
    H5Sclose(space);
    H5Dclose(set);
    return values;
  }

  // The names in a group.
  std::vector<std::string> names(const std::string& group) const {
    std::vector<std::string> found;
    const hid_t opened = H5Gopen2(file_, group.c_str(), H5P_DEFAULT);
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
      static_cast<std::vector<std::string>*>(list)->emplace_back(name);
      return 0;
    };
    EXPECT_GE(H5Literate(opened, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add, &found), 0) << group;
    H5Gclose(opened);
    return found;
  }

  // An attribute of a case: one number or several.
  std::vector<double> numbers(const std::string& object, const std::string& name) const {
    const hid_t attribute = H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Aget_space(attribute);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()), 0) << object << " " << name;
    H5Sclose(space);
    H5Aclose(attribute);
    return values;
  }
  std::int64_t integer(const std::string& object, const std::string& name) const {
    return static_cast<std::int64_t>(numbers(object, name).at(0));
  }

 private:
  explicit ReferenceFile(const std::string& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0) << path;
  }
  hid_t file_;
};

// One case of a file.
class Reference {
 public:
  explicit Reference(std::string group, const std::string& file = "layers.h5")
      : group_(std::move(group)), file_(ReferenceFile::open(file)) {}

  [[nodiscard]] torch::Tensor read(const std::string& name) const {
    std::string path = group_;
    return file_->tensor(path.append("/").append(name));
  }
  // Features, whose components come last in the file, as (N, channels, blades, space...).
  [[nodiscard]] torch::Tensor features(const std::string& name) const {
    return read(name).movedim(-1, 2).contiguous();
  }

 private:
  std::string group_;
  std::unique_ptr<ReferenceFile> file_;
};

}  // namespace gcan::test

// The message of a test that is skipped because the file is missing.
#define GCAN_SKIP_WITHOUT_REFERENCE(file) \
  if (!::gcan::test::ReferenceFile::open(file)) GTEST_SKIP() << ::gcan::test::ReferenceFile::missing(file)
