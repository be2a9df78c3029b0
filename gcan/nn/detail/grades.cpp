#include "gcan/nn/detail/grades.h"

#include <algorithm>

#include "gcan/base/error.h"
#include "gcan/nn/detail/constant.h"

namespace gcan::nn::detail {

Grades::Grades(const std::vector<Blade>& blades) {
  std::vector<int> seen;
  for (const Blade blade : blades) {
    const auto found = std::find(seen.begin(), seen.end(), grade(blade));
    part_of.push_back(static_cast<std::size_t>(found - seen.begin()));
    if (found == seen.end()) seen.push_back(grade(blade));
  }
  count = seen.size();
}

Grades Grades::together(const std::vector<Blade>& blades) {
  return Grades(std::vector<Blade>(blades.size(), Blade{0}));
}

torch::Tensor Grades::positions(std::size_t part, torch::Device device) const {
  std::vector<std::int64_t> found;
  for (std::size_t b = 0; b < part_of.size(); ++b) {
    if (part_of[b] == part) found.push_back(static_cast<std::int64_t>(b));
  }
  return constant(found, device);
}

torch::Tensor Grades::part_of_blade(torch::Device device) const {
  return constant(std::vector<std::int64_t>(part_of.begin(), part_of.end()), device);
}

c10::IValue to_ivalue(const Grades& grades) {
  return std::vector<std::int64_t>(grades.part_of.begin(), grades.part_of.end());
}

Grades to_grades(const c10::IValue& value) {
  Grades grades{{}};
  for (const std::int64_t part : value.toIntVector()) {
    grades.part_of.push_back(static_cast<std::size_t>(part));
    grades.count = std::max(grades.count, grades.part_of.back() + 1);
  }
  return grades;
}

void check_objects(const std::string& layer, const Algebra& algebra, const std::vector<Blade>& objects,
                   std::int64_t channels) {
  if (channels < 1) {
    throw Error(layer + " got " + std::to_string(channels) + " channels, expected at least 1");
  }
  if (objects.empty()) throw Error(layer + " got no object blades, expected at least one");
  for (const Blade blade : objects) {
    if (blade > algebra.pseudoscalar()) {
      throw Error(layer + " got an object blade that is not in " + algebra.to_string());
    }
    if (std::count(objects.begin(), objects.end(), blade) > 1) {
      throw Error(layer + " got the object blade " + algebra.name(blade) + " more than once");
    }
  }
}

std::string objects_text(const Algebra& algebra, const std::vector<Blade>& objects) {
  if (objects == algebra.blades()) return "all blades";
  std::string text;
  for (const Blade blade : objects) {
    if (!text.empty()) text += ' ';
    text += algebra.name(blade);
  }
  return text;
}

}  // namespace gcan::nn::detail
