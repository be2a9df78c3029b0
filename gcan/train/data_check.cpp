#include "gcan/train/data_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"
#include "gcan/train/files/safetensors.h"
#include "gcan/train/run.h"

namespace gcan::train {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What run.json says of the data; empty where it says nothing.
Json data_record(const std::string& folder) {
  const fs::path path = fs::path(folder) / "run.json";
  if (!fs::exists(path)) return Json::object();
  const Json json = Json::parse(files::read_whole(path.string()), nullptr, false);
  if (!json.is_object() || !json.contains("data") || !json["data"].is_object()) return Json::object();
  return json["data"];
}

Json json_of(const DataRecord& record) {
  Json json = Json::object();
  for (const auto& [name, value] : record) {
    json[name] = std::visit([](const auto& v) { return Json(v); }, value);
  }
  return json;
}

std::string text_of(const Json& record, const char* key) {
  return record.contains(key) && record[key].is_string() ? record[key].get<std::string>() : "";
}

double number_of(const Json& record, const char* key) {
  return record.contains(key) && record[key].is_number() ? record[key].get<double>() : std::nan("");
}

// Units that both say; "1" is what a file has that says none.
bool same_units(const std::string& there, const std::string& here) {
  const auto a = config::comma_parts(there), b = config::comma_parts(here);
  if (there.empty() || here.empty()) return true;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != "1" && b[i] != "1") return false;
  }
  return true;
}

bool same_time(double there, double here) {
  if (std::isnan(there) || std::isnan(here)) return true;
  return std::abs(there - here) <= 1e-3 * std::max(std::abs(there), std::abs(here));
}

[[noreturn]] void refuse(const std::string& folder, const Json& now, const std::string& what,
                         const std::string& there, const std::string& here) {
  throw Error(fmt::format("'{}' is other data than the run '{}' learned: its {} {}, and the run's {}",
                          text_of(now, "file"), folder, what, here, there));
}

// Means and scales to four digits: what they differ by then does not show in an error.
std::string constants_text(const std::string& folder) {
  const fs::path path = fs::path(folder) / "data.safetensors";
  if (!fs::exists(path)) return "";
  std::string text;
  for (const auto& [name, tensor] : read_safetensors(path.string()).tensors) {
    const torch::Tensor means = tensor.to(torch::kFloat64).flatten(1).mean(1);
    for (std::int64_t i = 0; i < means.size(0); ++i) {
      text += fmt::format(" {}{}={:.3e}", name, i, means[i].item<double>());
    }
  }
  return text;
}

// A file of the same name where one would look for it.
std::string found_elsewhere(const fs::path& file, const std::string& folder) {
  std::error_code ignored;
  for (const fs::path& place : {fs::current_path(ignored), fs::absolute(folder).parent_path()}) {
    const fs::path other = place / file.filename();
    if (fs::exists(other, ignored)) return other.string();
  }
  return "";
}

}  // namespace

void check_data_file(const std::string& folder, const Config& config, const std::string& remedy) {
  if (!config.data.has("file") || config.data.text("file").empty()) return;
  const fs::path file = config.data.text("file");
  std::error_code ignored;
  if (fs::exists(file, ignored)) return;
  const std::string other = found_elsewhere(file, folder);
  throw Error(fmt::format("the data file '{}' of the run '{}' is not there; if it was moved, give {}{}",
                          file.string(), folder, remedy,
                          other.empty() ? "" : fmt::format(" (there is one of that name: '{}')", other)));
}

std::vector<std::string> check_data(const std::string& folder, const DataRecord& data) {
  const Json then = data_record(folder), now = json_of(data);
  const std::string sum = text_of(now, "checksum");
  if (!sum.empty() && text_of(then, "checksum") == sum) return {};
  const auto both = [&](const char* key) { return std::pair(text_of(then, key), text_of(now, key)); };
  const auto differ = [](const std::pair<std::string, std::string>& texts) {
    return !texts.first.empty() && !texts.second.empty() && texts.first != texts.second;
  };
  if (const auto fields = both("fields"); differ(fields))
    refuse(folder, now, "fields are", fields.first, fields.second);
  if (const auto axes = both("axes"); differ(axes)) refuse(folder, now, "axes are", axes.first, axes.second);
  if (const auto units = both("units"); !same_units(units.first, units.second)) {
    refuse(folder, now, "units are", units.first, units.second);
  }
  const double there = number_of(then, "frame_seconds"), here = number_of(now, "frame_seconds");
  if (!same_time(there, here)) {
    refuse(folder, now, "frames are apart by", fmt::format("{:g} s", there), fmt::format("{:g} s", here));
  }
  std::vector<std::string> notes;
  if (const auto grid = both("grid"); differ(grid)) {
    notes.push_back(fmt::format("'{}' has {} points, and the run learned on {}", text_of(now, "file"),
                                grid.second, grid.first));
  }
  if (text_of(then, "file") == text_of(now, "file") && !sum.empty()) {
    notes.push_back(fmt::format("'{}' has changed since the run was trained", text_of(now, "file")));
  }
  return notes;
}

std::string recorded(const std::string& folder, const std::string& name) {
  const Json record = data_record(folder);
  if (!record.contains(name)) return "";
  return record[name].is_string() ? record[name].get<std::string>() : record[name].dump();
}

std::string comparison_key(const std::string& folder) {
  const Json record = data_record(folder);
  const Config config = run_config(folder);
  std::string examples = text_of(record, "judged");
  if (examples.empty()) examples = text_of(record, "checksum");
  std::string key = fmt::format("{} {} {}", config.data_kind, examples, text_of(record, "fields"));
  constexpr std::array kShaping{"future",   "windows",   "rollout",   "normalise",
                                "steps_in", "steps_out", "velocities"};
  for (const char* name : kShaping) {
    if (config.data.has(name)) key += fmt::format(" {}={}", name, config::to_string(config.data.value(name)));
  }
  return key + constants_text(folder);
}

std::string data_title(const std::string& folder) {
  const Json record = data_record(folder);
  const std::string fields = text_of(record, "fields"), grid = text_of(record, "grid");
  std::string title = fs::path(run_config(folder).data.text("file")).filename().string();
  if (!fields.empty()) title += fmt::format(": {}", fmt::join(config::comma_parts(fields), ", "));
  if (!grid.empty()) title += fmt::format(" on {}", grid);
  return title;
}

}  // namespace gcan::train
