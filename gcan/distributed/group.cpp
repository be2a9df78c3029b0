#include "gcan/distributed/group.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "gcan/distributed/address.h"
#include "gcan/distributed/c10d.h"
#include "gcan/distributed/meeting.h"
#include "gcan/distributed/watch.h"

namespace gcan::distributed {
namespace {

// Operations wait indefinitely for other ranks; Watch detects lost ranks.
constexpr double kForever = 30.0 * 24 * 3600;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

torch::Tensor bytes_tensor(const std::string& text) {
  torch::Tensor bytes = torch::empty({static_cast<std::int64_t>(text.size())}, torch::kUInt8);
  std::copy(text.begin(), text.end(), bytes.data_ptr<std::uint8_t>());
  return bytes;
}

std::string text_of(const torch::Tensor& bytes) {
  const auto* data = bytes.data_ptr<std::uint8_t>();
  return {data, data + bytes.numel()};
}

// Gloo and MPI send host memory. The group's own thread copies a tensor of another device to the host and
// back while the backward pass continues.
struct OnHost {
  OnHost(const Collectives& collectives, const torch::Tensor& where)
      : device_tensor(where), tensor(collectives.takes(where.device()) ? where : copied(where)) {}
  void send_back() const {
    const torch::NoGradGuard no_grad;
    if (!device_tensor.is_same(tensor)) device_tensor.copy_(tensor);
  }

  torch::Tensor device_tensor, tensor;

 private:
  static torch::Tensor copied(const torch::Tensor& where) {
    const torch::NoGradGuard no_grad;
    return where.cpu();
  }
};

// Transferred as bfloat16 and added in float in rank order. Gloo and MPI do not support bfloat16, so it is
// sent as bytes.
void sum_bfloat16(Collectives& collectives, const torch::Tensor& tensor, std::int64_t size) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor flat = tensor.view(-1);
  const std::int64_t part = (flat.numel() + size - 1) / size;
  const torch::Tensor padded = torch::zeros({size * part}, tensor.options().dtype(torch::kBFloat16));
  padded.narrow(0, 0, flat.numel()).copy_(flat);
  const torch::Tensor parts =
      collectives.exchange(padded.view(torch::kUInt8)).view(torch::kBFloat16).view({size, part});
  torch::Tensor total = parts[0].to(torch::kFloat32);
  for (std::int64_t i = 1; i < size; ++i) total += parts[i];
  const torch::Tensor all = collectives.gather(total.to(torch::kBFloat16).view(torch::kUInt8));
  flat.copy_(all.view(-1).view(torch::kBFloat16).narrow(0, 0, flat.numel()));
}

}  // namespace

struct Group::Pending::Job {
  std::function<void(Members&)> work;
  bool done = false;
  std::string problem;         // of a connection
  std::exception_ptr mistake;  // an Error, which all ranks get
};

// The state of the group's thread. It outlives the group if the thread hangs on a dead network.
struct Group::Members {
  explicit Members(Met met) : here(std::move(met)) {}

  void run();
  std::shared_ptr<Pending::Job> next();

  Met here;
  std::unique_ptr<Watch> watch;
  std::unique_ptr<Collectives> collectives;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Pending::Job>> jobs;
  bool closing = false, ended = false, faulty = false;
};

std::shared_ptr<Group::Pending::Job> Group::Members::next() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return closing || !jobs.empty(); });
  if (jobs.empty()) return nullptr;
  auto job = jobs.front();
  jobs.pop_front();
  return job;
}

void Group::Members::run() {
  while (const auto job = next()) {
    std::string problem;
    std::exception_ptr mistake;
    try {
      job->work(*this);
    } catch (const Error&) {
      mistake = std::current_exception();
    } catch (const std::exception& error) {
      problem = first_line(error.what());
    }
    const std::scoped_lock lock(mutex);
    job->problem = problem;
    job->mistake = mistake;
    job->done = true;
    changed.notify_all();
  }
  const std::scoped_lock lock(mutex);
  ended = true;
  changed.notify_all();
}

Group::Group() : names_{"rank 0"} {}

std::shared_ptr<Group> Group::join(const base::Launch& launch, double seconds, Backend backend) {
  if (launch.size == 1) return std::make_shared<Group>();
  if (backend != Backend::gloo && !has(backend)) {
    throw Error(std::string("gcan was built with a LibTorch without ") +
                (backend == Backend::mpi ? "MPI" : "NCCL") + "; set train.backend to gloo");
  }
  try {
    return join_others(launch, seconds, backend);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error("the rendezvous is gone: rank 0 or its launcher ended (" + first_line(error.what()) + ")");
  }
}

