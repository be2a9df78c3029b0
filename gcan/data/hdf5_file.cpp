#include "gcan/data/hdf5_file.h"

#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <type_traits>
#include <utility>

#include "gcan/base/error.h"
#include "gcan/data/file_check.h"

namespace gcan::data {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t> && sizeof(hsize_t) == sizeof(std::uint64_t));

// An HDF5 identifier, released with the object.
class Handle {
 public:
  using Release = herr_t (*)(hid_t);
  Handle(hid_t id, Release release) : id_(id), release_(release) {}
  ~Handle() {
    if (id_ < 0) return;
    // Every call clears HDF5's error stack; this keeps an earlier error.
    const hid_t errors = H5Eget_num(H5E_DEFAULT) > 0 ? H5Eget_current_stack() : -1;
    release_(id_);
    if (errors >= 0) H5Eset_current_stack(errors);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), release_(other.release_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): it stands for the number
  bool good() const { return id_ >= 0; }
  // Closes the file, which may write buffered data; false if that fails.
  bool close() { return id_ < 0 || release_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  Release release_;
};

// HDF5's message for its last failure, from the innermost function, which knows the reason.
std::string last_reason() {
  std::string reason;
  const auto take_first = [](unsigned n, const H5E_error2_t* error, void* text) -> herr_t {
    if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
  // Messages about system calls contain time, file and buffer; this extracts the system's error message.
  constexpr std::string_view kMark = "error message = '";
  if (const auto at = reason.find(kMark); at != std::string::npos) {
    reason.erase(0, at + kMark.size());
    reason.erase(std::min(reason.find('\''), reason.size()));
  }
  return reason;
}

template <class T>
hid_t memory_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
}

// Little-endian on every machine.
hid_t stored_type(NumberType type) {
  switch (type) {
    case NumberType::kFloat32: return H5T_IEEE_F32LE;
    case NumberType::kFloat64: return H5T_IEEE_F64LE;
    case NumberType::kUint8: return H5T_STD_U8LE;
    case NumberType::kUint32: return H5T_STD_U32LE;
    case NumberType::kInt32: return H5T_STD_I32LE;
    case NumberType::kInt64: return H5T_STD_I64LE;
  }
  return -1;
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

// h5py and The Well store booleans as this enumeration.
Handle flag_type() {
  Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  std::int8_t value = 0;
  H5Tenum_insert(type, "FALSE", &value);
  value = 1;
  H5Tenum_insert(type, "TRUE", &value);
  return type;
}

Handle simple_space(const Shape& shape) {
  if (shape.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  const std::vector<hsize_t> size(shape.begin(), shape.end());
  return {H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose};
}

// Without timestamps, so that equal runs write equal bytes; members in order of creation, as NetCDF-4
// requires.
Handle group_properties() {
  Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(properties, false);
  return properties;
}

Handle dataset_properties(const Shape& chunk) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties, false);
  H5Pset_attr_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  if (chunk.empty()) {
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(properties, H5D_FILL_TIME_IFSET);
  } else {
    const std::vector<hsize_t> size(chunk.begin(), chunk.end());
    H5Pset_chunk(properties, static_cast<int>(size.size()), size.data());
    H5Pset_shuffle(properties);
    constexpr unsigned kEffort =
        4;  // of 9; higher levels take twice the time and save 1 % on floating-point data
    H5Pset_deflate(properties, kEffort);
  }
  return properties;
}

hid_t open_file(const std::string& path, Hdf5File::Mode mode) {
  if (mode == Hdf5File::Mode::kRead || mode == Hdf5File::Mode::kReadOwn)
    return H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (mode == Hdf5File::Mode::kChange) return H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_attr_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(properties, false);
  return H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties, H5P_DEFAULT);
}

