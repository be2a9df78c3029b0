#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gcan/report/page_data.h"

namespace gcan::report {

// Tetris trajectories, and networks' predictions of their last steps.
struct BodiesView {
  struct Network {
    std::string name;
    std::vector<float> positions;  // (trajectory, predicted step, 32, 3)
  };
  std::size_t trajectories = 0;
  std::vector<float> truth;  // (trajectory, step, 32, 3)
  std::vector<Network> networks;

  [[nodiscard]] std::size_t steps() const;
  [[nodiscard]] std::size_t predicted_steps() const;  // of all networks
};

// The root-mean-square distance of an object's four points from the truth, by (trajectory, predicted step,
// object). Error if the size of a prediction does not match the truth.
std::vector<float> object_errors(const BodiesView& view, const BodiesView::Network& network);

// As JSON for the page's program; adds its numbers to the data.
std::string to_page(const BodiesView& view, PageData& data);

}  // namespace gcan::report
