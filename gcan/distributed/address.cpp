#include "gcan/distributed/address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <memory>

#include "gcan/base/error.h"

namespace gcan::distributed {
namespace {

std::string numeric(const sockaddr* address, socklen_t length) {
  std::array<char, NI_MAXHOST> text{};
  return getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0 ? text.data()
                                                                                                 : "";
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

// The first address of an interface that is up and that `wanted` accepts.
std::string interface_address(const std::function<bool(const ifaddrs&)>& wanted) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "";
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_UP) == 0) continue;
    if (i->ifa_addr->sa_family == AF_INET && wanted(*i)) return numeric(i->ifa_addr, sizeof(sockaddr_in));
  }
  return "";
}

// Sends no packet; the system only chooses the route.
std::string address_towards(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), "9", &hints, &found) != 0) {
    throw Error("the machine '" + host + "', the rendezvous of the processes, cannot be resolved here");
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    const int file = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);
    if (file < 0) continue;
    sockaddr_storage own{};
    socklen_t length = sizeof(own);
    auto* const address = reinterpret_cast<sockaddr*>(&own);
    const bool known =
        connect(file, a->ai_addr, a->ai_addrlen) == 0 && getsockname(file, address, &length) == 0;
    close(file);
    if (known) return numeric(address, length);
  }
  return "";
}

}  // namespace

std::string own_address(const std::string& meeting_host, bool one_machine) {
  const char* wanted = std::getenv("GLOO_SOCKET_IFNAME");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  if (wanted != nullptr && *wanted != '\0') {
    const std::string name = wanted;
    std::string address = interface_address([&](const ifaddrs& i) { return i.ifa_name == name; });
    if (address.empty()) {
      throw Error("GLOO_SOCKET_IFNAME is '" + name + "', but no such network interface is up");
    }
    return address;
  }
  if (one_machine) return "127.0.0.1";
  std::string address = address_towards(meeting_host);
  if (address.empty() || is_loopback(address)) {
    address = interface_address([](const ifaddrs& i) { return (i.ifa_flags & IFF_LOOPBACK) == 0; });
  }
  if (address.empty()) throw Error("this machine has no network interface that other processes could reach");
  return address;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace gcan::distributed
