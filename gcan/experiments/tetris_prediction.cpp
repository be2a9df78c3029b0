#include "gcan/experiments/tetris_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gcan/base/error.h"
#include "gcan/experiments/run_groups.h"

namespace gcan::experiments {
namespace {

// Positions, (examples, steps, points, 3).
std::vector<float> positions(const torch::Tensor& fields) {
  const torch::Tensor numbers = fields.select(1, 0).contiguous();
  return {numbers.data_ptr<float>(), numbers.data_ptr<float>() + numbers.numel()};
}

train::Config tetris_config(const std::string& run) {
  train::Config config = train::run_config(run);
  if (config.data_kind == "tetris") return config;
  throw Error(fmt::format("'{}' is a run on data of kind '{}'; only motions of 'tetris' runs can be drawn",
                          run, config.data_kind));
}

}  // namespace

report::TetrisMotion predicted_motion(const std::string& run, const PredictionOptions& options) {
  const train::Config config = tetris_config(run);
  const train::Prediction prediction =
      train::predict(run, options.checkpoint, options.split, std::span(&options.index, 1), options.data_file,
                     options.device);
  report::TetrisMotion motion{positions(torch::cat({prediction.input, prediction.target}, 2)),
                              positions(prediction.prediction), config.network().title};
  return motion;
}

std::vector<report::BodiesView> predicted_bodies(const std::vector<ReportedRun>& runs, std::int64_t most,
                                                 train::Checkpoint checkpoint) {
  std::vector<report::BodiesView> views;
  const torch::NoGradGuard no_grad;
  for (const ReportedRun& run : runs) {
    tetris_config(run.folder);
    const train::Loaded loaded = train::load(run.folder, checkpoint);
    const std::unique_ptr<train::Task> task = train::task_of(run.folder, run.data_file);
    const train::Split split = shown_split(run);
    std::vector<std::int64_t> indices(static_cast<std::size_t>(std::min(most, task->size(split))));
    std::iota(indices.begin(), indices.end(), 0);
    const train::Batch batch = task->batch(split, indices, {});
    const std::vector<float> truth = positions(torch::cat({batch.input, batch.target}, 2));
    report::BodiesView::Network network{run.name, positions(loaded.network->forward(batch.input))};
    const auto same = std::find_if(views.begin(), views.end(), [&](const report::BodiesView& view) {
      return view.truth == truth && view.networks.front().positions.size() == network.positions.size();
    });
    if (same != views.end())
      same->networks.push_back(std::move(network));
    else
      views.push_back({indices.size(), truth, {std::move(network)}});
  }
  return views;
}

}  // namespace gcan::experiments
