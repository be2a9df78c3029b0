#pragma once

// Scratch folders and unresumable files, which are removed when a signal ends the program.

#include <string>
#include <utility>

namespace gcan::files {

class Unfinished {
 public:
  // A file, or a folder that contains only files. Relative paths refer to the current folder.
  void add(const std::string& path);
  void remove(const std::string& path);  // it is finished or deleted

  // From now on SIGINT, SIGTERM and SIGHUP remove all of them before they end the program. Signals that are
  // ignored at start, as with nohup, stay ignored.
  void remove_on_signals();
};

// The program's list.
Unfinished& unfinished();

// Lists a path during the object's lifetime.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(std::string path) : path_(std::move(path)) { unfinished().add(path_); }
  ~UnfinishedFile() { unfinished().remove(path_); }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::string path_;
};

}  // namespace gcan::files
