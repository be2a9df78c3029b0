#include "gcan/data/file_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "gcan/base/error.h"
#include "gcan/config/options.h"

namespace gcan::data {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& name) {
  std::error_code ignored;
  return fs::exists(name, ignored);
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?[") != std::string::npos; }

// The names and patterns in a list.
std::vector<std::string> names_in(const std::string& text) {
  if (exists(text)) return {text};
  std::vector<std::string> names = config::comma_parts(text);
  std::erase(names, "");
  return names;
}

// In alphabetical order.
std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> names;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return names;
}

std::string changed(const std::string& text, const std::function<std::string(const fs::path&)>& change) {
  std::vector<std::string> names;
  for (const std::string& name : names_in(text)) names.push_back(change(name));
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

std::vector<std::string> files_named(const std::string& text) {
  std::vector<std::string> files;
  for (const std::string& name : names_in(text)) {
    if (!is_pattern(name) || exists(name)) {
      files.push_back(name);
      continue;
    }
    const std::vector<std::string> found = matches(name);
    if (found.empty()) throw Error(fmt::format("there is no file '{}'", name));
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.empty()) throw Error(fmt::format("'{}' names no file", text));
  return files;
}

bool is_list(const std::string& text) {
  const std::vector<std::string> names = names_in(text);
  return names.size() > 1 || (names.size() == 1 && is_pattern(names.front()) && !exists(names.front()));
}

std::string file_named(const std::string& text, const std::string& what) {
  const std::vector<std::string> files = files_named(text);
  if (files.size() == 1) return files.front();
  throw Error(fmt::format("'{}' names {} files, but {} is one file", text, files.size(), what));
}

bool files_exist(const std::string& text) {
  const std::vector<std::string> names = names_in(text);
  return !names.empty() && std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return exists(name) || (is_pattern(name) && !matches(name).empty());
  });
}

std::string absolute_names(const std::string& text) {
  return changed(text, [](const fs::path& name) { return fs::absolute(name).lexically_normal().string(); });
}

std::string short_names(const std::string& text) {
  return changed(text, [](const fs::path& name) { return name.filename().string(); });
}

}  // namespace gcan::data
