#pragma once

// File descriptors of the system, for the files of this folder.

#include <cstddef>
#include <span>
#include <string>

namespace gcan::files {

// A file descriptor, closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  // Some file systems tell only here that the disk was full.
  bool close();

 private:
  int number_;
};

// False, with errno, when not everything could be written.
bool write_all(int file, std::span<const std::byte> bytes);

// Waits for the lock of an open file; without effect where the file system has no locks.
void lock(int file);

// Whether the path is still a name of the open file.
bool is_at(int file, const std::string& path);

// What an error number of the system means.
std::string reason(int number);

}  // namespace gcan::files
