#include "gcan/report/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string_view>

#include "gcan/base/children.h"
#include "gcan/base/error.h"
#include "gcan/base/utf8.h"
#include "gcan/files/checksum.h"
#include "gcan/files/durable.h"
#include "gcan/files/unfinished.h"

namespace gcan::report {
namespace {

namespace fs = std::filesystem;

// gnuplot's message: the first line with words, after the script's line and a column marker.
std::string complaint(const fs::path& log) {
  std::ifstream file(log);
  std::string line, found;
  while (std::getline(file, line)) {
    const auto at = line.find("line ");
    if (at != std::string::npos) return line.substr(at);
    if (found.empty() && !line.empty()) found = line;
  }
  return found.empty() ? "it printed no message" : found;
}

// The length of the UTF-8 character at this position; 0 if it is invalid or unprintable.
std::size_t shown_character(std::string_view text) {
  const auto [code, size] = base::first_utf8(text);
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
  return control ? 0 : size;
}

std::string shown_byte(char byte) {
  switch (byte) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
}

bool is_harmless(char c) {
  constexpr std::string_view kSigns = " .,:;()[]/+-=*^_<>|";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kSigns.find(c) != std::string_view::npos;
}

std::string literal_of(const std::string& text) {
  std::string result = "\"";
  bool after_number = false;  // gnuplot would read a digit there as part of the number
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    after_number = !is_harmless(c) || (digit && after_number);
    result += after_number ? fmt::format("\\{:03o}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result += "\"";
}

unsigned byte_at(const std::string& bytes, std::size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8U | byte_at(bytes, at + i);
  return number;
}

bool is_whole_png(const std::string& bytes) {
  constexpr std::size_t kFrame = 12;  // of a chunk: length, name and checksum
  for (std::size_t at = 8; at + kFrame <= bytes.size();) {
    const std::size_t length = number_at(bytes, at);
    if (length > bytes.size() - at - kFrame) return false;
    const auto chunk = std::as_bytes(std::span(bytes)).subspan(at + 4, length + 4);
    if (files::crc32(chunk) != number_at(bytes, at + 8 + length)) return false;
    if (bytes.compare(at + 4, 4, "IEND") == 0) return at + kFrame + length == bytes.size();
    at += kFrame + length;
  }
  return false;
}

bool is_whole_gif(const std::string& bytes) {
  const auto colours = [](unsigned flags) { return (flags & 0x80U) != 0 ? 3U << ((flags & 7U) + 1) : 0U; };
  std::size_t at = 13 + colours(byte_at(bytes, 10));
  while (at < bytes.size() && byte_at(bytes, at) != 0x3B) {
    if (byte_at(bytes, at) == 0x2C)
      at += 11 + colours(byte_at(bytes, at + 9));
    else if (byte_at(bytes, at) == 0x21)
      at += 2;
    else
      return false;
    while (byte_at(bytes, at) != 0) at += byte_at(bytes, at) + 1;
    ++at;
  }
  return at + 1 == bytes.size();
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code problem;
  const fs::path parent = fs::absolute(fs::temp_directory_path(problem), problem);
  std::string pattern = (parent / "gcan-plot-XXXXXX").string();
  for (const char c : pattern)
    if (shown_character({&c, 1}) == 0 && static_cast<unsigned char>(c) < 0x80)
      throw Error("TMPDIR contains a control character; set it to a folder with a plain name");
  if (problem || mkdtemp(pattern.data()) == nullptr)
    throw Error(
        fmt::format("the scratch folder '{}' cannot be created: {}; set TMPDIR to a folder with free space",
                    pattern, problem ? problem.message() : std::strerror(errno)));
  path_ = pattern;
  files::unfinished().add(path_.string());
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  files::unfinished().remove(path_.string());
}

void run_gnuplot(const std::string& script, const ScratchFolder& folder) {
  const std::string script_file = (folder.path() / "script.gp").string();
  const std::string log = (folder.path() / "log").string();
  const std::string program = base::find_program("gnuplot");
  if (program.empty())
    throw Error("plots are drawn by gnuplot, which is not installed (Debian: apt-get install gnuplot-nox)");
  if (!(std::ofstream(script_file, std::ios::binary) << script << std::flush))
    throw Error(script_file + ": cannot be written; is the disk full?");
  base::Children children;
  children.start(0, {program, "-d", script_file}, log);
  while (true) {
    const auto ended = children.wait(60);
    if (ended.empty()) continue;
    if (ended.front().code == 0) return;
    throw Error("gnuplot failed: " + complaint(log));
  }
}

std::string gnuplot_text(const std::string& text) {
  constexpr std::size_t kLongest = 400;  // bytes: no picture has room for more
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    if (shown.size() > kLongest) return literal_of(shown + "...");
    const std::size_t size = shown_character(std::string_view(text).substr(at));
    shown += size == 0 ? shown_byte(text[at]) : text.substr(at, size);
    at += std::max<std::size_t>(size, 1);
  }
  return literal_of(shown);
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
    throw Error(out + ": the output must end in .png, .svg or .pdf");
  return text += "\nset output " + gnuplot_text(beside) + "\n";
}

void draw_beside(const std::string& out, const std::function<void(const std::string&)>& draw) {
  files::check_room(out, 0);
  const ScratchFolder folder;
  const std::string picture = (folder.path() / "picture").string();
  draw(picture);
  std::error_code ignored;
  const std::string bytes = fs::exists(picture, ignored) ? files::read_whole(picture) : "";
  if (!is_whole_picture(bytes))
    throw Error(fmt::format("{}: the picture is incomplete; is the disk of '{}' full?", out,
                            folder.path().parent_path().string()));
  files::replace_durably(out, bytes);
}

bool is_whole_picture(const std::string& bytes) {
  const auto ends = [&](std::string_view end) {
    const auto last = bytes.find_last_not_of(" \r\n");
    return last != std::string::npos && std::string_view(bytes).substr(0, last + 1).ends_with(end);
  };
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return is_whole_png(bytes);
  if (bytes.starts_with("GIF8")) return is_whole_gif(bytes);
  if (bytes.starts_with("<?xml")) return ends("</svg>");
  if (bytes.starts_with("%PDF-")) return ends("%%EOF");
  return false;
}

}  // namespace gcan::report
