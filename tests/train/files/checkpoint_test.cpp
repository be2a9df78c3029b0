#include "gcan/train/files/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>

#include "gcan/files/durable.h"
#include "tests/data/scratch.h"
#include "tests/train/file_size_limit.h"

namespace gcan::train {
namespace checkpoint_test {

namespace fs = std::filesystem;
using test::expect_error_with;
using test::Scratch;

// A state in which every number encodes the step.
Snapshot at_step(std::int64_t step, bool with_optimizer) {
  const auto filled = [&] { return torch::full({3000}, step, torch::kFloat32); };
  Snapshot snapshot{{step, 0.5, 1, 2, 0.25, 0.125, step / 3 * 3}, {{"w", filled()}}, {{"w", filled()}}, {}};
  if (with_optimizer) snapshot.optimizer = {{"mean.w", filled()}};
  return snapshot;
}

// Every third step is a new best one.
void save(const CheckpointFolder& folder, std::int64_t step) {
  std::optional<Snapshot> best;
  if (step % 3 == 0) best = at_step(step, false);
  folder.save(at_step(step, true), best);
}

void expect_whole(const Snapshot& snapshot) {
  const auto step = static_cast<float>(snapshot.state.step);
  for (const auto* tensors : {&snapshot.weights, &snapshot.average, &snapshot.optimizer}) {
    for (const auto& [name, tensor] : *tensors) EXPECT_TRUE((tensor == step).all().item<bool>()) << name;
  }
  EXPECT_EQ(snapshot.weights.size(), 1U);
}

TEST(Checkpoint, BothComeBack) {
  const Scratch scratch;
  const CheckpointFolder folder(scratch / "");
  EXPECT_FALSE(folder.exists());
  expect_error_with([&] { static_cast<void>(folder.read("last")); }, {"no checkpoint 'last'"});
  for (std::int64_t step = 3; step < 8; ++step) {
    save(folder, step);
    const Snapshot last = folder.read("last"), best = folder.read_weights("best");
    EXPECT_EQ(last.state.step, step);
    EXPECT_EQ(best.state.step, step / 3 * 3);
    EXPECT_EQ(last.state.loss_sum, 0.5);
    EXPECT_EQ(last.state.valid, 0.25);
    EXPECT_EQ(last.optimizer.size(), 1U);
    expect_whole(last);
    expect_whole(best);
  }
  save(folder, 7);  // the same step once more
  expect_whole(folder.read("last"));
  // One hidden folder and the link to it.
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch / ""), {}), 2);
}

// A child saves one checkpoint after the other until it is killed at a random moment.
TEST(Checkpoint, KilledAtAnyMomentThereIsAWholePair) {
  const Scratch scratch;
  const std::string run = scratch / "";
  const CheckpointFolder folder(run);
  save(folder, 3);
  std::mt19937 random(5);
  // A few times the current duration of a save, including disk and other processes.
  const auto start = std::chrono::steady_clock::now();
  save(folder, 4);
  const auto taken = std::chrono::steady_clock::now() - start;
  auto longest = static_cast<unsigned>(std::chrono::duration<double, std::micro>(taken).count() * 4) + 1;
  std::int64_t first = 5, moved = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      folder.clean();
      for (std::int64_t step = first;; ++step) save(folder, step);
    }
    usleep(static_cast<useconds_t>(random() % longest));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Snapshot last = folder.read("last"), best = folder.read_weights("best");
    expect_whole(last);
    expect_whole(best);
    ASSERT_EQ(last.state.best_step, best.state.step);
    const bool saved = last.state.step >= first;
    moved += saved ? 1 : 0;
    if (!saved) longest += longest / 4;  // the machine has become busier
    ASSERT_GE(last.state.step, first - 1);
    first = last.state.step + 1;
  }
  EXPECT_GT(moved, 2);  // the children did save
  folder.clean();
  EXPECT_EQ(std::distance(fs::directory_iterator(run), {}), 2);
}

