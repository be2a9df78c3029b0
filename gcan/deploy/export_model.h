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
  // Replaces group actions and geometric products by plain kernels, for faster inference.
  bool fold = false;
  // Whether input and output of the model are in the units of the data file, or normalised like those of the
  // network.
  bool data_units = true;
  // Height and width of a fluid network's grid, if the run's data file is missing.
  std::optional<std::array<std::int64_t, 2>> grid;
};

// The files written, and how the model compares with the network.
struct ExportReport {
  std::string file, table;  // the model, and its description: FILE.md
  std::uint64_t bytes = 0;
  double network_ms = 0,
         model_ms = 0;    // for one sample, the median of several calls; for ONNX: of the traced network
  double difference = 0;  // the largest difference, relative to the output
  std::string text;       // the table
};

// Exports a run's network, with a table of its size, speed and difference from the original. Error if it
// cannot be exported; no file is left then.
ExportReport export_model(const ExportRequest& request);

}  // namespace gcan::deploy
