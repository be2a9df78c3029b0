#pragma once

// Files that survive a killed program, a full disk and a power failure: they are written and flushed to the
// disk before their name is visible. A failed flush is always an Error.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gcan::files {

// Writes a file and flushes it to the disk. Error, with the path and the reason, on failure; a partial
// regular file is then removed.
void write_durably(const std::string& path, std::span<const std::byte> bytes);
void write_durably(const std::string& path, const std::string& text);

// The same under the name PATH.partial, which is then renamed atomically: readers see the old or the new
// file. Concurrent processes take turns.
void replace_durably(const std::string& path, const std::string& text);

// Renames a complete file once its bytes are on the disk.
void give_name(const std::string& from, const std::string& to);

// Points the link at `target`, atomically.
void replace_link(const std::string& target, const std::string& link);

// Flushes a file that other code has written.
void flush_file(const std::string& path);

// Flushes a folder's directory entries.
void flush_folder(const std::string& folder);

// Creates a folder and its parents. Error, with the reason, on failure.
void make_folder(const std::string& folder);

// Error unless the folder of `name` exists and its disk has room for this many bytes.
void check_room(const std::string& name, std::uint64_t bytes);

// Error, with the path, if it cannot be read.
std::string read_whole(const std::string& path);

}  // namespace gcan::files
