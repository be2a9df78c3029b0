#include "gcan/distributed/watch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <thread>

namespace gcan::distributed {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string seconds_text(double seconds) { return std::to_string(std::lround(seconds)) + " s"; }

std::string key(const char* what, int rank) { return std::string(what) + "/" + std::to_string(rank); }

}  // namespace

struct Watch::State {
  State(KeyStore keys, int own_rank, std::vector<std::string> all, std::string where, double limit)
      : store(std::move(keys)),
        rank(own_rank),
        names(std::move(all)),
        meeting(std::move(where)),
        seconds(limit),
        period(std::clamp(limit / 20, 0.1, 1.0)) {}

  // The others need two periods to read a fault, and all should end in time.
  [[nodiscard]] double patience() const { return seconds - 3 * period; }
  // For a rank after a broken connection.
  [[nodiscard]] double short_patience() const { return std::min(patience(), 3 * period + 0.5); }

  void run();
  void beat();
  void look_at_next();
  void publish(const std::string& sentence);
  void note_fault(const std::string& sentence);
  std::optional<std::string> take_report();

  KeyStore store;
  const int rank;
  const std::vector<std::string> names;
  const std::string meeting;
  const double seconds, period;

  std::atomic<std::int64_t> ticks{0};
  std::atomic<Phase> phase{Phase::computing};

  mutable std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false, ended = false, all_read = false;
  std::optional<std::string> fault, report, suspicion;
  Clock::time_point contact = Clock::now();

  // Used only by the thread.
  std::int64_t beats = 0;
  std::string next_beat, next_progress;
  Clock::time_point next_lived = Clock::now(), next_progressed = Clock::now();
  std::optional<Clock::time_point> suspected;
  bool told = false;
};

void Watch::State::note_fault(const std::string& sentence) {
  const std::scoped_lock lock(mutex);
  if (!fault) fault = sentence;
}

// The first fault wins.
void Watch::State::publish(const std::string& sentence) {
  if (store.add("faults", 1) == 1) store.set("fault", sentence);
}

void Watch::State::look_at_next() {
  const int next = (rank + 1) % static_cast<int>(names.size());
  const std::string& name = names[static_cast<std::size_t>(next)];
  const std::string seen = store.get(key("beat", next)).value_or("");
  if (seen != next_beat) next_lived = Clock::now();
  next_beat = seen;
  std::istringstream words(seen);
  std::string count, progress, doing;
  words >> count >> progress >> doing;
  if (progress != next_progress || doing != std::string(1, static_cast<char>(Phase::computing))) {
    next_progressed = Clock::now();
  }
  next_progress = progress;
  if (since(next_lived) > (suspected ? short_patience() : patience())) {
    publish(name + " has not answered for " + seconds_text(since(next_lived)) +
            ": it ended, hangs or lost its network connection");
  } else if (since(next_progressed) > patience()) {
    publish(name + " hangs: it has made no progress for " + seconds_text(since(next_progressed)));
  }
}

void Watch::State::beat() {
  store.set(key("beat", rank), std::to_string(++beats) + " " + std::to_string(ticks.load()) + " " +
                                   static_cast<char>(phase.load()));
  if (const auto own = take_report()) publish(*own);
  const auto suspicion_here = [&] {
    const std::scoped_lock lock(mutex);
    return suspicion;
  }();
  if (suspicion_here && !suspected) store.set("suspicion", *suspicion_here);
  if (!suspected && store.get("suspicion")) suspected = Clock::now();
  look_at_next();
  // All ranks respond, but a connection broke.
  if (suspicion_here && since(*suspected) > 3 * short_patience()) publish(*suspicion_here);
  if (const auto found = store.get("fault")) {
    note_fault(*found);
    const std::int64_t readers = store.add("told", std::exchange(told, true) ? 0 : 1);
    // All but the lost one.
    const std::scoped_lock lock(mutex);
    all_read = readers + 1 >= static_cast<std::int64_t>(names.size());
    wake.notify_all();
  }
  const std::scoped_lock lock(mutex);
  contact = Clock::now();
}

std::optional<std::string> Watch::State::take_report() {
  const std::scoped_lock lock(mutex);
  return std::exchange(report, std::nullopt);
}

void Watch::State::run() {
  try {
    while (true) {
      beat();
      std::unique_lock lock(mutex);
      if (stopping) break;
      wake.wait_for(lock, std::chrono::duration<double>(period),
                    [&] { return stopping || report || suspicion; });
      if (stopping && !report) break;
      if (suspicion && suspected) {
        wake.wait_for(lock, std::chrono::duration<double>(period / 2), [&] { return stopping; });
      }
    }
  } catch (const std::exception&) {
    note_fault("the rendezvous " + meeting + " is gone: " + names[0] + " or its launcher ended");
  }
  const std::scoped_lock lock(mutex);
  ended = true;
  wake.notify_all();
}

Watch::Watch(KeyStore store, int rank, std::vector<std::string> names, std::string meeting, double seconds)
    : state_(std::make_shared<State>(std::move(store), rank, std::move(names), std::move(meeting), seconds)) {
  // The thread may hang on a dead network at exit: it owns its state and is then not joined.
  std::thread([state = state_] { state->run(); }).detach();
}

Watch::~Watch() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->wake.notify_all();
  // It ends at once unless it hangs on a dead network.
  state_->wake.wait_for(lock, std::chrono::seconds(1), [&] { return state_->ended; });
}

void Watch::tick() { ++state_->ticks; }

Phase Watch::enter(Phase phase) {
  tick();
  return state_->phase.exchange(phase);
}

void Watch::report(const std::string& sentence) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->fault) state_->report = sentence;
  state_->wake.notify_all();
}

void Watch::suspect(const std::string& what) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->suspicion) state_->suspicion = what;
  state_->wake.notify_all();
}

std::optional<std::string> Watch::fault() const {
  const std::scoped_lock lock(state_->mutex);
  if (state_->fault) return state_->fault;
  const double silence = since(state_->contact);
  if (silence < state_->patience()) return std::nullopt;
  return state_->names[static_cast<std::size_t>(state_->rank)] + " has had no contact with the rendezvous " +
         state_->meeting + " for " + seconds_text(silence) + ": its network connection is lost, or " +
         state_->names[0] + " is";
}

void Watch::let_others_read(double seconds) {
  std::unique_lock lock(state_->mutex);
  state_->wake.wait_for(lock, std::chrono::duration<double>(seconds),
                        [&] { return state_->ended || state_->all_read; });
}

}  // namespace gcan::distributed
