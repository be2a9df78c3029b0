#pragma once

#include <filesystem>
#include <string>

// gcan/report: tables, plots and animations of what other rooms made. Drawing is gnuplot's work, run as a
// program; nothing here computes physics.
namespace gcan::report {

// A folder for the files of one drawing, removed with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Runs gnuplot on the script in the folder. Error with its first complaint where it fails, with a remedy
// where it is not installed.
void run_gnuplot(const std::string& script, const ScratchFolder& folder);

}  // namespace gcan::report
