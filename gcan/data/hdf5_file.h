#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// gcan/data: dataset files: HDF5 in The Well's layout, conversion from and to other layouts, splits and
// statistics.
namespace gcan::data {

using Shape = std::vector<std::uint64_t>;

std::string to_string(const Shape& shape);  // "3 x 96 x 192"
std::uint64_t points(const Shape& shape);

enum class NumberType { kFloat32, kFloat64, kUint8, kUint32, kInt32, kInt64 };

// An HDF5 file, closed with the object. Every failure is a gcan::Error that names the file, the object in it,
// what was found and what was expected. Names are paths inside the file. Numbers are converted between the
// stored and the requested type. Not thread-safe.
class Hdf5File {
 public:
  enum class Mode {
    kRead,     // after check_before_parsing()
    kReadOwn,  // a file that this process has written
    kChange,   // an existing file
    kCreate,   // replaces an existing file
  };

  Hdf5File(std::string path, Mode mode);
  ~Hdf5File();
  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  const std::string& path() const { return path_; }
  void flush();
  void close();  // Error if the last bytes cannot be written, which the destructor cannot report

  bool has(const std::string& name) const;
  std::vector<std::string> members(const std::string& group) const;  // in order of creation
  void make_group(const std::string& name);

  // Datasets. An uncompressed dataset is a contiguous block that is allocated on creation, so writing to it
  // changes nothing else in the file; compressed datasets have chunks of the given shape.
  void make_dataset(const std::string& name, NumberType type, const Shape& shape, const Shape& chunk = {});
  Shape shape(const std::string& name) const;
  template <class T>
  void write(const std::string& name, NumberType type, const Shape& shape, std::span<const T> values);
  template <class T>
  void write_part(const std::string& name, const Shape& start, const Shape& count, std::span<const T> values);
  template <class T>
  std::vector<T> read(const std::string& name) const;
  template <class T>
  std::vector<T> read_part(const std::string& name, const Shape& start, const Shape& count) const;
  void write_flags(const std::string& name, const std::vector<bool>& flags);  // h5py's bool

  // Attributes of the group or dataset `object`; "/" is the file itself.
  void set(const std::string& object, const std::string& name, std::string_view text);
  void set(const std::string& object, const std::string& name, const char* text) {
    set(object, name, std::string_view(text));
  }
  void set(const std::string& object, const std::string& name, const std::vector<std::string>& texts);
  void set(const std::string& object, const std::string& name, double number);
  void set(const std::string& object, const std::string& name, std::int64_t number);
  void set(const std::string& object, const std::string& name, bool flag);
  void set(const std::string& object, const std::string& name, const std::vector<bool>& flags);
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> attributes(const std::string& object) const;  // names, in order of creation
  bool attribute_is_text(const std::string& object, const std::string& name) const;
  bool attribute_is_whole(const std::string& object, const std::string& name) const;
  std::string text(const std::string& object, const std::string& name) const;
  std::vector<std::string> texts(const std::string& object, const std::string& name) const;
  double number(const std::string& object, const std::string& name) const;
  std::int64_t whole_number(const std::string& object, const std::string& name) const;

  // Dimension scales, as required by NetCDF-4.
  void make_scale(const std::string& dataset, const std::string& dimension);
  void attach_scale(const std::string& dataset, unsigned axis, const std::string& scale);
  // The names of the scales along the axes of a dataset, without their group; empty for an axis without
  // scale.
  std::vector<std::string> axis_names(const std::string& dataset) const;

 private:
  [[noreturn]] void fail(const std::string& object, const std::string& what) const;

  std::string path_;
  std::int64_t id_ = -1;
};

}  // namespace gcan::data
