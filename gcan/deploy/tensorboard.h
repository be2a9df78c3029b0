#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gcan::deploy {

// The metrics of a run as an event file for TensorBoard, in RUN/tensorboard: every number of metrics.jsonl as
// a scalar "train/loss", "valid/error", "valid/by_step/3", at the time of day at which it was measured, as
// far as the run records them. metrics.jsonl is the source: the file is rewritten from it, whole or not at
// all, and replaces the one before.
//
//   write_tensorboard("runs/gca-mlp");       // then: tensorboard --logdir runs
struct TensorboardFile {
  std::string path;
  std::int64_t scalars = 0;
};
TensorboardFile write_tensorboard(const std::string& run_folder);

// What a record of a TFRecord file has around its bytes: their length and masked CRC-32C checksums.
std::string tfrecord(std::string_view bytes);

// CRC-32C (Castagnoli).
std::uint32_t crc32c(std::string_view bytes);

}  // namespace gcan::deploy
