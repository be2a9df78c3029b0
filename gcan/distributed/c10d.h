#pragma once

// LibTorch's c10d as gcan uses it: a store of keys at the meeting point, and Gloo's collective operations.
// What differs between LibTorch 1.13, where ProcessGroupGloo is a ProcessGroup, and 2.x, where it is a
// Backend, stays in c10d.cpp.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gcan/torch.h"

namespace c10d {
class Store;
}  // namespace c10d

namespace gcan::distributed {

// Whether gcan was built with Gloo; without it everything below is an Error.
bool available();

struct Address {
  std::string host;
  int port = 0;
};

// Texts by key, kept by one process and seen by all. An object is a connection, to be used by one thread.
class KeyStore {
 public:
  // Serves it at a free port where `port` is 0, at that one otherwise. Error when the port is taken.
  static KeyStore serve(int port, double seconds);
  // Error when nobody answers within this many seconds.
  static KeyStore connect(const Address& address, double seconds);
  ~KeyStore();
  KeyStore(KeyStore&&) noexcept;
  KeyStore& operator=(KeyStore&&) = delete;

  [[nodiscard]] int port() const;
  // The same connection for keys that start so.
  [[nodiscard]] KeyStore under(const std::string& prefix) const;

  void set(const std::string& key, const std::string& text);
  // None where it is not there.
  [[nodiscard]] std::optional<std::string> get(const std::string& key);
  // The sum of what was added to a number.
  std::int64_t add(const std::string& key, std::int64_t number);

 private:
  friend class Collectives;
  struct State;
  explicit KeyStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Operations in which all ranks take part, in the same order. Each blocks until it is done; std::exception
// when a connection breaks.
class Collectives {
 public:
  // `address` of this machine, as the others reach it. Error where the others do not come in time.
  Collectives(KeyStore& store, int rank, int size, const std::string& address, double seconds);
  ~Collectives();
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;

  // The sum over the ranks, in place. The order of its terms depends on the place in the tensor and on
  // nothing else.
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
