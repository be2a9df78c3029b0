#pragma once

// gcan/distributed: several processes that work on one run, by LibTorch's c10d (Gloo). group.h: who they are
// and what they do together; buckets.h: gradients averaged while the backward pass goes on.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/base/launcher.h"
#include "gcan/torch.h"

namespace gcan::distributed {

// Ends a run on all ranks: one of them is gone, hangs, or failed. The sentence names it.
struct Fault : Error {
  using Error::Error;
};

// How sums of float numbers travel.
enum class Wire { as_is, bfloat16 };

// The processes of a run. Every rank calls the same functions in the same order. A rank that does not take
// part because it died, hangs or lost its network is found within a time that is set, and every function that
// waits for the others then throws a Fault.
//
//   const auto group = Group::join(base::launch(), 60);
//   group->sum(gradient);
//   group->leave();
class Group {
 public:
  // One process that works alone: all functions return at once.
  Group();
  // Meets the others; `seconds` is the time in which a fault is found. Error, naming them, for ranks that do
  // not come.
  static std::shared_ptr<Group> join(const base::Launch& launch, double seconds);
  // Ends at once, whatever the others do; a group whose work is done leaves first.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool first() const { return rank_ == 0; }
  [[nodiscard]] bool alone() const { return size_ == 1; }
  // "rank 2 (host node7, process 4711)"
  [[nodiscard]] const std::string& name_of(int rank) const {
    return names_.at(static_cast<std::size_t>(rank));
  }

  // Which of `count` things in a row are this rank's, [first, second): parts that differ by one at most.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> share(std::int64_t count) const;

  // A sum that is on its way.
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
  // Sums a contiguous tensor over the ranks, in place. The same numbers on all ranks afterwards, and the same
  // at every repetition with as many ranks.
  Pending sum_later(const torch::Tensor& tensor, Wire wire = Wire::as_is);
  void sum(const torch::Tensor& tensor);
  // From rank 0 to all.
  void broadcast(const torch::Tensor& tensor);
  [[nodiscard]] std::string broadcast(const std::string& text);
  // The texts of all ranks.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text);
  // Each rank gives the rows (n, width) of its share(count), and all get all of them in order.
  [[nodiscard]] torch::Tensor join_rows(const torch::Tensor& rows, std::int64_t count);

  // Seconds that this rank has waited for the others and the network since the group was made.
  [[nodiscard]] double waited() const { return waited_; }

  // Says that this rank goes on with its work; who says so too seldom hangs.
  void tick();
  // Work that shows no progress, such as reading a file, as long as the object lives.
  class Busy {
   public:
    explicit Busy(Group& group);
    ~Busy();
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Group& group_;
    int before_;
  };

  // Tells the others why this rank ends.
  void fail(const std::string& sentence);
  // The end of the work on all ranks.
  void leave();

 private:
  struct Members;
  static std::shared_ptr<Group> join_others(const base::Launch& launch, double seconds);
  Pending start(std::function<void(Members&)> work);
  void wait(Pending::Job& job);
  [[noreturn]] void end_with_fault(const std::string& sentence);
  [[noreturn]] void find_fault(const std::string& what);

  int rank_ = 0, size_ = 1;
  std::vector<std::string> names_;
  std::shared_ptr<Members> members_;  // null alone
  double waited_ = 0;
};

// Runs row(unit) for each of this rank's units and returns the rows of all, (units, width), in double: sums
// over them do not depend on the number of ranks.
torch::Tensor rows_of_units(Group& group, std::int64_t units,
                            const std::function<torch::Tensor(std::int64_t unit)>& row);

}  // namespace gcan::distributed
