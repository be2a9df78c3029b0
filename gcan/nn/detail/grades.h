#pragma once

// Groups a layer's blades by grade: blades of one grade share a gate of MSiLU and a norm of GcaNorm.

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

  std::vector<std::size_t> part_of;  // of each blade
  std::size_t count = 0;             // number of parts

  // The positions of a part's blades, for index_select.
  [[nodiscard]] torch::Tensor positions(std::size_t part, torch::Device device) const;
  // part_of, for index_select.
  [[nodiscard]] torch::Tensor part_of_blade(torch::Device device) const;
};

// For an autograd context, which can save only LibTorch's types.
c10::IValue to_ivalue(const Grades& grades);
Grades to_grades(const c10::IValue& value);

// Error unless there are channels, and the blades belong to the algebra and are unique.
void check_objects(const std::string& layer, const Algebra& algebra, const std::vector<Blade>& objects,
                   std::int64_t channels);

// "e012 e013 e023", or "all blades" for all of the algebra's.
std::string objects_text(const Algebra& algebra, const std::vector<Blade>& objects);

}  // namespace gcan::nn::detail
