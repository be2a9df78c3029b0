#include "gcan/cli/commands/usable.h"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "gcan/cli/frame/environment.h"
#include "gcan/cli/frame/own_files.h"
#include "gcan/torch.h"

namespace gcan::cli {
namespace {

namespace fs = std::filesystem;

// The folder of the PATH that has the program; empty where none has.
std::string folder_of(const std::string& program) {
  std::istringstream folders(environment("PATH").value_or(""));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return folder;
  }
  return "";
}

std::string pictures() {
  const std::string folder = folder_of("gnuplot");
  if (!folder.empty()) return fmt::format("gnuplot in {}", folder);
  return "none: plot, rollout and report draw with gnuplot (Debian: apt-get install gnuplot-nox)";
}

std::string configurations() {
  const fs::path folder = own_folder() / "configs";
  std::error_code error;
  return fs::is_directory(folder, error) ? folder.string()
                                         : fmt::format("none: {} is missing", folder.string());
}

}  // namespace

std::vector<std::pair<std::string, std::string>> usable() {
  return {
      {"devices", torch::cuda::is_available() ? "CPU; LibTorch sees a GPU, which gcan does not use" : "CPU"},
      {"pictures", pictures()},
      {"configurations", configurations()}};
}

}  // namespace gcan::cli
