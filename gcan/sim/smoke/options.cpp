#include "gcan/sim/smoke/options.h"

#include <cmath>
#include <sstream>
#include <string>

#include "gcan/base/error.h"
#include "gcan/base/human.h"

namespace gcan::sim::smoke {
namespace {

template <class... Parts>
std::string sentence(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

void require(bool ok, const std::string& message) {
  if (!ok) throw Error("smoke simulation: " + message);
}

void require_positive(double value, const char* name) {
  require(std::isfinite(value) && value > 0,
          sentence(name, " is ", value, "; it must be a finite number above 0"));
}

void require_at_least(int value, int lowest, const char* name) {
  require(value >= lowest, sentence(name, " is ", value, "; it must be at least ", lowest));
}

void validate_grid(const Options& o) {
  // Even: the cosine transform packs two columns into one complex one. 16: a row must fill a SIMD vector.
  // 2048: a cell's number must be exact in a float.
  require(o.cells % 2 == 0,
          sentence("cells is ", o.cells, ", an odd number; the cosine transform needs an even one"));
  require(o.cells >= 16 && o.cells <= 2048,
          sentence("cells is ", o.cells, "; it must be an even number from 16 to 2048"));
  require_positive(o.length, "length");
}

void validate_physics(const Options& o) {
  require_positive(o.time_step, "time_step");
  require(std::isfinite(o.viscosity) && o.viscosity >= 0,
          sentence("viscosity is ", o.viscosity, "; it must be a finite number, 0 or above"));
  require(std::isfinite(o.buoyancy), sentence("buoyancy is ", o.buoyancy, "; it must be a finite number"));
  require_at_least(o.diffusion_substeps, 1, "diffusion_substeps");
  const double number = o.viscosity * o.time_step / (o.dx() * o.dx());
  const double needed = std::ceil(4 * number);
  // The highest grid wave changes by the factor 1 - 8 number/substeps, which must not go below -1.
  require(number / o.diffusion_substeps <= 0.25,
          sentence("explicit diffusion is unstable: viscosity*time_step/dx^2 is ", number, " with ",
                   base::counted(o.diffusion_substeps, "diffusion substeps"),
                   ", but at most 0.25 per substep is stable; take ",
                   needed < 1e6 ? "at least " + base::whole_text(static_cast<std::int64_t>(needed)) +
                                      " diffusion_substeps, "
                                : "",
                   "a smaller time_step or larger cells"));
}

void validate_frames(const Options& o) {
  require_at_least(o.skip_steps, 0, "skip_steps");
  require_at_least(o.steps, 1, "steps");
  require_at_least(o.frame_every, 1, "frame_every");
  constexpr int kMost = 1'000'000'000;
  require(
      o.skip_steps <= kMost && o.steps <= kMost,
      sentence("skip_steps is ", o.skip_steps, " and steps is ", o.steps, "; each must be at most ", kMost));
}

void validate_noise(const Options& o) {
  require_positive(o.noise_scale, "noise_scale");
  require_at_least(o.noise_smoothness, 0, "noise_smoothness");
  const double k = o.noise_scale / o.length * (o.cells / 2);
  require(2 * k * k > 0.1,
          sentence("no wave of the grid passes the initial noise's band k^2 > 0.1: the largest k^2 is ",
                   2 * k * k, "; take a larger noise_scale, a smaller length or more cells"));
}

}  // namespace

Options Options::small() {
  Options options;
  options.cells = 64;
  options.length = 16;
  return options;
}

void validate(const Options& options) {
  validate_grid(options);
  validate_physics(options);
  validate_frames(options);
  validate_noise(options);
}

}  // namespace gcan::sim::smoke
