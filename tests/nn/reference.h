#pragma once

// The cases of shared/reference/layers.h5, which hold what the paper authors' released layers computed in
// double precision.

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gcan/torch.h"

namespace gcan::test {

inline std::filesystem::path reference_file(const std::string& name) {
  const char* folder = std::getenv("GCAN_REFERENCE_DIR");
  const std::filesystem::path base = folder != nullptr
                                         ? std::filesystem::path(folder)
                                         : std::filesystem::path(GCAN_SOURCE_DIR) / "../shared/reference";
  return base / name;
}

// One group of the file.
class Reference {
 public:
  explicit Reference(std::string group, const std::string& file = "layers.h5")
      : group_(std::move(group)), file_(H5Fopen(reference_file(file).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~Reference() { H5Fclose(file_); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  [[nodiscard]] torch::Tensor read(const std::string& name) const {
    std::string path = group_;
    path += '/';
    path += name;
    const hid_t set = H5Dopen2(file_, path.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, extent.data(), nullptr);
    const torch::Tensor tensor =
        torch::empty(std::vector<std::int64_t>(extent.begin(), extent.end()), torch::kDouble);
    EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.data_ptr<double>()), 0)
        << path;
    H5Sclose(space);
    H5Dclose(set);
    return tensor;
  }
  // Features, whose components come last in the file, as (N, channels, blades, space...).
  [[nodiscard]] torch::Tensor features(const std::string& name) const {
    return read(name).movedim(-1, 2).contiguous();
  }

 private:
  std::string group_;
  hid_t file_;
};

}  // namespace gcan::test

#define GCAN_SKIP_WITHOUT_REFERENCE(file)                           \
  if (!std::filesystem::exists(::gcan::test::reference_file(file))) \
  GTEST_SKIP() << "no " << ::gcan::test::reference_file(file)       \
               << "; set GCAN_REFERENCE_DIR to the folder that holds it"
