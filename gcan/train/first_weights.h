#pragma once

#include <string>
#include <vector>

#include "gcan/train/run.h"

namespace gcan::train {

// What a network took of another run's weights.
struct TakenWeights {
  std::int64_t step = 0;  // of the other run's checkpoint
  std::size_t taken = 0;  // tensors
  // The network's tensors that the other run has not, or of another shape: "out.weight is (8, 3) there and
  // (16, 3) here". They keep their random numbers.
  std::vector<std::string> random;
};

// Copies what fits, by name and shape, of a run's weights (their average where it kept one) into a network.
// Error where nothing does.
TakenWeights take_weights(const Start& start, torch::nn::Module& network);

// "starting from the best checkpoint (step 600) of 'runs/a': ...".
std::string start_sentence(const Start& start, const TakenWeights& taken);

}  // namespace gcan::train
