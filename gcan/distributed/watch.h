#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcan/distributed/c10d.h"

namespace gcan::distributed {

// What a rank is doing, as those who watch it see it. Who computes without a sign of progress for too long
// hangs; who waits for others, or is at work that shows none (reading files), does not.
enum class Phase : char { computing = 'c', waiting = 'w', busy = 'b' };

// Finds out which rank is gone. A thread of every rank leaves a sign of life at the meeting point, looks at
// those of the next rank (of the last one: the first), and reads there what others have found. Of ranks that
// are gone one always has a living rank before it.
class Watch {
 public:
  // `names` of the ranks for sentences: "rank 2 (host node7, process 4711)".
  Watch(KeyStore store, int rank, std::vector<std::string> names, std::string meeting, double seconds);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void tick();               // a sign of progress
  Phase enter(Phase phase);  // returns the one before
  // That this rank fails, and why; told to all.
  void report(const std::string& sentence);
  // That a connection broke: whoever is silent from now on is soon found.
  void suspect(const std::string& what);

  // Why the run has to end on all ranks; none as long as all is well.
  [[nodiscard]] std::optional<std::string> fault() const;
  // Waits until all others that live have read the fault, for so many seconds at most.
  void let_others_read(double seconds);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace gcan::distributed
