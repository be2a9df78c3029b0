#include "gcan/distributed/c10d.h"

#include <array>
#include <chrono>
#include <thread>
#include <type_traits>
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
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#ifdef GCAN_WITH_MPI
#ifndef USE_C10D_MPI
#define USE_C10D_MPI
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupMPI.hpp>
#endif
#ifdef GCAN_WITH_NCCL
#ifndef USE_C10D_NCCL
#define USE_C10D_NCCL
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif
#endif

namespace gcan::distributed {
namespace {

constexpr std::array kBackendNames{"gloo", "mpi", "nccl"};

}  // namespace

std::string to_string(Backend backend) { return kBackendNames.at(static_cast<std::size_t>(backend)); }

Backend backend_named(const std::string& name) {
  for (std::size_t i = 0; i < kBackendNames.size(); ++i) {
    if (name == kBackendNames[i]) return static_cast<Backend>(i);
  }
  throw Error("there is no backend '" + name + "'; use gloo, mpi or nccl");
}

bool has([[maybe_unused]] Backend backend) {
#ifdef GCAN_WITH_GLOO
  if (backend == Backend::gloo) return true;
#ifdef GCAN_WITH_MPI
  if (backend == Backend::mpi) return true;
#endif
#ifdef GCAN_WITH_NCCL
  if (backend == Backend::nccl) return true;
#endif
#endif
  return false;
}

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
  } catch (const std::exception&) {
    throw Error("nobody answered at the rendezvous " + address.host + ":" + std::to_string(address.port) +
                " within " + std::to_string(static_cast<int>(seconds)) + " s; did rank 0 start?");
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

namespace {

using Engine = std::conditional_t<std::is_base_of_v<c10d::Backend, c10d::ProcessGroupGloo>, c10d::Backend,
                                  c10d::ProcessGroup>;
using EnginePtr = c10::intrusive_ptr<Engine>;

EnginePtr gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, const std::string& address,
               double seconds) {
  auto options = c10d::ProcessGroupGloo::Options::create(milliseconds(seconds));
  options->threads = 1;  // one operation at a time, in order
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(address));
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
}

#ifdef GCAN_WITH_MPI
EnginePtr mpi(int rank, int size) {
  auto engine = c10d::ProcessGroupMPI::createProcessGroupMPI();
  const auto of = [](int a, int b) { return std::to_string(a) + " of " + std::to_string(b); };
  if (engine->getRank() != rank || engine->getSize() != size) {
    throw Error("train.backend is mpi, but rank " + of(rank, size) + " is rank " +
                of(engine->getRank(), engine->getSize()) +
                " for MPI; start it with the mpirun of the MPI that LibTorch was built with");
  }
  return engine;
}
#endif

#ifdef GCAN_WITH_NCCL
EnginePtr nccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, double seconds) {
  // By default a thread of LibTorch ends the process after a broken connection, before we can say why.
  setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", 0);  // NOLINT(concurrency-mt-unsafe)
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = milliseconds(seconds);
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(c10::make_intrusive<c10d::PrefixStore>("nccl", store),
                                                     rank, size, options);
}
#endif

// For tensors of a device, wait() makes only the device wait, and with it the operations that follow.
template <class Work>
void finish(const Work& work, const torch::Tensor& tensor) {
  if (tensor.device().is_cpu()) {
    work->wait();
    return;
  }
  while (!work->isCompleted()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (const std::exception_ptr problem = work->exception()) std::rethrow_exception(problem);
}

}  // namespace

struct Collectives::State {
  EnginePtr host;    // Gloo or MPI
  EnginePtr device;  // NCCL, or null
  int size = 1;

  [[nodiscard]] Engine& of(const torch::Tensor& tensor) const {
    return tensor.device().is_cpu() ? *host : *device;
  }
};

Collectives::Collectives([[maybe_unused]] Backend backend, KeyStore& store, int rank, int size,
                         const std::string& address, double seconds)
    : state_(std::make_unique<State>()) {
  state_->size = size;
#ifdef GCAN_WITH_MPI
  if (backend == Backend::mpi) state_->host = mpi(rank, size);
#endif
#ifdef GCAN_WITH_NCCL
  if (backend == Backend::nccl) state_->device = nccl(store.state_->store, rank, size, seconds);
#endif
  if (!state_->host) state_->host = gloo(store.state_->store, rank, size, address, seconds);
}

Collectives::~Collectives() = default;

bool Collectives::takes(const torch::Device& device) const {
  return device.is_cpu() || (device.is_cuda() && state_->device);
}

void Collectives::sum(torch::Tensor tensor) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  finish(state_->of(tensors[0]).allreduce(tensors), tensors[0]);
}

void Collectives::broadcast(torch::Tensor tensor) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  finish(state_->of(tensors[0]).broadcast(tensors), tensors[0]);
}

torch::Tensor Collectives::gather(const torch::Tensor& tensor) {
  std::vector<at::Tensor> inputs{tensor.contiguous()};
  std::vector<std::vector<at::Tensor>> outputs(1);
  for (int i = 0; i < state_->size; ++i) outputs[0].push_back(torch::empty_like(inputs[0]));
  finish(state_->of(tensor).allgather(outputs, inputs), tensor);
  return torch::stack(outputs[0]);
}

torch::Tensor Collectives::exchange(const torch::Tensor& bytes) {
  at::Tensor input = bytes, output = torch::empty_like(bytes);
  std::vector<std::int64_t> equal;
  finish(state_->of(bytes).alltoall_base(output, input, equal, equal), bytes);
  return output;
}

void Collectives::barrier() { state_->host->barrier()->wait(); }

#else

namespace {

[[noreturn]] void refuse() {
  throw Error(
      "this gcan was built without Gloo and supports only one process; install libgloo-dev and rebuild it");
}

}  // namespace

struct KeyStore::State {};
struct Collectives::State {};

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
Collectives::Collectives(Backend /*backend*/, KeyStore& /*store*/, int /*rank*/, int /*size*/,
                         const std::string& /*address*/, double /*seconds*/) {
  refuse();
}
Collectives::~Collectives() = default;
bool Collectives::takes(const torch::Device& /*device*/) const { refuse(); }
void Collectives::sum(torch::Tensor /*tensor*/) { refuse(); }
void Collectives::broadcast(torch::Tensor /*tensor*/) { refuse(); }
torch::Tensor Collectives::gather(const torch::Tensor& /*tensor*/) { refuse(); }
torch::Tensor Collectives::exchange(const torch::Tensor& /*bytes*/) { refuse(); }
void Collectives::barrier() { refuse(); }

#endif

}  // namespace gcan::distributed
