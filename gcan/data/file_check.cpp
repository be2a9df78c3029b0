#include "gcan/data/file_check.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <set>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/base/limited.h"
#include "gcan/files/checksum.h"

namespace gcan::data {
namespace {

std::atomic<bool> verifies{true};

constexpr std::size_t kBlock = 16U << 20U;     // bytes read at once
constexpr std::size_t kLargest = 256U << 20U;  // of an attribute or of strings

// Visits all objects in a file. Runs in a process that may crash, so identifiers are not released.
struct Walk {
  bool numbers = false;  // read them all
  std::string problem;   // the error; exceptions must not pass through the library
};

[[noreturn]] void refuse(const std::string& what) { throw Error(what); }

void read_attributes(hid_t object) {
  const auto read = [](hid_t owner, const char* name, const H5A_info_t*, void*) -> herr_t {
    const hid_t attribute = H5Aopen(owner, name, H5P_DEFAULT);
    const hid_t type = H5Tget_native_type(H5Aget_type(attribute), H5T_DIR_DEFAULT);
    const hssize_t count = H5Sget_simple_extent_npoints(H5Aget_space(attribute));
    const std::size_t size = H5Tget_size(type);
    if (attribute < 0 || type < 0 || count < 0 || size == 0) return -1;
    if (static_cast<std::uint64_t>(count) > kLargest / size) return -1;
    std::vector<char> values(static_cast<std::size_t>(count) * size + 1);
    return H5Aread(attribute, type, values.data());
  };
  if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, read, nullptr) < 0)
    refuse("its attributes cannot be read");
}

// Reads along the first axis, as many rows at a time as fit into a block.
void read_numbers(hid_t set, hid_t type, const std::vector<hsize_t>& shape) {
  const std::size_t size = H5Tget_size(type);
  if (shape.empty()) {
    std::vector<char> value(size);
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0)
      refuse("its numbers cannot be read");
    return;
  }
  std::vector<hsize_t> start(shape.size(), 0), count = shape;
  std::uint64_t line = size;
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i] == 0) return;
    if (line > (1ULL << 40U) / shape[i]) refuse("it claims to be larger than any file");
    line *= shape[i];
  }
  const hsize_t lines = std::max<hsize_t>(kBlock / line, 1);
  std::vector<char> values;
  for (start[0] = 0; start[0] < shape[0]; start[0] += count[0]) {
    count[0] = std::min(lines, shape[0] - start[0]);
    values.resize(static_cast<std::size_t>(count[0] * line));
    const hid_t space = H5Dget_space(set);
    const hid_t memory = H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    if (H5Dread(set, type, memory, space, H5P_DEFAULT, values.data()) < 0)
      refuse("its numbers cannot be read");
    H5Sclose(memory);
    H5Sclose(space);
  }
}

void check_storage(hid_t set) {
  const hid_t properties = H5Dget_create_plist(set);
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout < 0) refuse("its layout cannot be read");
  if (layout == H5D_VIRTUAL || H5Pget_external_count(properties) > 0)
    refuse("its numbers are in other files, which gcan does not open; copy them into one file");
  hsize_t chunks = 0;
  if (layout == H5D_CHUNKED && H5Dget_num_chunks(set, H5Dget_space(set), &chunks) < 0)
    refuse("its chunks cannot be found");
}

void read_dataset(hid_t set, const Walk& walk) {
  const hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
  const int axes = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(axes, 0)));
  if (axes < 0 || H5Sget_simple_extent_dims(space, shape.data(), nullptr) < 0) refuse("it has no shape");
  check_storage(set);
  const H5T_class_t kind = H5Tget_class(stored);
  const bool is_number = kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM;
  // gcan reads only numbers from datasets.
  if (walk.numbers && is_number) read_numbers(set, H5Tget_native_type(stored, H5T_DIR_DEFAULT), shape);
}

herr_t visit_object(hid_t root, const char* name, const H5O_info_t* info, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  try {
    const hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    if (object < 0) refuse("it cannot be opened");
    read_attributes(object);
    if (info->type == H5O_TYPE_DATASET) read_dataset(object, walk);
    H5Oclose(object);
    return 0;
  } catch (const std::bad_alloc&) {
    walk.problem = fmt::format("'{}': it does not fit into memory", name);
  } catch (const Error& error) {
    walk.problem = fmt::format("'{}': {}", name, error.what());
  }
  return -1;
}

herr_t visit_link(hid_t, const char* name, const H5L_info_t* info, void* data) {
  if (info->type != H5L_TYPE_EXTERNAL) return 0;
  static_cast<Walk*>(data)->problem =
      fmt::format("'{}' is a link to another file, which gcan does not open; copy it into one file", name);
  return -1;
}

// HDF5 1.12 changed H5O_info_t and the function that returns it.
#if H5_VERSION_GE(1, 12, 0)
constexpr auto visit_objects = H5Ovisit3;
#else
constexpr auto visit_objects = H5Ovisit2;
#endif

void walk_through(const std::string& path, Walk walk) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return;  // opening it reports a better error
  if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, &walk) < 0 ||
      visit_objects(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_object, &walk, H5O_INFO_BASIC) < 0)
    refuse(walk.problem.empty() ? "the file is damaged: its groups cannot be read" : walk.problem);
}

using Identity = std::array<std::uint64_t, 7>;

// Identifies a file and its state.
Identity identity_of(const struct stat& info) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  return {number(info.st_dev),         number(info.st_ino),          number(info.st_size),
          number(info.st_mtim.tv_sec), number(info.st_mtim.tv_nsec), number(info.st_ctim.tv_sec),
          number(info.st_ctim.tv_nsec)};
}

void try_in_a_copy(const std::string& path, bool numbers, std::uint64_t size) {
  const double gigabytes = static_cast<double>(size) / 1e9;
  const base::Limits limits{.cpu_seconds = 5 + 20 * gigabytes, .seconds = 60 + 60 * gigabytes};
  const auto end = base::run_limited([&] { walk_through(path, {numbers, ""}); }, limits);
  if (end.done) return;
  if (!end.problem.empty())
    throw Error(
        fmt::format("{}: the file is damaged or hostile: the HDF5 library {} reading it; get a new copy",
                    path, end.problem));
  throw Error(fmt::format("{}: {}", path, end.error));
}

}  // namespace

void set_verification(bool wanted) { verifies = wanted; }

bool verification() { return verifies; }

void check_before_parsing(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  static std::mutex guard;
  static std::set<Identity> known;
  const Identity identity = identity_of(info);
  {
    const std::lock_guard hold(guard);
    if (known.contains(identity)) return;
  }
  const bool verified = verification();
  const files::Seal seal = verified ? files::check_file(path) : files::Seal::none;
  if (seal == files::Seal::broken)
    throw Error(fmt::format(
        "{}: the file is damaged or was changed: its checksum differs from the one written with it; "
        "get a new copy, or read it anyway with --no-verify",
        path));
  try_in_a_copy(path, verified && seal == files::Seal::none, static_cast<std::uint64_t>(info.st_size));
  const std::lock_guard hold(guard);
  known.insert(identity);
}

}  // namespace gcan::data
