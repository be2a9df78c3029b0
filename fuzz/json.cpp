// JSON of run folders: state.json, result.json and metrics.jsonl, for training and for pages; and the plan in
// an experiment's results.json.

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "fuzz/memory_file.h"
#include "gcan/experiments/plan_file.h"
#include "gcan/files/checksum.h"
#include "gcan/files/json_text.h"
#include "gcan/train/files/metrics_file.h"
#include "gcan/train/files/result_json.h"
#include "gcan/train/files/state.h"

using namespace gcan;
using Json = nlohmann::ordered_json;

namespace {

// With the right checksum, so that the code behind the check is reached.
std::string sealed(std::string text) {
  const std::string mark = "\"crc32\":\"";
  const auto at = text.find(mark);
  if (at == std::string::npos || at + mark.size() + 8 > text.size()) return text;
  text.replace(at + mark.size(), 8, files::kOpenSeal);
  files::seal(text);
  return text;
}

void read_state(const std::string& text) {
  fuzz::refusal_of([&] {
    const train::StoredState stored = train::parse_state(text, "state.json");
    const std::string written = train::state_text(stored);
    fuzz::require(train::state_text(train::parse_state(written, "again")) == written,
                  "a written state reads back as itself");
  });
}

void read_result(const std::string& text) {
  const Json json = files::parse_json(text);
  if (!json.is_object()) return;
  fuzz::refusal_of([&] {
    const Json written = train::to_json(train::result_from(json));
    fuzz::require(train::to_json(train::result_from(written)) == written,
                  "a written result reads back as itself");
  });
}

void read_plan(const std::string& text) {
  fuzz::refusal_of([&] {
    const experiments::Plan plan = experiments::parse_plan(text, "results.json");
    fuzz::require(plan.cells().size() <= 100'000, "a plan has a number of cells that can be trained");
    Json json{{"experiment", plan.experiment.name}, {"budget", to_string(plan.budget)}};
    json["plan"] = experiments::to_json(plan);
    const experiments::Plan again = experiments::parse_plan(json.dump(), "again");
    fuzz::require(experiments::to_json(again) == json["plan"], "a written plan reads back as itself");
  });
}

void read_log(const std::string& text) {
  const std::string kept = train::lines_until(text, 1000);
  fuzz::require(train::lines_until(kept, 1000) == kept, "what is kept of a log is kept again");
  static const fuzz::MemoryFolder run;
  run.write("metrics.jsonl", text);
  static_cast<void>(train::latest_metrics(run.path()));
  static_cast<void>(train::learning_curve(run.path()));
  fuzz::refusal_of([] { static_cast<void>(train::read_metrics(run.path())); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  const std::string text = fuzz::text_of(data + 1, size - 1);
  switch (data[0] % 5) {
    case 0: read_state(text); break;
    case 1: read_state(sealed(text)); break;
    case 2: read_result(text); break;
    case 3: read_plan(text); break;
    default: read_log(text);
  }
  return 0;
}
