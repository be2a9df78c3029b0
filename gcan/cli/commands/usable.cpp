#include "gcan/cli/commands/usable.h"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "gcan/base/human.h"
#include "gcan/cli/frame/environment.h"
#include "gcan/cli/frame/own_files.h"
#include "gcan/torch.h"

namespace gcan::cli {
namespace {

namespace fs = std::filesystem;

// The folder in PATH that contains the program; empty if there is none.
std::string folder_of(const std::string& program) {
  std::istringstream folders(environment("PATH").value_or(""));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return folder;
  }
  return "";
}

std::string devices() {
  const auto gpus = static_cast<std::int64_t>(torch::cuda::device_count());
  if (gpus > 0)
    return fmt::format("CPU, {} (--device cuda; never tried, see docs/devices.md)",
                       base::counted(gpus, "GPUs"));
  return at::Context::hasCUDART() ? "CPU; LibTorch has CUDA but finds no GPU" : "CPU; LibTorch has no CUDA";
}

std::string pictures() {
  const std::string folder = folder_of("gnuplot");
  if (!folder.empty()) return fmt::format("gnuplot in {}", folder);
  return "none: plot, rollout and report need gnuplot (Debian: apt-get install gnuplot-nox)";
}

std::string configurations() {
  const fs::path folder = own_folder() / "configs";
  std::error_code error;
  return fs::is_directory(folder, error) ? folder.string()
                                         : fmt::format("none: {} is missing", folder.string());
}

}  // namespace

std::vector<std::pair<std::string, std::string>> usable() {
  return {{"devices", devices()}, {"pictures", pictures()}, {"configurations", configurations()}};
}

}  // namespace gcan::cli
