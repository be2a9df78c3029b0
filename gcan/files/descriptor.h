#pragma once

// File descriptors, for the files of this folder.

#include <cstddef>
#include <span>
#include <string>

namespace gcan::files {

// A file descriptor that is closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  // Some file systems report a full disk only here.
  bool close();

 private:
  int number_;
};

// False, with errno set, if not everything could be written.
bool write_all(int file, std::span<const std::byte> bytes);

// Waits for the lock of an open file; no effect on file systems without locks.
void lock(int file);

// Whether the path still refers to the open file.
bool is_at(int file, const std::string& path);

// The message for a system error number.
std::string reason(int number);

}  // namespace gcan::files
