#pragma once

#include <string>

namespace gcan::distributed {

// The address of this machine for other ranks: that of the interface GLOO_SOCKET_IFNAME if set, otherwise of
// the interface on the route to the rendezvous. Error if there is none.
std::string own_address(const std::string& meeting_host, bool one_machine);

// This machine's name.
std::string host_name();

}  // namespace gcan::distributed
