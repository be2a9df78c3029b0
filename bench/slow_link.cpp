#include "bench/slow_link.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <thread>
#include <utility>

#include "gcan/base/children.h"
#include "gcan/base/error.h"
#include "gcan/base/statistics.h"

namespace gcan::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

// A file descriptor, closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  operator int() const {
    return number_;
  }  // NOLINT(google-explicit-constructor): as the system's calls want it

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& what) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe)
}

int checked(int result, const char* what) {
  if (result < 0) fail(what);
  return result;
}

bool does(const Words& words) {
  base::Children children;
  children.start(0, words, "/dev/null");
  while (true) {
    for (const base::Ended& child : children.wait(1)) return child.code == 0;
  }
}

void must(const Words& words) {
  if (!does(words)) throw Error(fmt::format("'{}' fails; it needs root", fmt::join(words, " ")));
}

// A descriptor created in a network namespace belongs to it for ever, whichever thread uses it.
Descriptor made_in(const std::string& space, const std::function<Descriptor()>& make) {
  Descriptor made;
  std::string problem;
  std::thread([&] {
    try {
      const Descriptor file(
          checked(open(("/run/netns/" + space).c_str(), O_RDONLY | O_CLOEXEC), space.c_str()));
      checked(setns(file, CLONE_NEWNET), "setns");
      made = make();
    } catch (const Error& error) {
      problem = error.what();
    }
  }).join();
  if (!problem.empty()) throw Error(problem);
  return made;
}

// A TUN device. Large segments pass through the relay unsplit, as with a network card that splits and joins
// them itself.
Descriptor make_tun(const std::string& name) {
  Descriptor file(checked(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun"));
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  checked(ioctl(file, TUNSETIFF, &request), "TUNSETIFF");
  checked(ioctl(file, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4), "TUNSETOFFLOAD");
  return file;
}

// The header of a packet: struct virtio_net_hdr of linux/virtio_net.h, which is not C++.
struct PacketHeader {
  std::uint8_t flags, type;
  std::uint16_t length, segment, checksum_start,
      checksum_offset;  // `segment`: bytes in each, without headers
};
constexpr std::size_t kLongest = (1U << 16U) + sizeof(PacketHeader);

// Bits on the wire of what was read from a TUN device: segments with their headers, each in an Ethernet frame
// with preamble and gap.
double bits_of(const std::vector<char>& read) {
  constexpr double kFrame = 14 + 4 + 8 + 12;
  PacketHeader header{};
  std::memcpy(&header, read.data(), sizeof(header));
  const auto length = static_cast<double>(read.size() - sizeof(header));
  const double segments =
      header.type == 0 || header.segment == 0 ? 1 : std::ceil((length - header.length) / header.segment);
  return 8 * (length + (segments - 1) * header.length + segments * kFrame);
}

// Forwards packets in one direction until `stop`.
void pass_on(int from, int to, const SlowLink::Speed& speed, const std::atomic<bool>& stop) {
  struct Packet {
    double due;
    std::vector<char> bytes;
  };
  constexpr double kQueue = 0.02;  // packets that would wait longer are dropped, as in a switch [s]
  constexpr double kIdle = 0.1;
  const auto start = Clock::now();
  const auto now = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::deque<Packet> queue;
  double free = 0;  // when the wire becomes free
  std::vector<char> buffer(kLongest);
  while (!stop) {
    for (; !queue.empty() && queue.front().due <= now(); queue.pop_front())
      std::ignore = write(to, queue.front().bytes.data(), queue.front().bytes.size());
    const double pause = queue.empty() ? kIdle : std::max(0.0, queue.front().due - now());
    const timespec time{0, static_cast<long>(pause * 1e9)};
    pollfd readable{from, POLLIN, 0};
    if (ppoll(&readable, 1, &time, nullptr) <= 0) continue;
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count <= static_cast<ssize_t>(sizeof(PacketHeader))) continue;
    std::vector<char> bytes(buffer.begin(), buffer.begin() + count);
    const double begin = std::max(now(), free);
    if (begin - now() > kQueue) continue;
    free = begin + bits_of(bytes) / speed.rate;
    queue.push_back({free + speed.delay, std::move(bytes)});
  }
}

// Real-time priority, without which packets wait until the programs on all cores have had their turn. Returns
// whether it is allowed.
bool prefer(std::thread& thread) {
  const sched_param first{.sched_priority = 1};
  return pthread_setschedparam(thread.native_handle(), SCHED_FIFO, &first) == 0;
}

sockaddr_in address_of(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

// A TCP connection between both sides.
std::array<Descriptor, 2> connection(const std::array<std::string, 2>& spaces) {
  constexpr int kPort = 29518;
  const auto make_socket = [] {
    return Descriptor(checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  };
  const Descriptor listener = made_in(spaces[0], make_socket);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address = address_of(SlowLink::address(0), kPort);
  checked(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), "bind");
  checked(listen(listener, 1), "listen");
  Descriptor other = made_in(spaces[1], make_socket);
  checked(connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), "connect");
  Descriptor own(checked(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), "accept"));
  for (const int end : {static_cast<int>(own), static_cast<int>(other)})
    setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return {std::move(own), std::move(other)};
}

