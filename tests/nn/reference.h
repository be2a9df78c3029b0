#pragma once

// Expected values of layers, read from layers.h5 in GCAN_REFERENCE_DIR or ../shared/reference.

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gcan/torch.h"

namespace gcan::test {

inline std::string reference_file() {
  const char* folder = std::getenv("GCAN_REFERENCE_DIR");
  return std::string(folder != nullptr ? folder : GCAN_SOURCE_DIR "/../shared/reference")
      .append("/layers.h5");
}

// One data set, in double precision.
inline torch::Tensor read_reference(const std::string& name) {
  const hid_t file = H5Fopen(reference_file().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, extent.data(), nullptr);
  const torch::Tensor values =
      torch::empty(std::vector<std::int64_t>(extent.begin(), extent.end()), torch::kDouble);
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data_ptr<double>()), 0)
      << name;
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
  return values;
}

// The largest difference, relative to the largest expected value.
inline double relative_error(const torch::Tensor& x, const torch::Tensor& expected) {
  return ((x - expected).abs().max() / expected.abs().max()).item<double>();
}

}  // namespace gcan::test

// Skips the test, saying so, where the file is absent.
#define GCAN_REQUIRE_REFERENCE()                                       \
  if (!std::filesystem::exists(gcan::test::reference_file()))          \
  GTEST_SKIP() << "no reference file " << gcan::test::reference_file() \
               << "; set GCAN_REFERENCE_DIR to the folder that holds it"
