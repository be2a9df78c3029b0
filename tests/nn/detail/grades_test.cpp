#include "gcan/nn/detail/grades.h"

#include <gtest/gtest.h>

#include "gcan/base/error.h"

namespace gcan::nn::detail {
namespace grades_test {

TEST(Grades, PutsBladesOfOneGradeTogether) {
  const Grades grades({0b011, 0, 0b001, 0b110, 0b100});
  EXPECT_EQ(grades.count, 3U);
  EXPECT_EQ(grades.part_of, (std::vector<std::size_t>{0, 1, 2, 0, 2}));
  EXPECT_TRUE(torch::equal(grades.positions(0, torch::kCPU), torch::tensor({0, 3}, torch::kLong)));
  EXPECT_TRUE(torch::equal(grades.positions(1, torch::kCPU), torch::tensor({1}, torch::kLong)));
  EXPECT_TRUE(torch::equal(grades.part_of_blade(torch::kCPU), torch::tensor({0, 1, 2, 0, 2}, torch::kLong)));
  const Grades together = Grades::together({0b011, 0, 0b001});
  EXPECT_EQ(together.count, 1U);
  EXPECT_EQ(together.part_of, (std::vector<std::size_t>{0, 0, 0}));
}

TEST(Grades, SurviveAnAutogradContext) {
  const Grades grades(Algebra::pga3d().blades());
  const Grades back = to_grades(to_ivalue(grades));
  EXPECT_EQ(back.part_of, grades.part_of);
  EXPECT_EQ(back.count, 5U);
}

TEST(Grades, ObjectsAreCheckedAndNamed) {
  const Algebra pga = Algebra::pga3d();
  EXPECT_EQ(objects_text(pga, pga.points()), "e012 e013 e023");
  EXPECT_EQ(objects_text(pga, pga.blades()), "all blades");
  EXPECT_NO_THROW(check_objects("L", pga, pga.points(), 1));
  EXPECT_THROW(check_objects("L", pga, pga.points(), 0), Error);
  EXPECT_THROW(check_objects("L", pga, {}, 1), Error);
  EXPECT_THROW(check_objects("L", pga, {1, 2, 1}, 1), Error);
  EXPECT_THROW(check_objects("L", pga, {16}, 1), Error);
}

}  // namespace grades_test
}  // namespace gcan::nn::detail