std::shared_ptr<Group> Group::join_others(const base::Launch& launch, double seconds, Backend backend) {
  auto group = std::make_shared<Group>();
  auto members = std::make_shared<Members>(meet(launch, seconds));
  KeyStore store = members->here.store.under(keys_of(launch));
  if (launch.rank == 0) store.set("backend", to_string(backend));
  group->names_ = introduce(store, launch, seconds);
  backend = backend_named(store.get("backend").value());
  group->backend_ = backend;
  const Address& address = members->here.address;
  const std::string meeting = address.host + ":" + std::to_string(address.port);
  // On the machine that serves it, uses the loopback address.
  const Address to{members->here.serves ? "127.0.0.1" : address.host, address.port};
  members->watch = std::make_unique<Watch>(KeyStore::connect(to, seconds).under(keys_of(launch)), launch.rank,
                                           group->names_, meeting, seconds);
  group->rank_ = launch.rank;
  group->size_ = launch.size;
  group->members_ = members;
  std::thread([members] { members->run(); }).detach();
  const std::string own = own_address(address.host, launch.local_size == launch.size);
  group
      ->start([keys = std::make_shared<KeyStore>(std::move(store)), launch, own, backend](Members& m) {
        m.collectives =
            std::make_unique<Collectives>(backend, *keys, launch.rank, launch.size, own, kForever);
        m.collectives->barrier();
      })
      .wait();
  return group;
}

Group::~Group() {
  if (!members_) return;
  std::unique_lock lock(members_->mutex);
  members_->closing = true;
  members_->changed.notify_all();
  const bool faulty = members_->faulty;
  if (!faulty) members_->changed.wait_for(lock, std::chrono::seconds(2), [&] { return members_->ended; });
  const bool ended = members_->ended;
  lock.unlock();
  members_->watch.reset();
  // The backend's destructor would wait for operations that never end.
  if (faulty || !ended) {
    if (members_->collectives) std::ignore = members_->collectives.release();
  }
}

std::pair<std::int64_t, std::int64_t> Group::share(std::int64_t count) const {
  return {count * rank_ / size_, count * (rank_ + 1) / size_};
}

Group::Pending Group::start(std::function<void(Members&)> work) {
  Pending pending;
  pending.group_ = this;
  pending.job_ = std::make_shared<Pending::Job>();
  pending.job_->work = std::move(work);
  const std::scoped_lock lock(members_->mutex);
  members_->jobs.push_back(pending.job_);
  members_->changed.notify_all();
  return pending;
}

bool Group::Pending::done() const {
  if (!job_) return true;
  const std::scoped_lock lock(group_->members_->mutex);
  return job_->done;
}

void Group::Pending::wait() {
  if (job_) group_->wait(*job_);
}

void Group::end_with_fault(const std::string& sentence) {
  {
    const std::scoped_lock lock(members_->mutex);
    members_->faulty = true;
  }
  // The process that serves the rendezvous stays until the others have been informed.
  constexpr double kReading = 5;
  if (members_->here.serves) members_->watch->let_others_read(kReading);
  throw Fault(sentence);
}

