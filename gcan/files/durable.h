#pragma once

// Files that survive a killed program, a full disk and a power cut: written and flushed to the disk before
// their name can be seen. A flush that fails is an Error everywhere.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gcan::files {

// Writes a file and flushes it to the disk. Error, with the path and the reason, when that is not possible;
// what was written of it is then removed, if it is a regular file.
void write_durably(const std::string& path, std::span<const std::byte> bytes);
void write_durably(const std::string& path, const std::string& text);

// The same under the name PATH.partial, which is changed in one step: readers see the old file or the new
// one. Two processes that do it at once take turns.
void replace_durably(const std::string& path, const std::string& text);

// Renames a file that is complete, once its bytes are on the disk.
void give_name(const std::string& from, const std::string& to);

// Lets the link point to `target`, in one step: it points to the old target or to the new one.
void replace_link(const std::string& target, const std::string& link);

// Flushes a file that someone else has written.
void flush_file(const std::string& path);

// Flushes a folder's own list of names.
void flush_folder(const std::string& folder);

// Makes a folder and those above it. Error, with the reason, when that is not possible.
void make_folder(const std::string& folder);

// Error unless the folder of `name` exists and has room for this many bytes.
void check_room(const std::string& name, std::uint64_t bytes);

// Error, with the path, when it cannot be read.
std::string read_whole(const std::string& path);

}  // namespace gcan::files
