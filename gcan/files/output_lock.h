#pragma once

// One writer of an output at a time.

#include <optional>
#include <string>

#include "gcan/files/descriptor.h"

namespace gcan::files {

// Held for a file or folder while this process writes it. The kernel lets go of it when the process ends,
// however it does; the lock file that may then stay behind is taken over by the next writer. Where the file
// system has no locks, the lock file itself is the lock, and one that a killed writer on another machine left
// has to be removed by hand.
//
//   const OutputLock lock("data.h5");           // data.h5.lock
//   const OutputLock lock("runs/gca-mlp/");     // runs/gca-mlp/.lock
class OutputLock {
 public:
  // Error that names the process and the machine that write it now, or the reason why it cannot be locked.
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

}  // namespace gcan::files
