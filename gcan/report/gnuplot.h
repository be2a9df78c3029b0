#pragma once

#include <filesystem>
#include <functional>
#include <string>

// gcan/report: tables, plots, animations and pages. Pictures are drawn by gnuplot, run as a program.
namespace gcan::report {

// A scratch folder for a drawing, removed with the object and when a signal ends the program.
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

// Runs gnuplot on the script in the folder. Error with its first message if it fails, and with a remedy if it
// is not installed.
void run_gnuplot(const std::string& script, const ScratchFolder& folder);

// Untrusted text as a string literal of a gnuplot script. Everything except letters, digits and harmless
// characters is escaped, so text cannot become a command. Control characters and invalid UTF-8 appear as \n
// or \x1b; very long text is truncated.
std::string gnuplot_text(const std::string& text);

struct PictureSize {
  int width, height;  // [px of a screen; 1/50 cm of paper]
};

// The script lines that set up a .png, .svg or .pdf according to the extension of `out`, to be written to
// `beside`; .png has twice the pixels. Error for other extensions.
std::string picture_terminal(const std::string& out, const std::string& beside, const PictureSize& size);

// Calls `draw` to write the picture into a scratch folder, then renames it atomically, so a failed drawing
// leaves no file. Error if the target folder does not exist.
void draw_beside(const std::string& out, const std::function<void(const std::string& beside)>& draw);

// Whether the bytes are a complete .png, .gif, .svg or .pdf: gnuplot does not report a full disk.
bool is_whole_picture(const std::string& bytes);

}  // namespace gcan::report
