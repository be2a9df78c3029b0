#pragma once

// gcan/distributed: several processes that work on one run, with LibTorch's c10d. group.h: membership and
// collective operations; buckets.h: summation of gradients during the backward pass.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/base/launcher.h"
#include "gcan/distributed/backend.h"
#include "gcan/torch.h"

namespace gcan::distributed {

// Ends a run on all ranks because one of them is lost, hangs or failed. The message names it.
struct Fault : Error {
  using Error::Error;
};

// The number format for transferring sums.
enum class Wire { as_is, bfloat16 };

// The processes of a run. Every rank calls the same functions in the same order. A dead, hung or disconnected
// rank is detected within a given time, after which every waiting function throws a Fault.
//
//   const auto group = Group::join(base::launch(), 60);
//   group->sum(gradient);
//   group->leave();
class Group {
 public:
  // A single process: all functions return at once.
  Group();
  // Joins the others; `seconds` is the time limit for detecting faults. Error naming ranks that are missing.
  // All ranks use rank 0's backend.
  static std::shared_ptr<Group> join(const base::Launch& launch, double seconds,
                                     Backend backend = Backend::gloo);
  // Ends at once, independent of the others; call leave() first after regular work.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool first() const { return rank_ == 0; }
  [[nodiscard]] bool alone() const { return size_ == 1; }
  [[nodiscard]] Backend backend() const { return backend_; }
  // "rank 2 (host node7, process 4711)"
  [[nodiscard]] const std::string& name_of(int rank) const {
    return names_.at(static_cast<std::size_t>(rank));
  }

  // This rank's part [first, second) of `count` items; parts differ in size by at most one.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> share(std::int64_t count) const;

  // A pending sum.
  class Pending {
   public:
    [[nodiscard]] bool done() const;
    void wait();

   private:
    friend class Group;
    struct Job;
    Group* group_ = nullptr;
    std::shared_ptr<Job> job_;
  };
  // Sums a contiguous tensor over the ranks, in place, on any device. The result is identical on all ranks,
  // and reproducible for the same number of ranks.
  Pending sum_later(const torch::Tensor& tensor, Wire wire = Wire::as_is);
  void sum(const torch::Tensor& tensor);
  // From rank 0 to all.
  void broadcast(const torch::Tensor& tensor);
  [[nodiscard]] std::string broadcast(const std::string& text);
  // Collects a string from each rank.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text);
  // Each rank passes the rows (n, width) of its share(count) and gets the rows of all ranks in order.
  [[nodiscard]] torch::Tensor join_rows(const torch::Tensor& rows, std::int64_t count);

  // Seconds that this rank has spent waiting for the others and the network.
  [[nodiscard]] double waited() const { return waited_; }

  // Reports progress; a rank without progress for too long counts as hung.
  void tick();
  // Marks work without progress reports, such as reading a file, during the object's lifetime.
  class Busy {
   public:
    explicit Busy(Group& group);
    ~Busy();
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Group& group_;
    int before_ = 0;
  };

  // Tells the others why this rank fails.
  void fail(const std::string& sentence);
  // Synchronises the end of the work on all ranks.
  void leave();

 private:
  struct Members;
  static std::shared_ptr<Group> join_others(const base::Launch& launch, double seconds, Backend backend);
  Pending start(std::function<void(Members&)> work);
  void wait(Pending::Job& job);
  [[noreturn]] void end_with_fault(const std::string& sentence);
  [[noreturn]] void find_fault(const std::string& what);

  int rank_ = 0, size_ = 1;
  Backend backend_ = Backend::gloo;
  std::vector<std::string> names_;
  std::shared_ptr<Members> members_;  // null for a single process
  double waited_ = 0;
};

// Runs row(unit) for each of this rank's units and returns the rows of all units, (units, width), in double.
// Sums over them do not depend on the number of ranks.
torch::Tensor rows_of_units(Group& group, std::int64_t units,
                            const std::function<torch::Tensor(std::int64_t unit)>& row);

}  // namespace gcan::distributed
