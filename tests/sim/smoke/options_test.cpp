#include "gcan/sim/smoke/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "gcan/base/error.h"
#include "gcan/sim/smoke/solver.h"
#include "tests/sim/option_error.h"

namespace gcan::sim::smoke {
namespace smoke_options_test {

TEST(SmokeOptions, PresetsAreValidAndThePapers) {
  const Options paper = Options::paper();
  validate(paper);
  validate(Options::small());
  EXPECT_EQ(paper.dx(), 0.25);
  EXPECT_EQ(paper.frames(), 14);
  EXPECT_EQ(Options::small().dx(), 0.25);
  EXPECT_EQ(Options::small().frames(), 14);
}

// Like the original: steps 0..63 are done, the first 8 dropped, of the others every 4th kept.
TEST(SmokeOptions, FramesAreTheOriginalsSlices) {
  for (const auto& [skip, steps, every] :
       {std::tuple{8, 56, 4}, {0, 1, 1}, {3, 10, 3}, {0, 12, 5}, {2, 2, 9}}) {
    Options options;
    options.skip_steps = skip, options.steps = steps, options.frame_every = every;
    int frame = 0;
    for (int index = skip; index < skip + steps; index += every)
      EXPECT_EQ(options.frame_step(frame++), index + 1);
    EXPECT_EQ(options.frames(), frame);
  }
  EXPECT_DOUBLE_EQ(Options().frame_time(1) - Options().frame_time(0), 6.0);
}

TEST(SmokeOptions, ErrorsNameTheOptionItsValueAndTheLimits) {
  struct Case {
    std::function<void(Options&)> change;
    std::vector<std::string> said;
  };
  const std::vector<Case> cases = {
      {[](Options& o) { o.cells = 127; }, {"cells is 127", "odd", "even"}},
      {[](Options& o) { o.cells = -3; }, {"cells is -3"}},
      {[](Options& o) { o.cells = 14; }, {"cells is 14", "16 to 2048"}},
      {[](Options& o) { o.cells = 2050; }, {"cells is 2050", "16 to 2048"}},
      {[](Options& o) { o.length = 0; }, {"length is 0", "above 0"}},
      {[](Options& o) { o.length = NAN; }, {"length is nan", "finite"}},
      {[](Options& o) { o.time_step = -1; }, {"time_step is -1", "above 0"}},
      {[](Options& o) { o.time_step = INFINITY; }, {"time_step is inf", "finite"}},
      {[](Options& o) { o.viscosity = -0.01; }, {"viscosity is -0.01", "0 or above"}},
      {[](Options& o) { o.viscosity = NAN; }, {"viscosity is nan"}},
      {[](Options& o) { o.buoyancy = NAN; }, {"buoyancy is nan", "finite"}},
      {[](Options& o) { o.viscosity = 0.02; }, {"unstable", "0.48", "0.25", "at least 2 diffusion_substeps"}},
      {[](Options& o) { o.cells = 256; }, {"unstable", "0.96", "at least 4 diffusion_substeps"}},
      {[](Options& o) { o.diffusion_substeps = 0; }, {"diffusion_substeps is 0", "at least 1"}},
      {[](Options& o) { o.skip_steps = -1; }, {"skip_steps is -1", "at least 0"}},
      {[](Options& o) { o.steps = 0; }, {"steps is 0", "at least 1"}},
      {[](Options& o) { o.frame_every = 0; }, {"frame_every is 0", "at least 1"}},
      {[](Options& o) { o.steps = 2'000'000'000; }, {"steps is 2000000000", "at most"}},
      {[](Options& o) { o.noise_scale = 0; }, {"noise_scale is 0"}},
      {[](Options& o) { o.noise_scale = 1e-3; }, {"no wave", "noise_scale"}},
      {[](Options& o) { o.noise_smoothness = -1; }, {"noise_smoothness is -1"}},
  };
  for (const auto& [change, said] : cases) {
    const std::string message = test::option_error<Options>(change);
    for (const auto& part : said)
      EXPECT_NE(message.find(part), std::string::npos) << '"' << message << '"' << part;
  }
}

TEST(SmokeOptions, EnoughSubstepsMakeFineGridsValid) {
  EXPECT_EQ(test::option_error<Options>([](Options& o) { o.cells = 256, o.diffusion_substeps = 4; }), "");
  EXPECT_NE(test::option_error<Options>([](Options& o) { o.cells = 256, o.diffusion_substeps = 3; }), "");
  EXPECT_EQ(test::option_error<Options>([](Options& o) { o.viscosity = 0; }), "");
}

TEST(SmokeOptions, TheSolverRejectsBadOnesToo) {
  Options options;
  options.cells = 33;
  EXPECT_THROW(Solver<double>{options}, Error);
}

}  // namespace smoke_options_test
}  // namespace gcan::sim::smoke
