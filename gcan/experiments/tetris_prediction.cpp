#include "gcan/experiments/tetris_prediction.h"

#include <fmt/format.h>

#include "gcan/base/error.h"

namespace gcan::experiments {
namespace {

// Positions of the only example, (steps, points, 3).
std::vector<float> positions(const torch::Tensor& fields) {
  const torch::Tensor numbers = fields.select(0, 0).select(0, 0).contiguous();
  return {numbers.data_ptr<float>(), numbers.data_ptr<float>() + numbers.numel()};
}

}  // namespace

report::TetrisMotion predicted_motion(const std::string& run, const PredictionOptions& options) {
  const train::Config config = train::run_config(run);
  if (config.data_kind != "tetris") {
    throw Error(fmt::format("'{}' is a run on data of kind '{}'; the motion of 'tetris' alone can be drawn",
                            run, config.data_kind));
  }
  const train::Prediction prediction =
      train::predict(run, options.checkpoint, options.split, std::span(&options.index, 1));
  report::TetrisMotion motion{positions(torch::cat({prediction.input, prediction.target}, 2)),
                              positions(prediction.prediction), config.network().title};
  return motion;
}

}  // namespace gcan::experiments
