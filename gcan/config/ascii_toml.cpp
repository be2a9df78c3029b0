#include "gcan/config/ascii_toml.h"

#include <fmt/format.h>

#include <algorithm>

#include "gcan/base/error.h"
#include "gcan/base/utf8.h"

namespace gcan::config {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// TOML allows no control characters but tabs and newlines.
bool is_control(char c) {
  return c == 0x7F || (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r');
}

class Translation {
 public:
  Translation(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  std::string run() {
    check_bytes();
    std::size_t at = text_.starts_with("\uFEFF") ? 3 : 0;  // byte-order mark
    while (at < text_.size()) {
      const std::size_t end = end_of_token(at);
      const std::string_view token = text_.substr(at, end - at);
      if (std::all_of(token.begin(), token.end(), is_ascii))
        ascii_ += token;
      else
        add_non_ascii(at, end);
      at = end;
    }
    return ascii_;
  }

 private:
  [[nodiscard]] Error error(std::size_t at, const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return Error(fmt::format("{}, line {}: this is not TOML: {}", path_, line, what));
  }

  void check_bytes() const {
    for (std::size_t i = 0; i < text_.size();) {
      if (is_control(text_[i]))
        throw error(i, fmt::format("it contains the control character 0x{:02x}", text_[i]));
      const std::size_t size = base::first_utf8(text_.substr(i)).size;
      if (size == 0) throw error(i, "it contains bytes that are not UTF-8");
      i += size;
    }
  }

  // A token is a string, a comment or a single byte of anything else.
  [[nodiscard]] std::size_t end_of_token(std::size_t at) const {
    if (text_[at] == '"' || text_[at] == '\'') return string_end(at);
    return text_[at] == '#' ? std::min(text_.find('\n', at), text_.size()) : at + 1;
  }

  [[nodiscard]] std::size_t quotes_at(std::size_t at) const {
    return text_.substr(at).starts_with(std::string(3, text_[at])) ? 3 : 1;
  }

  // The end of the line if the string is not closed.
  [[nodiscard]] std::size_t string_end(std::size_t at) const {
    const char quote = text_[at];
    const std::string close(quotes_at(at), quote);
    for (std::size_t i = at + close.size(); i < text_.size(); ++i) {
      if (text_[i] == '\\' && quote == '"') {
        ++i;
      } else if (text_[i] == '\n' && close.size() == 1) {
        return i;
      } else if (text_.substr(i).starts_with(close)) {
        i += close.size();
        // One or two quotes before the closing three are part of the string.
        for (int more = 0; close.size() == 3 && more < 2 && i < text_.size() && text_[i] == quote; ++more)
          ++i;
        return i;
      }
    }
    return text_.size();
  }

  void add_non_ascii(std::size_t at, std::size_t end) {
    switch (text_[at]) {
      case '#': return add_comment(at, end);
      case '"': return add_basic_string(at, end);
      case '\'': return add_literal_string(at, end);
      default: throw error(at, "there is a non-ASCII character outside quotes");
    }
  }

  void add_comment(std::size_t at, std::size_t end) {
    while (at < end) {
      ascii_ += is_ascii(text_[at]) ? text_[at] : '?';
      at += base::first_utf8(text_.substr(at)).size;
    }
  }

  void add_basic_string(std::size_t at, std::size_t end) {
    while (at < end) {
      const bool escape = text_[at] == '\\';
      if (escape && at + 1 < end && !is_ascii(text_[at + 1]))
        throw error(at, "there is a non-ASCII character after a backslash");
      at += add_character(at);
      if (escape && at < end) at += add_character(at);
    }
  }

  // As a basic string, because literal ones have no escapes.
  void add_literal_string(std::size_t at, std::size_t end) {
    const std::size_t quotes = quotes_at(at);
    const std::string_view token = text_.substr(at, end - at);
    const bool is_closed = token.size() >= 2 * quotes && token.ends_with(std::string(quotes, '\''));
    const std::size_t content_end = is_closed ? end - quotes : end;
    ascii_.append(quotes, '"');
    for (std::size_t i = at + quotes; i < content_end;) {
      if (text_[i] == '"' || text_[i] == '\\') ascii_ += '\\';
      i += add_character(i);
    }
    if (is_closed) ascii_.append(quotes, '"');
  }

  // The size of the original.
  std::size_t add_character(std::size_t at) {
    const auto [code, size] = base::first_utf8(text_.substr(at));
    if (size == 1)
      ascii_ += text_[at];
    else
      ascii_ += code > 0xFFFF ? fmt::format("\\U{:08X}", code) : fmt::format("\\u{:04X}", code);
    return size;
  }

  std::string_view text_;
  const std::string& path_;
  std::string ascii_;
};

}  // namespace

std::string ascii_toml(std::string_view text, const std::string& path) {
  return Translation(text, path).run();
}

}  // namespace gcan::config
