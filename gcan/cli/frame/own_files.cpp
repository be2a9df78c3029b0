#include "gcan/cli/frame/own_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/base/spelling.h"

namespace gcan::cli {
namespace {

namespace fs = std::filesystem;

// "tetris/gca-mlp" for each file below the folder.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink, error),
       end;
       !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".toml") continue;
    names.push_back(at->path().lexically_relative(folder).replace_extension().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A suggestion: the same name in another folder, or a similar name.
std::string hint(const std::string& given, const std::vector<std::string>& names) {
  const std::string stem = fs::path(given).stem().string();
  for (const std::string& name : names) {
    if (fs::path(name).filename() == stem) return fmt::format("; did you mean '{}'?", name);
  }
  const std::string name = given.ends_with(".toml") ? given.substr(0, given.size() - 5) : given;
  return base::did_you_mean(name, names);
}

}  // namespace

fs::path own_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const char* const way = self.filename() == "gcan-torch" ? GCAN_SHARE_FROM_LIBEXEC : GCAN_SHARE_FROM_BIN;
  return (self.parent_path() / way).lexically_normal();
}

std::string find_configuration(const std::string& given) {
  const fs::path own = own_folder();
  for (const fs::path& folder : {fs::path(), own / "configs", own}) {
    for (const char* ending : {"", ".toml"}) {
      const fs::path file = folder / (given + ending);
      std::error_code error;
      if (fs::is_regular_file(file, error)) return file.string();
    }
  }
  std::error_code error;
  throw Error(fmt::format("there is no configuration '{}': it is neither in {} nor in {}{}", given,
                          fs::current_path(error).string(), (own / "configs").string(),
                          hint(given, names_in(own / "configs"))));
}

}  // namespace gcan::cli
