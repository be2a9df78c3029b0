#include "gcan/report/learning_curves.h"

#include "tests/report/pictures.h"

namespace gcan::report {
namespace learning_curves_test {

using LearningCurves = test::Drawing;

const LearningCurve kMlp{"MLP", {1, 2, 3, 4}, {4, 3, 2, 1}, {2, 4}, {3.5, 2.5}};
const LearningCurve kGca{"GCA-MLP", {1, 2, 3, 4}, {2, 1, 0.1, 0.01}, {2, 4}, {1.5, 0.02}};

std::string drawn(const std::vector<LearningCurve>& curves, const std::string& out) {
  draw_chart(learning_chart(curves), out);
  return test::file_text(out);
}

TEST_F(LearningCurves, NameEveryRunOnce) {
  const std::string svg = drawn({kMlp, kGca}, scratch / "a.svg");
  EXPECT_EQ(test::count(svg, "<text>MLP<"), 1U);
  EXPECT_TRUE(test::contains(svg, "GCA-MLP"));
  EXPECT_TRUE(test::contains(svg, "thin: training"));
  draw_chart(learning_chart({kMlp, kGca}), scratch / "a.png");
  test::expect_png(scratch / "a.png", 1500, 1000);
}

TEST_F(LearningCurves, AreDrawnWithoutValidationOrTraining) {
  EXPECT_TRUE(test::contains(drawn({{"MLP", {1, 2}, {2, 1}, {}, {}}}, scratch / "a.svg"), "MLP, training"));
  EXPECT_TRUE(test::contains(drawn({{"MLP", {}, {}, {1, 2}, {2, 1}}}, scratch / "b.svg"), "validation"));
}

TEST_F(LearningCurves, RejectUndrawableData) {
  test::expect_error_with([&] { draw_chart(learning_chart({}), scratch / "a.png"); }, {"nothing to draw"});
  test::expect_error_with(
      [&] {
        draw_chart(learning_chart({{"MLP", {1, 2}, {1}, {}, {}}}), scratch / "a.png");
      },
      {"2 x values but 1 y values"});
}

}  // namespace learning_curves_test
}  // namespace gcan::report
