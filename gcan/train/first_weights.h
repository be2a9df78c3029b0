#pragma once

#include <string>
#include <vector>

#include "gcan/train/run.h"

namespace gcan::train {

// The result of copying another run's weights.
struct TakenWeights {
  std::int64_t step = 0;  // step of the other run's checkpoint
  std::size_t taken = 0;  // number of copied tensors
  // The network's tensors that the other run lacks or has in another shape: "out.weight is (8, 3) there and
  // (16, 3) here". They keep their random values.
  std::vector<std::string> random;
};

// Copies the weights of a run (their average, if it has one) that fit by name and shape into a network. Error
// if none does.
TakenWeights take_weights(const Start& start, torch::nn::Module& network);

// "starting from the best checkpoint (step 600) of 'runs/a': ...".
std::string start_sentence(const Start& start, const TakenWeights& taken);

}  // namespace gcan::train
