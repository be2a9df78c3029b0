#include "gcan/train/files/metrics_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"

namespace gcan::train {

MetricsLog::MetricsLog(std::string path, std::int64_t last_step) : path_(std::move(path)) {
  const bool exists = std::filesystem::exists(path_);
  files::replace_durably(path_, exists ? lines_until(files::read_whole(path_), last_step) : "");
  file_.open(path_, std::ios::app | std::ios::binary);
}

void MetricsLog::add(const nlohmann::ordered_json& line) {
  file_ << line.dump() << '\n' << std::flush;
  if (!file_) throw Error(fmt::format("'{}' cannot be written; is the disk full?", path_));
}

void MetricsLog::flush() {
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = file >= 0 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!flushed) throw Error(fmt::format("'{}' cannot be written; is the disk full?", path_));
}

}  // namespace gcan::train
