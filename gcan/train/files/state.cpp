#include "gcan/train/files/state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gcan/base/error.h"
#include "gcan/files/checksum.h"
#include "gcan/files/json_text.h"
#include "gcan/train/files/result_json.h"

namespace gcan::train {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

std::string state_text(const StoredState& stored) {
  const State& s = stored.state;
  Json json{{files::kSealKey, files::kOpenSeal},
            {"step", s.step},
            {"loss_sum", s.loss_sum},
            {"loss_steps", s.loss_steps},
            {"seconds", s.seconds},
            {"train_seconds", s.train_seconds},
            {"valid", to_json(s.valid)},
            {"best", to_json(s.best)},
            {"best_step", s.best_step},
            {"ema", stored.ema}};
  if (s.loss_scale > 0) {
    json["loss_scale"] = s.loss_scale;
    json["scaled_row"] = s.scaled_row;
  }
  std::string text = json.dump();
  files::seal(text);
  return text;
}

StoredState parse_state(const std::string& text, const std::string& name) {
  if (files::check_seal(text) != files::Seal::intact) {
    throw Error(fmt::format("'{}' is damaged: its checksum is wrong", name));
  }
  try {
    const Json json = files::parse_json(text);
    const auto number = [&](const char* key) {
      return json.at(key).is_null() ? std::nullopt : std::optional(json.at(key).get<double>());
    };
    return {{whole_number(json.at("step")), json.at("loss_sum"), json.at("seconds"), json.at("train_seconds"),
             number("valid"), number("best"), whole_number(json.at("best_step")),
             json.contains("loss_steps") ? whole_number(json["loss_steps"]) : -1,
             json.contains("loss_scale") ? json["loss_scale"].get<double>() : 0.0,
             json.contains("scaled_row") ? whole_number(json["scaled_row"]) : 0},
            json.at("ema")};
  } catch (const nlohmann::json::exception&) {
  } catch (const Error&) {
  }
  throw Error(fmt::format("'{}' does not have the format of this version of gcan", name));
}

}  // namespace gcan::train
