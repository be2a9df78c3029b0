#pragma once

// Two machines and a network: network namespaces connected by a link with a given rate and delay. Needs root
// and ip (Debian: iproute2).

#include <memory>
#include <string>
#include <vector>

namespace gcan::bench {

// The kernel's netem delays packets if the kernel has it. Otherwise a relay does: the link is a pair of
// TUN devices, and two threads of this process forward packets, each after its time on the wire (with
// the Ethernet headers of its segments) and the delay. They run with real-time priority, on the cores of the
// programs that use the link.
class SlowLink {
 public:
  struct Speed {
    double rate = 1e9;    // [bit/s]
    double delay = 5e-4;  // in each direction [s]
  };

  explicit SlowLink(const Speed& speed);  // Error if it cannot be made
  ~SlowLink();
  SlowLink(const SlowLink&) = delete;
  SlowLink& operator=(const SlowLink&) = delete;

  // The source of the delay: "netem" or "a relay".
  [[nodiscard]] const std::string& means() const { return means_; }
  // The command that runs a program on a side, 0 or 1.
  [[nodiscard]] std::vector<std::string> on_side(int side, const std::vector<std::string>& command) const;
  [[nodiscard]] static std::string address(int side);

  // The actual performance, measured with TCP.
  [[nodiscard]] double round_trip() const;  // median of single bytes [s]
  [[nodiscard]] double throughput() const;  // of 128 MB [bit/s]

 private:
  struct Relay;
  void make();
  void remove();
  bool slow_down_by_netem();
  void slow_down_by_relay();
  [[nodiscard]] std::string space(int side) const;   // a network namespace
  [[nodiscard]] std::string device(int side) const;  // a network device

  Speed speed_;
  std::string ip_, means_;
  std::unique_ptr<Relay> relay_;
};

}  // namespace gcan::bench
