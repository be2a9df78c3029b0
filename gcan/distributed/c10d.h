#pragma once

// A wrapper of LibTorch's c10d: a key-value store at the rendezvous, and the collective operations of a
// backend. c10d.cpp handles the differences between LibTorch 1.13, where ProcessGroupGloo is a ProcessGroup,
// and 2.x, where it is a Backend.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gcan/distributed/backend.h"
#include "gcan/torch.h"

namespace c10d {
class Store;
}  // namespace c10d

namespace gcan::distributed {

// Without Gloo, everything below is an Error.

struct Address {
  std::string host;
  int port = 0;
};

// A key-value store served by one process. An object is a connection for use by one thread.
class KeyStore {
 public:
  // Serves the store at `port`, or a free port if it is 0. Error if the port is in use.
  static KeyStore serve(int port, double seconds);
  // Error if nobody answers within this many seconds.
  static KeyStore connect(const Address& address, double seconds);
  ~KeyStore();
  KeyStore(KeyStore&&) noexcept;
  KeyStore& operator=(KeyStore&&) = delete;

  [[nodiscard]] int port() const;
  // The same connection with a prefix for keys.
  [[nodiscard]] KeyStore under(const std::string& prefix) const;

  void set(const std::string& key, const std::string& text);
  // Empty if the key does not exist.
  [[nodiscard]] std::optional<std::string> get(const std::string& key);
  // Adds to a counter and returns the sum.
  std::int64_t add(const std::string& key, std::int64_t number);

 private:
  friend class Collectives;
  struct State;
  explicit KeyStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Collective operations, which all ranks must call in the same order. They block until complete and throw
// std::exception if a connection breaks.
class Collectives {
 public:
  // `address` is this machine's for other ranks. Error if the others do not connect in time, or if MPI did
  // not start them.
  Collectives(Backend backend, KeyStore& store, int rank, int size, const std::string& address,
              double seconds);
  ~Collectives();
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;

  // Whether tensors on this device can be passed as they are; CPU tensors always can.
  [[nodiscard]] bool takes(const torch::Device& device) const;

  // Sums over the ranks, in place. The order of terms depends only on the position in the tensor.
  void sum(torch::Tensor tensor);
  void broadcast(torch::Tensor tensor);  // from rank 0
  // (...) -> (ranks, ...)
  torch::Tensor gather(const torch::Tensor& tensor);
  // Bytes (ranks * n): the i-th part goes to rank i, and comes from there.
  torch::Tensor exchange(const torch::Tensor& bytes);
  void barrier();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gcan::distributed
