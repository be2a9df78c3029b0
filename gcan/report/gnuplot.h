#pragma once

#include <filesystem>
#include <functional>
#include <string>

// gcan/report: tables, plots and animations of what other modules made. Drawing is gnuplot's work, run as a
// program; nothing here computes physics.
namespace gcan::report {

// A folder for the files of one drawing, removed with the object and when a signal ends the program.
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

// A text of a file or an argument as a string in a gnuplot script. Only letters, digits and harmless signs
// stand there as themselves, so that no text can become a command. What cannot be shown, control characters
// and broken UTF-8, is shown as \n or \x1b; a very long text is cut.
std::string gnuplot_text(const std::string& text);

struct PictureSize {
  int width, height;  // [px of a screen; 1/50 cm of paper]
};

// The lines of a script that begin a .png, .svg or .pdf, chosen by the end of the name `out`, to be written
// to `beside`; .png has twice the pixels. Error if it ends in something else.
std::string picture_terminal(const std::string& out, const std::string& beside, const PictureSize& size);

// Lets `draw` write the picture into a scratch folder; when it is whole it gets its name in one step, so that
// a drawing that fails leaves nothing under that name. Error where there is no folder for it.
void draw_beside(const std::string& out, const std::function<void(const std::string& beside)>& draw);

// Whether the bytes are a whole .png, .gif, .svg or .pdf: gnuplot does not say when the disk is full.
bool is_whole_picture(const std::string& bytes);

}  // namespace gcan::report
