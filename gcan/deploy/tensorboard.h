#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gcan::deploy {

// The metrics of a run as an event file for TensorBoard, in RUN/tensorboard: every number of metrics.jsonl as
// a scalar "train/loss", "valid/error", "valid/by_step/3", with its wall-clock time if the run records it.
// The file is rewritten atomically from metrics.jsonl.
//
//   write_tensorboard("runs/gca-mlp");       // then: tensorboard --logdir runs
struct TensorboardFile {
  std::string path;
  std::int64_t scalars = 0;
};
TensorboardFile write_tensorboard(const std::string& run_folder);

// Frames a record of a TFRecord file: its length, its bytes, and masked CRC-32C checksums of both.
std::string tfrecord(std::string_view bytes);

// CRC-32C (Castagnoli).
std::uint32_t crc32c(std::string_view bytes);

}  // namespace gcan::deploy