TEST(Checkpoint, AFullDiskKeepsTheOldOne) {
  const Scratch scratch;
  const CheckpointFolder folder(scratch / "");
  save(folder, 3);
  for (const rlim_t bytes : {0UL, 100UL, 5000UL, 12100UL}) {
    {
      const test::FileSizeLimit limit(bytes);
      expect_error_with([&] { save(folder, 6); }, {"safetensors", "cannot be written"});
    }
    EXPECT_EQ(folder.read("last").state.step, 3);
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch / ""), {}), 2);
  }
}

TEST(Checkpoint, DamageIsTold) {
  const Scratch scratch;
  const CheckpointFolder folder(scratch / "");
  for (const char* file : {"weights.safetensors", "optimizer.safetensors", "ema.safetensors", "state.json"}) {
    save(folder, 3);
    const std::string path = scratch / (std::string("checkpoints/last/") + file);
    const std::string whole = files::read_whole(path);
    for (const std::size_t at : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 4);
      files::write_durably(path, damaged);
      expect_error_with([&] { static_cast<void>(folder.read("last")); }, {file});
    }
    fs::remove(path);
    expect_error_with([&] { static_cast<void>(folder.read("last")); }, {file});
  }
}

TEST(Checkpoint, NothingBehindALinkIsRemoved) {
  const Scratch scratch;
  fs::create_directories(scratch / "thesis/last");
  std::ofstream(scratch / "thesis/chapter") << "one";
  for (const std::string target : {"../thesis", "../run/../thesis"}) {
    fs::remove_all(scratch / "run");
    fs::create_directories(scratch / "run/.checkpoints-backup");
    fs::create_directory_symlink(target, scratch / "run/checkpoints");
    const CheckpointFolder folder(scratch / "run");
    folder.clean();
    for (const std::int64_t step : {3, 4, 5}) save(folder, step);
    EXPECT_TRUE(fs::exists(scratch / "thesis/chapter"));
    EXPECT_TRUE(fs::exists(scratch / "run/.checkpoints-backup"));
    EXPECT_EQ(folder.read("last").state.step, 5);
  }
}

// A valid link to another disk: its checkpoints are read, and later ones are written in the run's folder.
TEST(Checkpoint, GoesOnFromALinkElsewhere) {
  const Scratch scratch;
  fs::create_directories(scratch / "run");
  const CheckpointFolder folder(scratch / "run");
  save(folder, 3);
  fs::rename(fs::canonical(scratch / "run/checkpoints"), scratch / "disk");
  fs::remove(scratch / "run/checkpoints");
  fs::create_directory_symlink(scratch / "disk", scratch / "run/checkpoints");
  folder.clean();
  EXPECT_EQ(folder.read("last").state.step, 3);
  save(folder, 4);
  EXPECT_EQ(folder.read("last").state.step, 4);
  EXPECT_EQ(folder.read_weights("best").state.step, 3);
  EXPECT_TRUE(fs::exists(scratch / "disk/last/state.json"));
}

TEST(Checkpoint, ACopiedRunGoesOn) {
  const Scratch scratch;
  fs::create_directories(scratch / "run");
  save(CheckpointFolder(scratch / "run"), 3);
  fs::create_directories(scratch / "copy");
  fs::copy(scratch / "run/checkpoints/", scratch / "copy/checkpoints", fs::copy_options::recursive);
  ASSERT_FALSE(fs::is_symlink(scratch / "copy/checkpoints"));
  const CheckpointFolder folder(scratch / "copy");
  folder.clean();
  EXPECT_EQ(folder.read("last").state.step, 3);
  save(folder, 4);
  EXPECT_EQ(folder.read("last").state.step, 4);
  EXPECT_EQ(folder.read_weights("best").state.step, 3);
}

}  // namespace checkpoint_test
}  // namespace gcan::train
