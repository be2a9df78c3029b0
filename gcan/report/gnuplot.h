#pragma once

#include <filesystem>
#include <functional>
#include <string>

// gcan/report: tables, plots and animations of what other modules made. Drawing is gnuplot's work, run as a
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

// A text in gnuplot's single quotes.
std::string gnuplot_text(const std::string& text);

struct PictureSize {
  int width, height;  // [px of a screen; 1/50 cm of paper]
};

// The lines of a script that begin a .png, .svg or .pdf, chosen by the end of the name `out`, to be written
// to `beside`; .png has twice the pixels. Error if it ends in something else.
std::string picture_terminal(const std::string& out, const std::string& beside, const PictureSize& size);

// Lets `draw` write the picture beside its final name and renames it, so that a drawing that fails leaves
// nothing under that name. Error where there is no folder for it.
void draw_beside(const std::string& out, const std::function<void(const std::string& beside)>& draw);

}  // namespace gcan::report
