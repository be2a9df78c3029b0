#pragma once

// Lines that a person types: with editing, history and completion on a terminal.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gcan::cli {

// All words that may stand where the cursor is, given the line before it.
using Completer = std::function<std::vector<std::string>(const std::string& before)>;

// There is one terminal, so there is one editor at a time.
class LineEditor {
 public:
  // Keeps what is typed in `history_file` for the next time; where that cannot be read or written, for this
  // time.
  LineEditor(std::string prompt, std::string history_file, Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // The next line without its end; nothing after the last one (Ctrl-D).
  std::optional<std::string> next();

 private:
  std::string prompt_, history_file_;
};

// ~/.local/state/gcan/history, or where XDG_STATE_HOME says; empty without a home.
std::string default_history_file();

}  // namespace gcan::cli
