#include "gcan/nn/detail/team.h"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace gcan::nn::detail {
namespace {

// Limits OpenMP to one thread in the constructing thread during the object's lifetime.
class SingleOpenMp {
 public:
  SingleOpenMp() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~SingleOpenMp() { omp_set_num_threads(before_); }
  SingleOpenMp(const SingleOpenMp&) = delete;
  SingleOpenMp& operator=(const SingleOpenMp&) = delete;

 private:
  int before_;
};

// Waits until the number differs from `seen`: yields at first, then sleeps.
void wait_for_change(const std::atomic<std::uint32_t>& number, std::uint32_t seen) {
  constexpr int kYields = 2000;
  for (int i = 0; i < kYields; ++i) {
    if (number.load(std::memory_order_acquire) != seen) return;
    std::this_thread::yield();
  }
  number.wait(seen, std::memory_order_acquire);
}

// The parts of a round that are not taken yet, [first, last). The caller takes from the front and helpers
// from the back, so that from round to round a thread finds its parts in its own caches. The same word
// holds the round's number, so that a late thread cannot take a part of a round it does not know.
class Parts {
 public:
  static constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();

  void open(std::uint32_t round, std::int64_t count) {
    word_.store(Round{round, 0, static_cast<std::uint16_t>(count)}.word(), std::memory_order_release);
  }
  std::optional<std::int64_t> take(std::uint32_t round, bool from_front) {
    for (std::uint64_t word = word_.load(std::memory_order_acquire);;) {
      Round now(word);
      if (now.number != round || now.first == now.last) return std::nullopt;
      const std::int64_t part = from_front ? now.first++ : --now.last;
      if (word_.compare_exchange_weak(word, now.word(), std::memory_order_acq_rel)) return part;
    }
  }

 private:
  struct Round {
    std::uint32_t number;
    std::uint16_t first, last;
    Round(std::uint32_t n, std::uint16_t f, std::uint16_t l) : number(n), first(f), last(l) {}
    explicit Round(std::uint64_t word)
        : number(static_cast<std::uint32_t>(word >> 32)),
          first(static_cast<std::uint16_t>(word >> 16)),
          last(static_cast<std::uint16_t>(word)) {}
    [[nodiscard]] std::uint64_t word() const {
      return std::uint64_t{number} << 32 | std::uint64_t{first} << 16 | last;
    }
  };
  std::atomic<std::uint64_t> word_{0};
};

class Team {
 public:
  explicit Team(std::int64_t helpers) {
    for (std::int64_t h = 0; h < helpers; ++h) threads_.emplace_back([this, h] { help(h); });
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

  void run(std::int64_t helpers_wanted, std::int64_t parts, const std::function<void(std::int64_t)>& body) {
    keep_off_this_core();
    wanted_.store(helpers_wanted, std::memory_order_relaxed);
    body_ = &body;
    failures_.assign(static_cast<std::size_t>(parts), nullptr);
    pending_.store(static_cast<std::uint32_t>(parts), std::memory_order_relaxed);
    const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
    parts_.open(round, parts);
    call();
    {
      const SingleOpenMp single;
      work(round, /*from_front=*/true);
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
  // A yielding helper looks idle to the scheduler, which then leaves it on the caller's core while another
  // library's yielding thread has a core to itself. Helpers may run wherever the caller may, except on the
  // caller's current core.
  void keep_off_this_core() {
    const int core = sched_getcpu();
    if (core < 0 || core == kept_off_) return;
    kept_off_ = core;
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0 || core >= CPU_SETSIZE) return;
    CPU_CLR(static_cast<std::size_t>(core), &cores);
    if (CPU_COUNT(&cores) == 0) return;
    for (std::thread& thread : threads_) {
      pthread_setaffinity_np(thread.native_handle(), sizeof cores, &cores);
    }
  }
  void work(std::uint32_t round, bool from_front) {
    while (const auto part = parts_.take(round, from_front)) {
      try {
        (*body_)(*part);
      } catch (...) {
        failures_[static_cast<std::size_t>(*part)] = std::current_exception();
      }
      if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1 && !from_front) pending_.notify_all();
    }
  }
  void help(std::int64_t number) {
    const SingleOpenMp single;
    for (std::uint32_t seen = 0;;) {
      wait_for_change(round_, seen);
      seen = round_.load(std::memory_order_acquire);
      if (stop_.load(std::memory_order_relaxed)) return;
      if (number < wanted_.load(std::memory_order_relaxed)) work(seen, /*from_front=*/false);
    }
  }

  const pid_t process_ = getpid();
  int kept_off_ = -1;  // the core that helpers must not use
  std::atomic<std::uint32_t> round_{0}, pending_{0};
  std::atomic<bool> stop_{false};
  std::atomic<std::int64_t> wanted_{0};  // helpers for this round
  Parts parts_;
  // Read only by threads that have taken a part; the round lasts until that part is done.
  const std::function<void(std::int64_t)>* body_ = nullptr;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::thread> threads_;  // last member: the threads use those above
};

// The process's team with at least this many helpers. Threads do not survive a fork: in a forked process
// the old team is abandoned, because it cannot be joined, and a new one is made.
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

void run_as_team(std::int64_t threads, std::int64_t parts, const std::function<void(std::int64_t)>& body) {
  static std::atomic_flag busy = ATOMIC_FLAG_INIT;
  const bool shared = threads > 1 && parts > 1 && parts <= Parts::kMost;
  if (shared && !busy.test_and_set(std::memory_order_acquire)) {
    struct Release {
      ~Release() { busy.clear(std::memory_order_release); }
    } const release;
    team_of(threads - 1).run(threads - 1, parts, body);
    return;
  }
  const SingleOpenMp single;
  for (std::int64_t part = 0; part < parts; ++part) body(part);
}

}  // namespace gcan::nn::detail