void Group::find_fault(const std::string& what) {
  members_->watch->suspect("the connection of " + names_[static_cast<std::size_t>(rank_)] +
                           " to another rank broke: " + what);
  while (true) {
    if (const auto fault = members_->watch->fault()) end_with_fault(*fault);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void Group::wait(Pending::Job& job) {
  const Phase before = members_->watch->enter(Phase::waiting);
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(members_->mutex);
  while (!members_->changed.wait_for(lock, std::chrono::milliseconds(200), [&] { return job.done; })) {
    lock.unlock();
    if (const auto fault = members_->watch->fault()) end_with_fault(*fault);
    lock.lock();
  }
  lock.unlock();
  if (job.mistake) std::rethrow_exception(job.mistake);
  if (!job.problem.empty()) find_fault(job.problem);
  waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  members_->watch->enter(before);
}

Group::Pending Group::sum_later(const torch::Tensor& tensor, Wire wire) {
  if (alone()) return {};
  const bool narrow = wire == Wire::bfloat16 && tensor.scalar_type() == torch::kFloat32;
  return start([tensor, narrow, size = size_](Members& m) {
    const OnHost here(*m.collectives, tensor);
    if (narrow) {
      sum_bfloat16(*m.collectives, here.tensor, size);
    } else {
      m.collectives->sum(here.tensor);
    }
    here.send_back();
  });
}

void Group::sum(const torch::Tensor& tensor) { sum_later(tensor).wait(); }

void Group::broadcast(const torch::Tensor& tensor) {
  if (alone() || tensor.numel() == 0) return;
  const torch::NoGradGuard no_grad;
  const torch::Tensor contiguous = tensor.detach().cpu().contiguous();
  start([contiguous](Members& m) { m.collectives->broadcast(contiguous); }).wait();
  if (!first() && !contiguous.is_same(tensor)) tensor.detach().copy_(contiguous);
}

std::string Group::broadcast(const std::string& text) {
  if (alone()) return text;
  const torch::Tensor length = torch::tensor({static_cast<std::int64_t>(text.size())}, torch::kInt64);
  broadcast(length);
  torch::Tensor bytes =
      first() ? bytes_tensor(text) : torch::empty({length.item<std::int64_t>()}, torch::kUInt8);
  broadcast(bytes);
  return text_of(bytes);
}

std::vector<std::string> Group::gather(const std::string& text) {
  if (alone()) return {text};
  const auto all = [&](const torch::Tensor& own) {
    torch::Tensor gathered;
    start([&gathered, own](Members& m) { gathered = m.collectives->gather(own); }).wait();
    return gathered;
  };
  const torch::Tensor lengths = all(torch::tensor({static_cast<std::int64_t>(text.size())}, torch::kInt64));
  const auto longest = lengths.max().item<std::int64_t>();
  torch::Tensor padded = torch::zeros({std::max<std::int64_t>(longest, 1)}, torch::kUInt8);
  padded.narrow(0, 0, static_cast<std::int64_t>(text.size())).copy_(bytes_tensor(text));
  const torch::Tensor rows = all(padded);
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < size_; ++i) {
    texts.push_back(text_of(rows[i].narrow(0, 0, lengths[i].item<std::int64_t>()).contiguous()));
  }
  return texts;
}

torch::Tensor Group::join_rows(const torch::Tensor& rows, std::int64_t count) {
  if (alone()) return rows;
  const torch::Tensor width =
      torch::tensor({rows.numel() == 0 ? std::int64_t{0} : rows.size(1)}, torch::kInt64);
  torch::Tensor widths;
  start([&](Members& m) { widths = m.collectives->gather(width); }).wait();
  const std::int64_t most = (count + size_ - 1) / size_;
  torch::Tensor padded = torch::zeros({most, widths.max().item<std::int64_t>()}, rows.options());
  if (rows.numel() > 0) padded.narrow(0, 0, rows.size(0)).copy_(rows);
  torch::Tensor all;
  start([&](Members& m) { all = m.collectives->gather(padded); }).wait();
  std::vector<torch::Tensor> parts;
  for (std::int64_t i = 0; i < size_; ++i) {
    parts.push_back(all[i].narrow(0, 0, count * (i + 1) / size_ - count * i / size_));
  }
  return torch::cat(parts);
}

void Group::tick() {
  if (members_) members_->watch->tick();
}

Group::Busy::Busy(Group& group) : group_(group) {
  if (group.members_) before_ = static_cast<int>(group.members_->watch->enter(Phase::busy));
}

Group::Busy::~Busy() {
  if (group_.members_) group_.members_->watch->enter(static_cast<Phase>(before_));
}

void Group::fail(const std::string& sentence) {
  if (!members_) return;
  {
    const std::scoped_lock lock(members_->mutex);
    members_->faulty = true;
  }
  members_->watch->report(names_[static_cast<std::size_t>(rank_)] + " failed: " + first_line(sentence));
  constexpr double kReading = 5;
  if (members_->here.serves) members_->watch->let_others_read(kReading);
}

void Group::leave() {
  if (members_) start([](Members& m) { m.collectives->barrier(); }).wait();
}

torch::Tensor rows_of_units(Group& group, std::int64_t units,
                            const std::function<torch::Tensor(std::int64_t unit)>& row) {
  const auto [begin, end] = group.share(units);
  std::vector<torch::Tensor> rows;
  for (std::int64_t unit = begin; unit < end; ++unit) {
    rows.push_back(row(unit).to(torch::kFloat64).view(-1));
    group.tick();
  }
  const torch::Tensor own =
      rows.empty() ? torch::empty({0, 0}, torch::kFloat64) : torch::stack(rows).contiguous();
  return group.join_rows(own, units);
}

}  // namespace gcan::distributed
