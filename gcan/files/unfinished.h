#pragma once

// What must not stay behind when a signal ends the program: scratch folders and files that cannot be resumed.

#include <string>
#include <utility>

namespace gcan::files {

class Unfinished {
 public:
  // A file, or a folder that holds files alone; relative paths hold for the current folder.
  void add(const std::string& path);
  void remove(const std::string& path);  // it is finished, or gone

  // From now on SIGINT, SIGTERM and SIGHUP remove all of them before they end the program. A signal that the
  // program was started to ignore, as by nohup, stays ignored.
  void remove_on_signals();
};

// The one list of the program.
Unfinished& unfinished();

// Lists a path as long as the object lives.
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
