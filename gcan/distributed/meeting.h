#pragma once

#include <string>
#include <vector>

#include "gcan/base/launcher.h"
#include "gcan/distributed/c10d.h"

namespace gcan::distributed {

// A connection to the meeting point, and where it is.
struct Met {
  KeyStore store;
  Address address;
  bool serves = false;  // this process does
};

// Rank 0 serves the meeting point where nobody else does; the others look for it. Error after so many
// seconds.
Met meet(const base::Launch& launch, double seconds);

// What the keys of this start begin with.
std::string keys_of(const base::Launch& launch);

// Leaves the name of this rank and collects those of all: "rank 2 (host node7, process 4711)". Error, with
// the first rank that is missing, after so many seconds.
std::vector<std::string> introduce(KeyStore& store, const base::Launch& launch, double seconds);

}  // namespace gcan::distributed
