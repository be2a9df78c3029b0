#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcan/distributed/c10d.h"

namespace gcan::distributed {

// The state of a rank for its observers. A rank that computes without reporting progress for too long counts
// as hung; one that waits for others, or does work without reports (reading files), does not.
enum class Phase : char { computing = 'c', waiting = 'w', busy = 'b' };

// Detects lost ranks. A thread of every rank sends heartbeats to the rendezvous, checks those of the next
// rank (cyclically), and reads faults that others have reported. At least one of several lost ranks has a
// living predecessor.
class Watch {
 public:
  // `names` of the ranks for messages: "rank 2 (host node7, process 4711)".
  Watch(KeyStore store, int rank, std::vector<std::string> names, std::string meeting, double seconds);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void tick();               // reports progress
  Phase enter(Phase phase);  // returns the previous one
  // Reports to all that this rank fails, and why.
  void report(const std::string& sentence);
  // Reports a broken connection, which shortens the timeout for silent ranks.
  void suspect(const std::string& what);

  // The reason for ending the run on all ranks; empty if there is none.
  [[nodiscard]] std::optional<std::string> fault() const;
  // Waits until all other living ranks have read the fault, for at most this many seconds.
  void let_others_read(double seconds);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace gcan::distributed