std::string why_not_opened(const std::string& path, const std::string& reason) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return "there is no such file in " + std::filesystem::absolute(path, ignored).parent_path().string();
  if (std::filesystem::is_directory(path, ignored)) return "it is a folder, not a file";
  if (H5Fis_hdf5(path.c_str()) == 0) return "it is not an HDF5 file";
  if (reason.starts_with("truncated file")) return "the file is cut short; HDF5 says: " + reason;
  return "HDF5 cannot open it: " + reason;
}

}  // namespace

std::string to_string(const Shape& shape) {
  std::string text;
  for (const auto length : shape) {
    if (!text.empty()) text += " x ";
    text += std::to_string(length);
  }
  return text.empty() ? "one value" : text;
}

std::uint64_t points(const Shape& shape) {
  std::uint64_t product = 1;
  for (const auto length : shape)
    if (__builtin_mul_overflow(product, length, &product))
      throw Error("a dataset of " + to_string(shape) + " numbers is larger than any memory");
  return product;
}

Hdf5File::Hdf5File(std::string path, Mode mode) : path_(std::move(path)) {
  // At exit HDF5 would retry writes that failed on a full disk, and crash.
  [[maybe_unused]] static const herr_t no_last_try = H5dont_atexit();
  // Failures become exceptions; disables HDF5's own printing of its error stack.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  if (mode == Mode::kRead) check_before_parsing(path_);
  id_ = open_file(path_, mode);
  if (id_ >= 0) return;
  const std::string reason = last_reason();
  if (mode == Mode::kCreate) throw Error(path_ + ": the file cannot be created: " + reason);
  throw Error(path_ + ": " + why_not_opened(path_, reason));
}

