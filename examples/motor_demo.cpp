// A motor moves a point cloud along a screw motion: the table on stdout, and with a folder as argument the
// points as motor_demo.dat and the axis as motor_demo_axis.dat for motor_demo.gp to plot.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

#include "gcan/algebra/pga3d.h"
#include "gcan/algebra/text.h"

using namespace gcan::pga3d;

namespace {

// The L of Tetris: points on the edges of four unit cubes.
std::vector<Vec3<double>> tetris_piece() {
  std::vector<Vec3<double>> points;
  const double cubes[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}};
  for (const auto& corner : cubes) {
    for (int edge = 0; edge < 12; ++edge) {
      const int along = edge / 4;
      for (int step = 0; step <= 10; ++step) {
        Vec3<double> p = {corner[0], corner[1], corner[2]};
        p[static_cast<std::size_t>(along)] += step / 10.0;
        p[static_cast<std::size_t>((along + 1) % 3)] += edge % 2;
        p[static_cast<std::size_t>((along + 2) % 3)] += edge / 2 % 2;
        points.push_back(p);
      }
    }
  }
  return points;
}

void write_points(std::ostream& out, const std::vector<Vec3<double>>& points, double time) {
  for (const auto& p : points) out << p[0] << ' ' << p[1] << ' ' << p[2] << ' ' << time << '\n';
  out << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const Line<> axis{Point<>(-2, 3, 0), Direction<>(0, 0.2, 1)};
  const Motor<> whole = Motor<>::screw(axis, 5 * std::numbers::pi / 6, 6.0);
  std::cout << "motor: a screw of 150 degrees about a line, and 6 along it\n  " << gcan::to_string(whole, 4)
            << "\n\n  part of the way   distance of the first point from the axis      its position\n";

  const auto cloud = tetris_piece();
  std::vector<Vec3<double>> moved(cloud.size());
  std::ofstream points;
  if (argc > 1) points.open(std::string(argv[1]) + "/motor_demo.dat");
  const int steps = 6;
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    // Parts of the same motion: powers of the motor.
    interpolate(Motor<>(), whole, t)
        .apply(std::span<const Vec3<double>>(cloud), std::span<Vec3<double>>(moved));
    const auto& p = moved.front();
    std::printf("  %15.2f   %44.12f      (%6.3f, %6.3f, %6.3f)\n", t, distance(Point<>(p), axis), p[0], p[1],
                p[2]);
    if (argc > 1) write_points(points, moved, t);
  }
  if (argc > 1) {
    std::ofstream line(std::string(argv[1]) + "/motor_demo_axis.dat");
    const auto foot = Point<>(-2, 3, 0).coordinates();
    const auto d = axis.normalized().direction();
    for (const double s : {-0.5, 7.5})
      line << foot[0] + s * d[0] << ' ' << foot[1] + s * d[1] << ' ' << foot[2] + s * d[2] << '\n';
    if (!points || !line) {
      std::cerr << "motor_demo: the points could not be written to the folder " << argv[1] << ".\n";
      return 1;
    }
  }
}
