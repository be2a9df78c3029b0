#include "gcan/sim/tetris/options.h"

#include <sstream>

#include "gcan/base/error.h"

namespace gcan::sim::tetris {
namespace {

void require_between(double value, double low, double high, const char* name) {
  if (value >= low && value <= high) return;  // false for NaN
  std::ostringstream sentence;
  sentence << "tetris: " << name << " is " << value << "; it must be a number from " << low << " to " << high;
  throw Error(sentence.str());
}

}  // namespace

Options Options::literal() {
  Options options;
  options.orientation = Orientation::none;
  options.rho = 0;
  options.deformation_sigma = 0;
  return options;
}

void validate(const Options& o) {
  // Beyond these, float32 numbers would lose digits that matter for the errors of networks.
  constexpr double kMostLength = 100, kMostSteps = 1000;
  require_between(o.max_angle, 0, std::numbers::pi, "max-angle");
  require_between(o.max_offset, 0, kMostLength, "max-offset");
  require_between(o.rho, 0, 1, "rho");
  require_between(o.deformation_sigma, 0, 1, "deformation-sigma");
  require_between(o.steps, 2, kMostSteps, "steps");
}

}  // namespace gcan::sim::tetris
