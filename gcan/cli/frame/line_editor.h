#pragma once

// Reads lines from a terminal with editing, history and completion.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gcan::cli {

// Returns all possible words at the cursor, given the line before it.
using Completer = std::function<std::vector<std::string>(const std::string& before)>;

// Only one editor may exist at a time.
class LineEditor {
 public:
  // Keeps the history in `history_file`, or in memory if the file cannot be read or written.
  LineEditor(std::string prompt, std::string history_file, Completer words);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // The next line without its newline; empty at the end of input (Ctrl-D).
  std::optional<std::string> next();

 private:
  std::string prompt_, history_file_;
};

// ~/.local/state/gcan/history, or below XDG_STATE_HOME; empty without a home directory.
std::string default_history_file();

}  // namespace gcan::cli
