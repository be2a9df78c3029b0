#include "gcan/nn/team.h"

#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace gcan::nn {
namespace {

// OpenMP on one thread while the object lives, for the thread that made it.
class SingleOpenMp {
 public:
  SingleOpenMp() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~SingleOpenMp() { omp_set_num_threads(before_); }
  SingleOpenMp(const SingleOpenMp&) = delete;
  SingleOpenMp& operator=(const SingleOpenMp&) = delete;

 private:
  int before_;
};

// Yields until the number is no longer `seen`, and sleeps when that takes long.
void wait_for_change(const std::atomic<std::uint32_t>& number, std::uint32_t seen) {
  constexpr int kYields = 2000;
  for (int i = 0; i < kYields; ++i) {
    if (number.load(std::memory_order_acquire) != seen) return;
    std::this_thread::yield();
  }
  number.wait(seen, std::memory_order_acquire);
}

class Team {
 public:
  explicit Team(std::int64_t helpers) {
    for (std::int64_t h = 0; h < helpers; ++h) threads_.emplace_back([this, h] { help(h + 1); });
  }
  ~Team() {
    stop_.store(true, std::memory_order_relaxed);
    call();
    for (std::thread& thread : threads_) thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] std::int64_t helpers() const { return static_cast<std::int64_t>(threads_.size()); }
  [[nodiscard]] bool is_of_this_process() const { return process_ == getpid(); }

  void run(std::int64_t tasks, const std::function<void(std::int64_t)>& body) {
    body_ = &body;
    tasks_ = tasks;
    failures_.assign(static_cast<std::size_t>(tasks), nullptr);
    pending_.store(static_cast<std::uint32_t>(helpers()), std::memory_order_relaxed);
    call();
    {
      const SingleOpenMp single;
      attempt(0);
    }
    for (std::uint32_t left = pending_.load(std::memory_order_acquire); left != 0;
         left = pending_.load(std::memory_order_acquire)) {
      wait_for_change(pending_, left);
    }
    for (const std::exception_ptr& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
  }

 private:
  void call() {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  void attempt(std::int64_t task) {
    try {
      (*body_)(task);
    } catch (...) {
      failures_[static_cast<std::size_t>(task)] = std::current_exception();
    }
  }
  void help(std::int64_t task) {
    const SingleOpenMp single;
    for (std::uint32_t seen = 0;;) {
      wait_for_change(round_, seen);
      ++seen;
      if (stop_.load(std::memory_order_relaxed)) return;
      if (task < tasks_) attempt(task);
      pending_.fetch_sub(1, std::memory_order_release);
      pending_.notify_all();
    }
  }

  const pid_t process_ = getpid();
  std::atomic<std::uint32_t> round_{0}, pending_{0};
  std::atomic<bool> stop_{false};
  const std::function<void(std::int64_t)>* body_ = nullptr;
  std::int64_t tasks_ = 0;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::thread> threads_;  // last: they use what is above
};

// The team of this process with at least so many helpers. Threads do not come along into a forked process:
// there the old team is left alone, for it cannot even be joined, and a new one is made.
Team& team_of(std::int64_t helpers) {
  static std::unique_ptr<Team> team;
  if (team && !team->is_of_this_process()) (void)team.release();
  if (!team || team->helpers() < helpers) {
    team.reset();
    team = std::make_unique<Team>(helpers);
  }
  return *team;
}

}  // namespace

void run_as_team(std::int64_t tasks, const std::function<void(std::int64_t)>& body) {
  static std::atomic_flag busy = ATOMIC_FLAG_INIT;
  if (tasks > 1 && !busy.test_and_set(std::memory_order_acquire)) {
    struct Release {
      ~Release() { busy.clear(std::memory_order_release); }
    } const release;
    team_of(tasks - 1).run(tasks, body);
    return;
  }
  const SingleOpenMp single;
  for (std::int64_t task = 0; task < tasks; ++task) body(task);
}

}  // namespace gcan::nn