Hdf5File::~Hdf5File() {
  if (id_ >= 0) H5Fclose(id_);
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : path_(std::move(other.path_)), id_(std::exchange(other.id_, -1)) {}

void Hdf5File::fail(const std::string& object, const std::string& what) const {
  const std::string reason = last_reason();
  std::string sentence = path_;
  if (!object.empty()) sentence += ": '" + object + "'";
  sentence += ": " + what;
  if (!reason.empty()) sentence += " (" + reason + ")";
  throw Error(sentence);
}

void Hdf5File::flush() {
  if (H5Fflush(id_, H5F_SCOPE_GLOBAL) < 0) fail("", "the file cannot be written");
}

void Hdf5File::close() {
  if (id_ < 0) return;
  flush();
  if (H5Fclose(std::exchange(id_, -1)) < 0) fail("", "the file cannot be closed");
}

bool Hdf5File::has(const std::string& name) const {
  // H5Lexists requires every group on the path to exist.
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos; slash = name.find('/', slash + 1))
    if (H5Lexists(id_, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  return name == "/" || H5Lexists(id_, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  const Handle opened(H5Gopen2(id_, group.c_str(), H5P_DEFAULT), H5Gclose);
  if (!opened.good()) fail(group, "there is no such group");
  // Foreign files may not record the order of creation.
  if (H5Literate(opened, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, add, &names) < 0) {
    names.clear();
    if (H5Literate(opened, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) < 0)
      fail(group, "is not readable");
  }
  return names;
}

void Hdf5File::make_group(const std::string& name) {
  Handle group(H5Gcreate2(id_, name.c_str(), H5P_DEFAULT, group_properties(), H5P_DEFAULT), H5Gclose);
  if (!group.good() || !group.close()) fail(name, "the group cannot be created");
}

void Hdf5File::make_dataset(const std::string& name, NumberType type, const Shape& shape,
                            const Shape& chunk) {
  Handle set(H5Dcreate2(id_, name.c_str(), stored_type(type), simple_space(shape), H5P_DEFAULT,
                        dataset_properties(chunk), H5P_DEFAULT),
             H5Dclose);
  if (!set.good() || !set.close()) fail(name, "the dataset cannot be created");
}

Shape Hdf5File::shape(const std::string& name) const {
  const Handle set(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.good()) fail(name, "there is no such dataset");
  const Handle space(H5Dget_space(set), H5Sclose);
  std::vector<hsize_t> size(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
  if (H5Sget_simple_extent_dims(space, size.data(), nullptr) < 0) fail(name, "has no shape");
  return {size.begin(), size.end()};
}

template <class T>
void Hdf5File::write(const std::string& name, NumberType type, const Shape& shape,
                     std::span<const T> values) {
  make_dataset(name, type, shape);
  write_part(name, Shape(shape.size(), 0), shape, values);
}

namespace {

bool box_fits(const Shape& start, const Shape& count, const Shape& whole) {
  bool fits = start.size() == whole.size() && count.size() == whole.size();
  for (std::size_t i = 0; fits && i < whole.size(); ++i)
    fits = start[i] <= whole[i] && count[i] <= whole[i] - start[i];
  return fits;
}

void select_box(hid_t space, const Shape& start, const Shape& count) {
  if (start.empty()) return;
  const std::vector<hsize_t> first(start.begin(), start.end()), size(count.begin(), count.end());
  H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, size.data(), nullptr);
}

}  // namespace

template <class T>
void Hdf5File::write_part(const std::string& name, const Shape& start, const Shape& count,
                          std::span<const T> values) {
  if (!box_fits(start, count, shape(name)) || points(count) != values.size()) {
    throw Error(path_ + ": '" + name + "' is " + to_string(shape(name)) + "; a part of " + to_string(count) +
                " with " + std::to_string(values.size()) + " values does not fit into it");
  }
  if (values.empty()) return;
  Handle set(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(set), H5Sclose);
  select_box(space, start, count);
  if (H5Dwrite(set, memory_type<T>(), simple_space(count), space, H5P_DEFAULT, values.data()) < 0 ||
      !set.close())
    fail(name, "cannot be written");
}

template <class T>
std::vector<T> Hdf5File::read(const std::string& name) const {
  const Shape whole = shape(name);
  return read_part<T>(name, Shape(whole.size(), 0), whole);
}

template <class T>
std::vector<T> Hdf5File::read_part(const std::string& name, const Shape& start, const Shape& count) const {
  if (!box_fits(start, count, shape(name))) {
    throw Error(path_ + ": '" + name + "' is " + to_string(shape(name)) + ", too small for a part of " +
                to_string(count) + " from " + to_string(start));
  }
  if (points(count) == 0) return {};
  const Handle set(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(set), H5Sclose);
  select_box(space, start, count);
  std::vector<T> values(points(count));
  if (H5Dread(set, memory_type<T>(), simple_space(count), space, H5P_DEFAULT, values.data()) < 0)
    fail(name, "cannot be read; the file is damaged, or the dataset does not contain numbers");
  return values;
}

void Hdf5File::write_flags(const std::string& name, const std::vector<bool>& flags) {
  const std::vector<std::int8_t> values(flags.begin(), flags.end());
  const Handle type = flag_type();
  Handle set(H5Dcreate2(id_, name.c_str(), type, simple_space({flags.size()}), H5P_DEFAULT,
                        dataset_properties({}), H5P_DEFAULT),
             H5Dclose);
  if (!set.good() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0 || !set.close())
    fail(name, "the flags cannot be written");
}

namespace {

// Recreates the attribute and calls `write` to fill it; false if HDF5 fails.
bool make_attribute(hid_t file, const std::string& object, const std::string& name, hid_t type,
                    const Handle& space, const std::function<herr_t(hid_t)>& write) {
  Handle owner(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose);
  if (!owner.good()) return false;
  if (H5Aexists(owner, name.c_str()) > 0 && H5Adelete(owner, name.c_str()) < 0) return false;
  Handle attribute(H5Acreate2(owner, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.good() && write(attribute) >= 0 && attribute.close() && owner.close();
}

Handle open_attribute(hid_t file, const std::string& object, const std::string& name) {
  return {H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
}

H5T_class_t class_of(hid_t attribute) {
  const Handle type(H5Aget_type(attribute), H5Tclose);
  return H5Tget_class(type);
}

std::size_t length_of(hid_t attribute) {
  const Handle space(H5Aget_space(attribute), H5Sclose);
  return static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
}

// Strings have either variable or fixed length.
std::vector<std::string> read_texts(hid_t attribute) {
  const Handle stored(H5Aget_type(attribute), H5Tclose);
  const std::size_t count = length_of(attribute);
  std::vector<std::string> result;
  if (H5Tis_variable_str(stored) > 0) {
    std::vector<char*> words(count, nullptr);
    if (count > 0 && H5Aread(attribute, stored, words.data()) < 0) return {};
    for (char* word : words) {
      result.emplace_back(word == nullptr ? "" : word);
      H5free_memory(word);
    }
    return result;
  }
  const std::size_t size = H5Tget_size(stored);
  std::string block(count * size, '\0');
  if (count > 0 && H5Aread(attribute, stored, block.data()) < 0) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string word = block.substr(i * size, size);
    result.push_back(word.substr(0, word.find('\0')));
  }
  return result;
}

}  // namespace

void Hdf5File::set(const std::string& object, const std::string& name, std::string_view text) {
  const std::string copy(text);
  const char* pointer = copy.c_str();
  const Handle type = text_type();
  if (!make_attribute(id_, object, name, type, simple_space({}),
                      [&](hid_t attribute) { return H5Awrite(attribute, type, &pointer); }))
    fail(object, "the attribute '" + name + "' cannot be written");
}

void Hdf5File::set(const std::string& object, const std::string& name,
                   const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const Handle type = text_type();
  if (!make_attribute(id_, object, name, type, simple_space({texts.size()}), [&](hid_t attribute) {
        return texts.empty() ? 0 : H5Awrite(attribute, type, pointers.data());
      }))
    fail(object, "the attribute '" + name + "' cannot be written");
}

void Hdf5File::set(const std::string& object, const std::string& name, double number) {
  if (!make_attribute(id_, object, name, H5T_IEEE_F64LE, simple_space({}),
                      [&](hid_t attribute) { return H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number); }))
    fail(object, "the attribute '" + name + "' cannot be written");
}

void Hdf5File::set(const std::string& object, const std::string& name, std::int64_t number) {
  if (!make_attribute(id_, object, name, H5T_STD_I64LE, simple_space({}),
                      [&](hid_t attribute) { return H5Awrite(attribute, H5T_NATIVE_INT64, &number); }))
    fail(object, "the attribute '" + name + "' cannot be written");
}

void Hdf5File::set(const std::string& object, const std::string& name, bool flag) {
  const auto value = static_cast<std::int8_t>(flag);
  const Handle type = flag_type();
  if (!make_attribute(id_, object, name, type, simple_space({}),
                      [&](hid_t attribute) { return H5Awrite(attribute, type, &value); }))
    fail(object, "the attribute '" + name + "' cannot be written");
}

void Hdf5File::set(const std::string& object, const std::string& name, const std::vector<bool>& flags) {
  const std::vector<std::int8_t> values(flags.begin(), flags.end());
  const Handle type = flag_type();
  if (!make_attribute(id_, object, name, type, simple_space({flags.size()}),
                      [&](hid_t attribute) { return H5Awrite(attribute, type, values.data()); }))
    fail(object, "the attribute '" + name + "' cannot be written");
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return has(object) && H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::attributes(const std::string& object) const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  for (const H5_index_t order : {H5_INDEX_CRT_ORDER, H5_INDEX_NAME}) {
    names.clear();
    if (H5Aiterate_by_name(id_, object.c_str(), order, H5_ITER_INC, nullptr, add, &names, H5P_DEFAULT) >= 0)
      return names;
  }
  fail(object, "its attributes cannot be listed");
}

bool Hdf5File::attribute_is_text(const std::string& object, const std::string& name) const {
  return has_attribute(object, name) && class_of(open_attribute(id_, object, name)) == H5T_STRING;
}

bool Hdf5File::attribute_is_whole(const std::string& object, const std::string& name) const {
  return has_attribute(object, name) && class_of(open_attribute(id_, object, name)) == H5T_INTEGER;
}

std::string Hdf5File::text(const std::string& object, const std::string& name) const {
  const auto all = texts(object, name);
  if (all.size() != 1)
    throw Error(path_ + ": '" + object + "': the attribute '" + name + "' holds " +
                std::to_string(all.size()) + " texts, but one is expected");
  return all.front();
}

std::vector<std::string> Hdf5File::texts(const std::string& object, const std::string& name) const {
  if (!attribute_is_text(object, name)) fail(object, "there is no attribute '" + name + "' that holds text");
  return read_texts(open_attribute(id_, object, name));
}

namespace {

template <class T>
bool read_one(hid_t file, const std::string& object, const std::string& name, T& value) {
  const Handle attribute = open_attribute(file, object, name);
  if (!attribute.good() || length_of(attribute) != 1) return false;
  const H5T_class_t kind = class_of(attribute);
  return (kind == H5T_INTEGER || kind == H5T_FLOAT) && H5Aread(attribute, memory_type<T>(), &value) >= 0;
}

}  // namespace

double Hdf5File::number(const std::string& object, const std::string& name) const {
  double value = 0;
  if (!read_one(id_, object, name, value))
    fail(object, "there is no attribute '" + name + "' that is a number");
  return value;
}

std::int64_t Hdf5File::whole_number(const std::string& object, const std::string& name) const {
  std::int64_t value = 0;
  if (!read_one(id_, object, name, value))
    fail(object, "there is no attribute '" + name + "' that is a number");
  return value;
}

void Hdf5File::make_scale(const std::string& dataset, const std::string& dimension) {
  Handle set(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.good() || H5DSset_scale(set, dimension.c_str()) < 0 || !set.close())
    fail(dataset, "cannot become a dimension scale");
}

void Hdf5File::attach_scale(const std::string& dataset, unsigned axis, const std::string& scale) {
  Handle set(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  Handle dimension(H5Dopen2(id_, scale.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.good() || !dimension.good() || H5DSattach_scale(set, dimension, axis) < 0 || !set.close() ||
      !dimension.close())
    fail(dataset, "cannot get the dimension scale '" + scale + "'");
}

std::vector<std::string> Hdf5File::axis_names(const std::string& dataset) const {
  std::vector<std::string> names(shape(dataset).size());
  const Handle set(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const auto take_first = [](hid_t, unsigned, hid_t scale, void* name) -> herr_t {
    char path[1024] = {};
    if (H5Iget_name(scale, path, sizeof path) > 0) *static_cast<std::string*>(name) = path;
    return 1;
  };
  for (unsigned axis = 0; axis < names.size(); ++axis) {
    if (H5DSget_num_scales(set, axis) > 0) H5DSiterate_scales(set, axis, nullptr, take_first, &names[axis]);
    names[axis].erase(0, names[axis].rfind('/') + 1);
  }
  return names;
}

#define GCAN_INSTANTIATE(T)                                                                               \
  template void Hdf5File::write(const std::string&, NumberType, const Shape&, std::span<const T>);        \
  template void Hdf5File::write_part(const std::string&, const Shape&, const Shape&, std::span<const T>); \
  template std::vector<T> Hdf5File::read(const std::string&) const;                                       \
  template std::vector<T> Hdf5File::read_part(const std::string&, const Shape&, const Shape&) const;
GCAN_INSTANTIATE(float)
GCAN_INSTANTIATE(double)
GCAN_INSTANTIATE(std::uint8_t)
GCAN_INSTANTIATE(std::uint32_t)
GCAN_INSTANTIATE(std::int32_t)
GCAN_INSTANTIATE(std::int64_t)
#undef GCAN_INSTANTIATE

}  // namespace gcan::data
