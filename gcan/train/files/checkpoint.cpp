#include "gcan/train/files/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"

namespace gcan::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLink = "checkpoints";
constexpr const char* kHidden = ".checkpoints-";
constexpr const char* kCopied = ".checkpoints-copied";
constexpr const char* kWeights = "weights.safetensors";
constexpr const char* kAverage = "ema.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kState = "state.json";

// Whether this module creates folders with such names: only those are ever removed.
bool is_ours(const std::string& name) {
  if (name == kCopied) return true;
  const std::string_view prefix = kHidden;
  if (!name.starts_with(prefix)) return false;
  const std::size_t end = name.find_first_not_of("0123456789", prefix.size());
  return end != prefix.size() && (end == std::string::npos || name.substr(end) == "-again");
}

// The folder in use, if the link points to one of ours inside the run folder; else empty.
fs::path current_folder(const fs::path& run) {
  std::error_code ignored;
  const fs::path target = fs::read_symlink(run / kLink, ignored);
  return is_ours(target.string()) ? target : fs::path();
}

// Replaces a folder `checkpoints`, as 'cp -rL' creates it, atomically by a hidden folder and the link.
void adopt_copy(const fs::path& run) {
  const fs::path link = run / kLink, hidden = run / kCopied;
  std::error_code problem;
  if (fs::symlink_status(link, problem).type() != fs::file_type::directory) return;
  fs::remove_all(hidden, problem);
  fs::create_symlink(kCopied, hidden, problem);
  if (problem || renameat2(AT_FDCWD, hidden.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE) != 0) {
    throw Error(
        fmt::format("'{}' is a folder, but must be a link; rename it to '{}' and create a link "
                    "'{}' to it",
                    link.string(), run.string() + "/.checkpoints-0", kLink));
  }
  files::flush_folder(run.string());
}

// A hard link, if the file system supports it; else a copy.
void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code problem;
  fs::create_hard_link(from, to, problem);
  if (problem) files::write_durably(to.string(), files::read_whole(from.string()));
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::string run_folder) : run_folder_(std::move(run_folder)) {}

bool CheckpointFolder::exists() const { return fs::exists(fs::path(run_folder_) / kLink / "last" / kState); }

void CheckpointFolder::clean() const {
  adopt_copy(run_folder_);
  std::error_code ignored;
  const fs::path current = current_folder(run_folder_);
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(run_folder_, ignored)) {
    const fs::path name = entry.path().filename();
    if (is_ours(name.string()) && name != current) leftovers.push_back(entry.path());
  }
  for (const fs::path& path : leftovers) fs::remove_all(path, ignored);
}

void CheckpointFolder::write(const std::string& folder, const Snapshot& snapshot) const {
  files::make_folder(folder);
  const fs::path path(folder);
  write_safetensors((path / kWeights).string(), snapshot.weights,
                    {{"step", std::to_string(snapshot.state.step)}});
  if (!snapshot.average.empty()) write_safetensors((path / kAverage).string(), snapshot.average);
  if (!snapshot.optimizer.empty()) write_safetensors((path / kOptimizer).string(), snapshot.optimizer);
  files::write_durably((path / kState).string(), state_text({snapshot.state, !snapshot.average.empty()}));
  files::flush_folder(folder);
}

void CheckpointFolder::keep_best(const std::string& folder) const {
  files::make_folder(folder);
  for (const auto& entry : fs::directory_iterator(fs::path(run_folder_) / kLink / "best")) {
    link_or_copy(entry.path(), fs::path(folder) / entry.path().filename());
  }
  files::flush_folder(folder);
}

void CheckpointFolder::save(const Snapshot& last, const std::optional<Snapshot>& best) const {
  const fs::path run(run_folder_);
  std::error_code ignored;
  const fs::path former = current_folder(run);
  // A new name, even if a step is saved twice.
  fs::path name = fmt::format("{}{}", kHidden, last.state.step);
  if (name == former) name += "-again";
  const fs::path folder = run / name;
  try {
    fs::remove_all(folder);
    write((folder / "last").string(), last);
    if (best) {
      write((folder / "best").string(), *best);
    } else {
      keep_best((folder / "best").string());
    }
    files::flush_folder(folder.string());
    files::replace_link(name.string(), (run / kLink).string());
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(folder, ignored);
    throw Error(fmt::format("cannot write a checkpoint into '{}': {}", run_folder_, error.code().message()));
  } catch (const Error&) {
    fs::remove_all(folder, ignored);
    throw;
  }
  if (!former.empty()) fs::remove_all(run / former, ignored);
}

bool CheckpointFolder::has(const std::string& which) const {
  std::error_code ignored;
  return fs::exists(fs::path(run_folder_) / kLink / which, ignored);
}

Snapshot CheckpointFolder::read_weights(const std::string& which) const {
  const fs::path folder = fs::path(run_folder_) / kLink / which;
  if (!has(which)) {
    throw Error(
        fmt::format("there is no checkpoint '{}' in '{}'; 'gcan train' makes one", which, run_folder_));
  }
  const std::string state = (folder / kState).string();
  const StoredState read = parse_state(files::read_whole(state), state);
  Snapshot snapshot;
  snapshot.state = read.state;
  snapshot.weights = read_safetensors((folder / kWeights).string()).tensors;
  if (read.ema) snapshot.average = read_safetensors((folder / kAverage).string()).tensors;
  return snapshot;
}

Snapshot CheckpointFolder::read(const std::string& which) const {
  Snapshot snapshot = read_weights(which);
  const fs::path folder = fs::path(run_folder_) / kLink / which;
  snapshot.optimizer = read_safetensors((folder / kOptimizer).string()).tensors;
  return snapshot;
}

}  // namespace gcan::train
