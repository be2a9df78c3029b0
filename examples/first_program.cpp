// A first program with gcan's algebra: a quarter turn about an upright line, raised by a half.
#include <iostream>
#include <numbers>

#include "gcan/algebra.h"

using namespace gcan::pga3d;

int main() {
  const Line<> axis(Point<>(1, 0, 0), Direction<>(0, 0, 1));
  const Motor<> motor = Motor<>::screw(axis, std::numbers::pi / 2, 0.5);

  const auto show = [](const char* what, const Point<>& p) {
    std::cout << what << "(" << p.x() << ", " << p.y() << ", " << p.z() << ")\n";
  };
  const Point<> p(3, 0, 0);
  std::cout << "motor  " << gcan::to_string(motor, 4) << "\n";
  show("moved  ", motor(p));
  show("half   ", interpolate(Motor<>(), motor, 0.5)(p));
  std::cout << "angle  " << angle(join(p, motor(p)), axis) << "\n";
}
