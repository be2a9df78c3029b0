#pragma once

// Allows one writer of an output at a time.

#include <optional>
#include <string>

#include "gcan/files/descriptor.h"

namespace gcan::files {

// Held for a file or folder while this process writes it. The kernel releases it when the process ends in any
// way; the next writer takes over a stale lock file. On file systems without locks the lock file itself is
// the lock, and one left by a killed writer on another machine must be removed by hand.
//
//   const OutputLock lock("data.h5");           // data.h5.lock
//   const OutputLock lock("runs/gca-mlp/");     // runs/gca-mlp/.lock
class OutputLock {
 public:
  // Error that names the current writer's process and machine, or the reason why it cannot be locked.
  explicit OutputLock(const std::string& output);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  static constexpr const char* kNameInFolder = ".lock";

 private:
  std::string path_;
  std::optional<Descriptor> file_;
};

// Removes the lock and OUTPUT.partial, which remain if a writer is killed after the output is complete.
void remove_leftovers(const std::string& output);

}  // namespace gcan::files
