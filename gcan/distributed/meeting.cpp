#include "gcan/distributed/meeting.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "gcan/base/error.h"
#include "gcan/distributed/address.h"

namespace gcan::distributed {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

// Calls `attempt` until it returns true; false after a timeout.
template <class Attempt>
bool within(double seconds, const Attempt& attempt) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!attempt()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

// The rendezvous of ranks that only know a file name.
struct MeetingFile {
  std::string path;

  void write(const Address& address) const {
    const std::string partial = path + ".partial";
    std::ofstream(partial) << address.host << ' ' << address.port << '\n';
    std::error_code problem;
    fs::rename(partial, path, problem);
    if (problem) throw Error("'" + path + "', the rendezvous of the processes, cannot be written");
  }

  [[nodiscard]] std::optional<Address> read() const {
    Address address;
    std::ifstream file(path);
    return file >> address.host >> address.port ? std::optional(address) : std::nullopt;
  }

  void remove() const {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

}  // namespace

Met meet(const base::Launch& launch, double seconds) {
  const MeetingFile file{launch.file};
  const bool one_machine = launch.local_size == launch.size;
  if (launch.rank == 0 && !launch.served) {
    if (!launch.file.empty()) file.remove();
    KeyStore store = KeyStore::serve(launch.file.empty() ? launch.port : 0, seconds);
    const Address address{launch.file.empty() ? launch.host : own_address(host_name(), one_machine),
                          store.port()};
    if (!launch.file.empty()) file.write(address);
    return {std::move(store), address, true};
  }
  if (launch.file.empty()) {
    const Address address{launch.host, launch.port};
    return {KeyStore::connect(address, seconds), address};
  }
  // A file left by a killed run contains an address where nobody listens.
  std::optional<Met> met;
  const auto try_to_meet = [&] {
    const auto address = file.read();
    if (!address) return false;
    try {
      met.emplace(Met{KeyStore::connect(*address, 2), *address});
    } catch (const Error&) {
      return false;
    }
    return true;
  };
  if (!within(seconds, try_to_meet)) {
    throw Error("rank 0 did not write the rendezvous to '" + launch.file + "' within " +
                std::to_string(static_cast<int>(seconds)) + " s");
  }
  return std::move(*met);
}

std::string keys_of(const base::Launch& launch) { return "gcan/" + launch.attempt; }

std::vector<std::string> introduce(KeyStore& store, const base::Launch& launch, double seconds) {
  const auto key = [](int rank) { return "here/" + std::to_string(rank); };
  if (store.add("count/" + std::to_string(launch.rank), 1) != 1) {
    const std::string meeting = launch.file.empty() ? launch.host + ":" + std::to_string(launch.port)
                                                    : "the file '" + launch.file + "'";
    throw Error("two processes claim to be rank " + std::to_string(launch.rank) + "; is another run using " +
                meeting + "? set MASTER_ADDR, and MASTER_PORT to another port");
  }
  store.set(key(launch.rank), host_name() + ", process " + std::to_string(getpid()));
  std::vector<std::string> names;
  const bool all = within(seconds, [&] {
    for (auto rank = static_cast<int>(names.size()); rank < launch.size; ++rank) {
      const auto name = store.get(key(rank));
      if (!name) return false;
      names.push_back("rank " + std::to_string(rank) + " (host " + *name + ")");
    }
    return true;
  });
  if (launch.rank == 0 && !launch.file.empty()) MeetingFile{launch.file}.remove();
  if (all) return names;
  throw Error("rank " + std::to_string(names.size()) + " of " + std::to_string(launch.size) +
              " did not connect within " + std::to_string(static_cast<int>(seconds)) + " s");
}

}  // namespace gcan::distributed
