#pragma once

#include <string>
#include <vector>

#include "gcan/report/page_data.h"
#include "gcan/report/rollout_picture.h"

namespace gcan::report {

// A rollout and its spectra at the times of its targets.
struct FieldsView {
  FieldRollout rollout;
  std::string spectrum_name = {};                              // "kinetic energy"; empty: no spectra
  std::vector<std::vector<double>> target_spectra = {};        // by time: by wavenumber from 0
  std::vector<std::vector<std::vector<double>>> spectra = {};  // of each network
  std::vector<std::size_t> colours = {};  // of each network, consistent with other charts; default: in order
};

// The smallest n for which every n-th target fits into a page of this size, with all fields of all networks
// in 16 bits before compression.
std::size_t frame_stride(const FieldRollout& rollout, std::size_t most_bytes);

// The area-weighted root-mean-square difference from the target, by time.
std::vector<double> field_errors(const FieldRollout& rollout, const RolloutField& field, std::size_t network);

// As JSON for the page's program; adds its numbers to the data.
std::string to_page(const FieldsView& view, PageData& data);

}  // namespace gcan::report
