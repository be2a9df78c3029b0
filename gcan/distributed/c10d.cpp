#include "gcan/distributed/c10d.h"

#include <chrono>
#include <vector>

#include "gcan/base/error.h"

#ifdef GCAN_WITH_GLOO
// Defined by LibTorch's CMake files, but not in other builds.
#ifndef USE_DISTRIBUTED
#define USE_DISTRIBUTED
#endif
#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO
#endif
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#endif

namespace gcan::distributed {

#ifdef GCAN_WITH_GLOO
namespace {

using Milliseconds = std::chrono::milliseconds;

Milliseconds milliseconds(double seconds) { return Milliseconds(static_cast<std::int64_t>(seconds * 1e3)); }

// Torch appends a stack trace to its messages.
std::string first_line(const char* what) {
  const std::string text = what;
  return text.substr(0, text.find('\n'));
}

// Since 2.4 LibTorch's store uses libuv by default, which Debian's build lacks.
template <class Options>
void without_libuv(Options& options) {
  if constexpr (requires { options.useLibUV; }) options.useLibUV = false;
}

c10::intrusive_ptr<c10d::TCPStore> tcp_store(const std::string& host, int port, bool serve, double seconds) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(port);
  options.isServer = serve;
  options.waitWorkers = false;
  options.timeout = milliseconds(seconds);
  without_libuv(options);
  return c10::make_intrusive<c10d::TCPStore>(host, options);
}

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

struct KeyStore::State {
  c10::intrusive_ptr<c10d::Store> store;
  int port = 0;
};

bool available() { return true; }

KeyStore KeyStore::serve(int port, double seconds) {
  try {
    // Its own address; the server listens on all interfaces.
    auto store = tcp_store("localhost", port, true, seconds);
    const int served = store->getPort();
    return KeyStore(std::make_unique<State>(State{store, served}));
  } catch (const std::exception& error) {
    throw Error("the processes cannot use port " + std::to_string(port) +
                " of this machine as rendezvous; set MASTER_PORT to another one (" +
                first_line(error.what()) + ")");
  }
}

KeyStore KeyStore::connect(const Address& address, double seconds) {
  try {
    return KeyStore(
        std::make_unique<State>(State{tcp_store(address.host, address.port, false, seconds), address.port}));
  } catch (const std::exception& error) {
    throw Error("nobody answered at the rendezvous " + address.host + ":" + std::to_string(address.port) +
                " within " + std::to_string(static_cast<int>(seconds)) + " s; did rank 0 start? (" +
                first_line(error.what()) + ")");
  }
}

KeyStore::KeyStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
KeyStore::KeyStore(KeyStore&&) noexcept = default;
KeyStore::~KeyStore() = default;

int KeyStore::port() const { return state_->port; }

KeyStore KeyStore::under(const std::string& prefix) const {
  return KeyStore(std::make_unique<State>(
      State{c10::make_intrusive<c10d::PrefixStore>(prefix, state_->store), state_->port}));
}

void KeyStore::set(const std::string& key, const std::string& text) {
  state_->store->set(key, bytes_of(text));
}

std::optional<std::string> KeyStore::get(const std::string& key) {
  if (!state_->store->check({key})) return std::nullopt;
  const std::vector<std::uint8_t> bytes = state_->store->get(key);
  return std::string(bytes.begin(), bytes.end());
}

std::int64_t KeyStore::add(const std::string& key, std::int64_t number) {
  return state_->store->add(key, number);
}

struct Collectives::State {
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;
  int size = 1;

  template <class Work>
  static void finish(const Work& work) {
    work->wait();
  }
};

Collectives::Collectives(KeyStore& store, int rank, int size, const std::string& address, double seconds) {
  auto options = c10d::ProcessGroupGloo::Options::create(milliseconds(seconds));
  options->threads = 1;  // one operation at a time, in order
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(address));
  state_ = std::make_unique<State>(
      State{c10::make_intrusive<c10d::ProcessGroupGloo>(store.state_->store, rank, size, options), size});
}

Collectives::~Collectives() = default;

void Collectives::sum(torch::Tensor tensor) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  State::finish(state_->gloo->allreduce(tensors));
}

void Collectives::broadcast(torch::Tensor tensor) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  State::finish(state_->gloo->broadcast(tensors));
}

torch::Tensor Collectives::gather(const torch::Tensor& tensor) {
  std::vector<at::Tensor> inputs{tensor.contiguous()};
  std::vector<std::vector<at::Tensor>> outputs(1);
  for (int i = 0; i < state_->size; ++i) outputs[0].push_back(torch::empty_like(inputs[0]));
  State::finish(state_->gloo->allgather(outputs, inputs));
  return torch::stack(outputs[0]);
}

torch::Tensor Collectives::exchange(const torch::Tensor& bytes) {
  at::Tensor input = bytes, output = torch::empty_like(bytes);
  std::vector<std::int64_t> equal;
  State::finish(state_->gloo->alltoall_base(output, input, equal, equal));
  return output;
}

void Collectives::barrier() { State::finish(state_->gloo->barrier()); }

#else

namespace {

[[noreturn]] void refuse() {
  throw Error(
      "this gcan was built without Gloo and supports only one process; install libgloo-dev and rebuild it");
}

}  // namespace

struct KeyStore::State {};
struct Collectives::State {};

bool available() { return false; }
KeyStore KeyStore::serve(int /*port*/, double /*seconds*/) { refuse(); }
KeyStore KeyStore::connect(const Address& /*address*/, double /*seconds*/) { refuse(); }
KeyStore::KeyStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
KeyStore::KeyStore(KeyStore&&) noexcept = default;
KeyStore::~KeyStore() = default;
int KeyStore::port() const { refuse(); }
KeyStore KeyStore::under(const std::string& /*prefix*/) const { refuse(); }
void KeyStore::set(const std::string& /*key*/, const std::string& /*text*/) { refuse(); }
std::optional<std::string> KeyStore::get(const std::string& /*key*/) { refuse(); }
std::int64_t KeyStore::add(const std::string& /*key*/, std::int64_t /*number*/) { refuse(); }
Collectives::Collectives(KeyStore& /*store*/, int /*rank*/, int /*size*/, const std::string& /*address*/,
                         double /*seconds*/) {
  refuse();
}
Collectives::~Collectives() = default;
void Collectives::sum(torch::Tensor /*tensor*/) { refuse(); }
void Collectives::broadcast(torch::Tensor /*tensor*/) { refuse(); }
torch::Tensor Collectives::gather(const torch::Tensor& /*tensor*/) { refuse(); }
torch::Tensor Collectives::exchange(const torch::Tensor& /*bytes*/) { refuse(); }
void Collectives::barrier() { refuse(); }

#endif

}  // namespace gcan::distributed
