#pragma once

#include <string>

namespace gcan::distributed {

// The address of this machine by which the other ranks reach it: of the interface that GLOO_SOCKET_IFNAME
// names where it is set, otherwise of the one on the way to the meeting point. Error where there is none.
std::string own_address(const std::string& meeting_host, bool one_machine);

// This machine's name.
std::string host_name();

}  // namespace gcan::distributed
