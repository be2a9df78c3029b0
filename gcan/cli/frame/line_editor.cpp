#include "gcan/cli/frame/line_editor.h"

#include <cstdio>
// libedit's header requires <cstdio>.
#include <editline/readline.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "gcan/cli/frame/environment.h"

namespace gcan::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLines = 1000;

Completer& completer() {
  static Completer current;
  return current;
}

// libedit requests one match at a time, starting with `state` 0, and frees them.
char* next_match(const char* text, int state) {
  static std::vector<std::string> words;
  static std::size_t at = 0;
  if (state == 0) {
    words = completer()(std::string(rl_line_buffer, static_cast<std::size_t>(rl_point)));
    at = 0;
  }
  while (at < words.size()) {
    const std::string& word = words[at++];
    if (word.starts_with(text)) return strdup(word.c_str());
  }
  return nullptr;
}

char** matches(const char* text, int /*start*/, int /*end*/) {
  rl_attempted_completion_over = 1;  // no file names
  rl_completion_append_character = '\0';
  return rl_completion_matches(text, next_match);
}

// Between two lines the terminal is in its normal mode, in which the kernel delivers Ctrl-D as the character
// 0. libedit interprets it as "quote the next key", and the end of input would be lost. readline() sets up
// its keys for each line, so this must follow it.
int take_early_end() {
  static char command[] = "bind ^@ em-delete-or-list";
  rl_parse_and_bind(command);
  return 0;
}

}  // namespace

LineEditor::LineEditor(std::string prompt, std::string history_file, Completer words)
    : prompt_(std::move(prompt)), history_file_(std::move(history_file)) {
  completer() = std::move(words);
  rl_readline_name = "gcan";
  rl_initialize();
  rl_attempted_completion_function = matches;
  rl_pre_input_hook = take_early_end;
  // A word ends where an operator begins.
  static char breaks[] = " \t\n*/^|&<>+-~!(),;=";
  rl_completer_word_break_characters = breaks;
  using_history();
  stifle_history(kMostLines);
  if (!history_file_.empty()) read_history(history_file_.c_str());
}

LineEditor::~LineEditor() {
  if (history_file_.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(history_file_).parent_path(), error);
  if (error) return;
  write_history(history_file_.c_str());
  fs::permissions(history_file_, fs::perms::owner_read | fs::perms::owner_write, error);
}

std::optional<std::string> LineEditor::next() {
  char* const line = readline(prompt_.c_str());
  if (line == nullptr) return std::nullopt;
  std::string text = line;
  std::free(line);
  // No consecutive duplicates.
  const HIST_ENTRY* const last =
      history_length > 0 ? history_get(history_base + history_length - 1) : nullptr;
  if (!text.empty() && (last == nullptr || text != last->line)) add_history(text.c_str());
  return text;
}

std::string default_history_file() {
  if (const auto state = environment("XDG_STATE_HOME")) return *state + "/gcan/history";
  if (const auto home = environment("HOME")) return *home + "/.local/state/gcan/history";
  return "";
}

}  // namespace gcan::cli
