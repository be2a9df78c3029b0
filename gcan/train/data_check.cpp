#include "gcan/train/data_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gcan/base/error.h"
#include "gcan/data/file_names.h"
#include "gcan/files/durable.h"
#include "gcan/files/json_text.h"
#include "gcan/train/files/safetensors.h"
#include "gcan/train/run.h"

namespace gcan::train {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kStored = "stored_checksums";

// run.json's record of the data; empty if there is none.
Json data_record(const std::string& folder) {
  const fs::path path = fs::path(folder) / "run.json";
  if (!fs::exists(path)) return Json::object();
  const Json json = files::parse_json(files::read_whole(path.string()));
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

// Compares the units that both record; "1" also stands for an unknown unit.
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
  throw Error(fmt::format("'{}' does not match the data of the run '{}': its {} {}, but the run's {}",
                          text_of(now, "file"), folder, what, here, there));
}

// Means and scales to four digits: smaller differences do not matter for errors.
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

// A file of the same name in likely folders.
std::string found_elsewhere(const fs::path& file, const std::string& folder) {
  std::error_code ignored;
  for (const fs::path& place : {fs::current_path(ignored), fs::absolute(folder).parent_path()}) {
    const fs::path other = place / file.filename();
    if (fs::exists(other, ignored)) return other.string();
  }
  return "";
}

// The part of the task's record that can be compared with the run's.
DataRecord comparable(const std::string& folder, const Task& task) {
  return recorded(folder, kStored).empty() ? task.record() : task.outline();
}

bool same_checksum(const Json& then, const Json& now) {
  const char* key = text_of(then, kStored).empty() || text_of(now, kStored).empty() ? "checksum" : kStored;
  return !text_of(now, key).empty() && text_of(then, key) == text_of(now, key);
}

}  // namespace

void check_data_file(const std::string& folder, const Config& config, const std::string& remedy) {
  if (!config.data.has("file") || config.data.text("file").empty()) return;
  const std::string file = config.data.text("file");
  if (data::files_exist(file)) return;
  const std::string other = found_elsewhere(file, folder);
  throw Error(fmt::format("the data file '{}' of the run '{}' does not exist; if it was moved, use {}{}",
                          file, folder, remedy,
                          other.empty() ? "" : fmt::format(" (there is a file of that name: '{}')", other)));
}

std::vector<std::string> check_data(const std::string& folder, const DataRecord& data) {
  const Json then = data_record(folder), now = json_of(data);
  if (same_checksum(then, now)) return {};
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
    refuse(folder, now, "frame interval is", fmt::format("{:g} s", there), fmt::format("{:g} s", here));
  }
  std::vector<std::string> notes;
  if (const auto grid = both("grid"); differ(grid)) {
    notes.push_back(fmt::format("'{}' has {} points, but the run was trained on {}", text_of(now, "file"),
                                grid.second, grid.first));
  }
  const bool has_checksum = !text_of(now, "checksum").empty() || !text_of(now, kStored).empty();
  if (text_of(then, "file") == text_of(now, "file") && has_checksum) {
    notes.push_back(fmt::format("'{}' has changed since the run was trained", text_of(now, "file")));
  }
  return notes;
}

std::vector<std::string> check_data(const std::string& folder, const Task& task) {
  return check_data(folder, comparable(folder, task));
}

bool same_data(const std::string& folder, const Task& task) {
  return same_checksum(data_record(folder), json_of(comparable(folder, task)));
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
  std::string title = data::short_names(run_config(folder).data.text("file"));
  if (!fields.empty()) title += fmt::format(": {}", fmt::join(config::comma_parts(fields), ", "));
  if (!grid.empty()) title += fmt::format(" on {}", grid);
  return title;
}

}  // namespace gcan::train