// Reads that many bytes.
void take(int socket, std::size_t count) {
  std::vector<char> bytes(1U << 16U);
  while (count > 0) {
    const ssize_t got = recv(socket, bytes.data(), std::min(count, bytes.size()), 0);
    if (got <= 0) fail("recv");
    count -= static_cast<std::size_t>(got);
  }
}

void give(int socket, std::size_t count) {
  const std::vector<char> bytes(1U << 16U);
  while (count > 0) {
    const ssize_t sent = send(socket, bytes.data(), std::min(count, bytes.size()), MSG_NOSIGNAL);
    if (sent <= 0) fail("send");
    count -= static_cast<std::size_t>(sent);
  }
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

struct SlowLink::Relay {
  Relay(Descriptor first, Descriptor second, const Speed& speed) : ends{std::move(first), std::move(second)} {
    for (std::size_t i = 0; i < 2; ++i) {
      threads[i] = std::thread([this, i, speed] { pass_on(ends[i], ends[1 - i], speed, stop); });
      preferred = prefer(threads[i]) && preferred;
    }
  }
  ~Relay() {
    stop = true;
    for (std::thread& thread : threads) thread.join();
  }

  std::array<Descriptor, 2> ends;
  std::atomic<bool> stop = false;
  bool preferred = true;
  std::array<std::thread, 2> threads;
};

SlowLink::SlowLink(const Speed& speed) : speed_(speed), ip_(base::find_program("ip")) {
  if (ip_.empty()) throw Error("there is no program 'ip' (Debian: iproute2)");
  try {
    make();
  } catch (const Error&) {
    remove();
    throw;
  }
}

SlowLink::~SlowLink() { remove(); }

std::string SlowLink::space(int side) const { return fmt::format("gcanbench{}-{}", getpid(), side); }
std::string SlowLink::device(int side) const { return fmt::format("gcb{}-{}", getpid(), side); }
std::string SlowLink::address(int side) { return fmt::format("10.98.0.{}", side + 1); }

Words SlowLink::on_side(int side, const Words& command) const {
  Words words{ip_, "netns", "exec", space(side)};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

void SlowLink::make() {
  for (int i = 0; i < 2; ++i) must({ip_, "netns", "add", space(i)});
  if (slow_down_by_netem()) {
    means_ = "netem";
  } else {
    slow_down_by_relay();
    means_ = relay_->preferred ? "a relay" : "a relay without real-time priority";
  }
  for (int i = 0; i < 2; ++i) {
    must({ip_, "-n", space(i), "address", "add", address(i), "peer", address(1 - i), "dev", device(i)});
    must({ip_, "-n", space(i), "link", "set", device(i), "up"});
    must({ip_, "-n", space(i), "link", "set", "lo", "up"});
  }
}

void SlowLink::remove() {
  relay_.reset();
  for (int i = 0; i < 2; ++i) std::ignore = does({ip_, "netns", "del", space(i)});
}

bool SlowLink::slow_down_by_netem() {
  const std::string tc = base::find_program("tc");
  if (tc.empty()) return false;
  must({ip_, "link", "add", device(0), "netns", space(0), "type", "veth", "peer", "name", device(1), "netns",
        space(1)});
  for (int i = 0; i < 2; ++i) {
    if (does({tc, "-n", space(i), "qdisc", "add", "dev", device(i), "root", "netem", "delay",
              fmt::format("{}us", speed_.delay * 1e6), "rate", fmt::format("{}bit", speed_.rate), "limit",
              "10000"}))
      continue;
    must({ip_, "-n", space(0), "link", "del", device(0)});
    return false;
  }
  return true;
}

void SlowLink::slow_down_by_relay() {
  std::array<Descriptor, 2> ends;
  for (int i = 0; i < 2; ++i) {
    ends[static_cast<std::size_t>(i)] = made_in(space(i), [&] { return make_tun(device(i)); });
    // Segments of 0.13 ms at 1 Gbit/s.
    must({ip_, "-n", space(i), "link", "set", device(i), "mtu", "1500", "gso_max_size", "16384", "txqueuelen",
          "1000"});
  }
  relay_ = std::make_unique<Relay>(std::move(ends[0]), std::move(ends[1]), speed_);
}

double SlowLink::round_trip() const {
  const auto ends = connection({space(0), space(1)});
  std::vector<double> times;
  std::thread echo([&] {
    for (int i = 0; i < 200; ++i) take(ends[1], 1), give(ends[1], 1);
  });
  for (int i = 0; i < 200; ++i) {
    const auto start = Clock::now();
    give(ends[0], 1);
    take(ends[0], 1);
    times.push_back(seconds_since(start));
  }
  echo.join();
  return base::median(times);
}

double SlowLink::throughput() const {
  constexpr std::size_t kBytes = 128'000'000;
  const auto ends = connection({space(0), space(1)});
  const auto start = Clock::now();
  std::thread giver([&] { give(ends[1], kBytes); });
  take(ends[0], kBytes);
  const double seconds = seconds_since(start);
  giver.join();
  return 8.0 * kBytes / seconds;
}

}  // namespace gcan::bench
