#pragma once

// What must not stay behind when a signal ends the program: scratch folders and files that nothing can go on
// with.

#include <string>

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

}  // namespace gcan::files
