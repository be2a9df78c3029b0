#include "gcan/report/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "gcan/base/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks the program to declare it

namespace gcan::report {
namespace {

namespace fs = std::filesystem;

// The first line that holds words: gnuplot repeats the script's line and points at a column before that.
std::string complaint(const fs::path& log) {
  std::ifstream file(log);
  std::string line, found;
  while (std::getline(file, line)) {
    const auto at = line.find("line ");
    if (at != std::string::npos) return line.substr(at);
    if (found.empty() && !line.empty()) found = line;
  }
  return found.empty() ? "it gave no reason" : found;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string pattern = (fs::temp_directory_path() / "gcan-plot-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw Error(pattern + ": the folder for the drawing cannot be made; set TMPDIR to one with room");
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void run_gnuplot(const std::string& script, const ScratchFolder& folder) {
  std::string script_file = (folder.path() / "script.gp").string();
  const std::string log = (folder.path() / "log").string();
  std::ofstream(script_file) << script;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  std::string program = "gnuplot";
  char* const arguments[] = {program.data(), script_file.data(), nullptr};
  pid_t child = 0;
  const int problem = posix_spawnp(&child, program.c_str(), &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (problem == 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  constexpr int kNotFound = 127;  // of a spawned child that could not become the program
  if (problem != 0 || (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound))
    throw Error("plots are drawn by gnuplot, which is not installed (Debian: apt-get install gnuplot-nox)");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Error("gnuplot failed: " + complaint(log));
}

std::string gnuplot_text(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result += "'";
}

std::string picture_terminal(const std::string& out, const std::string& beside, const PictureSize& size) {
  const std::string kind = fs::path(out).extension().string();
  std::string text = "set encoding utf8\nset terminal ";
  if (kind == ".png")
    text += fmt::format("pngcairo size {},{} font 'DejaVu Sans,22' linewidth 2 background '#FFFFFF'",
                        2 * size.width, 2 * size.height);
  else if (kind == ".svg")
    text += fmt::format("svg size {},{} font 'DejaVu Sans,11' linewidth 1 background '#FFFFFF'", size.width,
                        size.height);
  else if (kind == ".pdf")
    text += fmt::format("pdfcairo size {}cm,{}cm font 'DejaVu Sans,8' linewidth 1", 0.02 * size.width,
                        0.02 * size.height);
  else
    throw Error(out + ": the picture is drawn as .png, .svg or .pdf; give a name that ends so");
  return text += "\nset output " + gnuplot_text(beside) + "\n";
}

void draw_beside(const std::string& out, const std::function<void(const std::string&)>& draw) {
  std::error_code problem;
  const fs::path folder = fs::path(out).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, problem))
    throw Error(out + ": there is no folder '" + folder.string() + "' to write into");
  const std::string beside = out + ".partial";
  try {
    draw(beside);
  } catch (...) {
    fs::remove(beside, problem);
    throw;
  }
  fs::rename(beside, out, problem);
  if (problem) throw Error(out + ": cannot be written: " + problem.message());
}

}  // namespace gcan::report
