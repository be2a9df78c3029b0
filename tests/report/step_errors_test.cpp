#include "gcan/report/step_errors.h"

#include "tests/report/pictures.h"

namespace gcan::report {
namespace step_errors_test {

using StepErrorsDrawing = test::Drawing;

TEST_F(StepErrorsDrawing, ShowModelsAndTrivialPredictors) {
  const std::vector<StepErrors> models{{"MLP", {0.1, 0.2, 0.3, 0.4}},
                                       {"constant velocity", {0.01, 0.02, 0.04, 0.08}, true},
                                       {"cubic extrapolation", {0.001, 0.002, 0.003, 0.004}, true}};
  draw_chart(step_chart(models, 5), scratch / "a.svg");
  const std::string svg = test::file_text(scratch / "a.svg");
  for (const char* text : {"MLP", "constant velocity", "cubic extrapolation", "predicted step", ">5<", ">8<"})
    EXPECT_TRUE(test::contains(svg, text)) << text;
  draw_chart(step_chart(models, 5), scratch / "a.png");
  test::expect_png(scratch / "a.png", 1500, 1000);
}

TEST_F(StepErrorsDrawing, LongPredictionsAreNotNumberedStepByStep) {
  draw_chart(step_chart({{"MLP", std::vector<double>(100, 0.5)}}, 1), scratch / "a.svg");
  EXPECT_FALSE(test::contains(test::file_text(scratch / "a.svg"), ">7<"));
}

TEST_F(StepErrorsDrawing, RejectEmptyData) {
  test::expect_error_with([&] { draw_chart(step_chart({}, 5), scratch / "a.png"); }, {"nothing to draw"});
  test::expect_error_with(
      [&] {
        draw_chart(step_chart({{"MLP", {}}}, 5), scratch / "a.png");
      },
      {"nothing to draw"});
}

}  // namespace step_errors_test
}  // namespace gcan::report
