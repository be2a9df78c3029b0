#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "gcan/train/run.h"

namespace gcan::deploy {

enum class Format { torchscript, onnx };
// Error unless the text is "torchscript" or "onnx".
Format format_named(const std::string& text);

struct ExportRequest {
  std::string run;
  Format format = Format::torchscript;
  std::string out;  // empty: RUN/model.pt or RUN/model.onnx
  train::Checkpoint checkpoint = train::Checkpoint::best;
  // Group actions and geometric products become plain kernels: quicker, and all that a tool for inference
  // needs.
  bool fold = false;
  // The model takes and gives fields in the units of the data file, or normalised ones as the network does.
  bool data_units = true;
  // Height and width of a fluid network's grid where the run's data file is not there.
  std::optional<std::array<std::int64_t, 2>> grid;
};

// What was written, and how it compares with the network itself.
struct ExportReport {
  std::string file, table;  // the model, and a page about it: FILE.md
  std::uint64_t bytes = 0;
  double network_ms = 0,
         model_ms = 0;    // for one sample, the median of several calls; of ONNX: of what it was made of
  double difference = 0;  // the largest, by the size of the output
  std::string text;       // the table
};

// Writes a run's network for other tools, with a table of size, speed and difference beside it. Error when it
// cannot be exported; nothing is then left under the file's name.
ExportReport export_model(const ExportRequest& request);

}  // namespace gcan::deploy
