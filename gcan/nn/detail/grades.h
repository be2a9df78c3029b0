#pragma once

// Which of a layer's blades have the same grade: they share a gate of MSiLU and a norm of GcaNorm.

#include <string>
#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

struct Grades {
  // One part per grade, in the order in which the grades first appear among the blades.
  explicit Grades(const std::vector<Blade>& blades);
  // All blades in one part.
  static Grades together(const std::vector<Blade>& blades);

  std::vector<std::size_t> part_of;  // for each blade
  std::size_t count = 0;             // of parts

  // The positions of one part's blades, for index_select.
  [[nodiscard]] torch::Tensor positions(std::size_t part, torch::Device device) const;
  // part_of, for index_select.
  [[nodiscard]] torch::Tensor part_of_blade(torch::Device device) const;
};

// For an autograd context, which keeps nothing but LibTorch's own types.
c10::IValue to_ivalue(const Grades& grades);
Grades to_grades(const c10::IValue& value);

// Error unless there are channels, and the blades are some of the algebra's, each once.
void check_objects(const std::string& layer, const Algebra& algebra, const std::vector<Blade>& objects,
                   std::int64_t channels);

// "e012 e013 e023"; "all blades" when they are all the algebra's.
std::string objects_text(const Algebra& algebra, const std::vector<Blade>& objects);

}  // namespace gcan::nn::detail
