#pragma once

#include <string>
#include <vector>

#include "gcan/base/launcher.h"
#include "gcan/distributed/c10d.h"

namespace gcan::distributed {

// A connection to the rendezvous, and its address.
struct Met {
  KeyStore store;
  Address address;
  bool serves = false;  // whether this process serves it
};

// Rank 0 serves the rendezvous unless a launcher does; the others connect. Error after this many seconds.
Met meet(const base::Launch& launch, double seconds);

// The prefix of this start's keys.
std::string keys_of(const base::Launch& launch);

// Publishes the name of this rank and collects all names: "rank 2 (host node7, process 4711)". Error naming
// the first missing rank after this many seconds.
std::vector<std::string> introduce(KeyStore& store, const base::Launch& launch, double seconds);

}  // namespace gcan::distributed
