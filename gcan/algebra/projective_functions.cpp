#include "gcan/algebra/projective_functions.h"

#include "gcan/algebra/pga2d.h"
#include "gcan/algebra/pga3d.h"
#include "gcan/algebra/text.h"

namespace gcan::expression {
namespace {

using Value = Function::Value;
using Values = std::span<const Value>;

bool is_plane(Values x) { return x[0].algebra().signature() == kPga2d; }
bool is_space(Values x) { return x[0].algebra().signature() == kPga3d; }

[[noreturn]] void wrong_algebra(Values x, const std::string& function, const std::string& algebra) {
  throw Error(function + " is for the projective algebra " + algebra + ", and this is " +
              x[0].algebra().to_string());
}

void need_plane(Values x, const char* function) {
  if (!is_plane(x)) wrong_algebra(x, function, "2,0,1 of the plane");
}

void need_space(Values x, const char* function) {
  if (!is_space(x)) wrong_algebra(x, function, "3,0,1 of space");
}

double number(const Value& x, const char* function) {
  if (x.only([](Blade b) { return b == 0; })) return x.scalar();
  throw Error(std::string(function) + " expects plain numbers there, not " + to_string(x, 6));
}

// The argument as a point, a line, ...
template <class Object>
Object object(const Value& x, const char* function, const char* what) {
  const auto fits = [](Blade b) { return Object::kBladeSet.contains(b); };
  if (x.is_zero() || !x.only(fits)) {
    throw Error(std::string(function) + " expects " + what + " there, not " + to_string(x, 6));
  }
  return Object(x.template as<typename Object::Base>());
}

constexpr const char* kPlanePoint = "a point, such as point(1, 2),";
constexpr const char* kSpacePoint = "a point, such as point(1, 2, 3),";
constexpr const char* kLine = "a line, such as line(point(0, 0, 0), point(0, 0, 1)),";

template <class Point>
Value joined(Values x, const char* function, const char* what) {
  const auto from = object<Point>(x[0], function, what), to = object<Point>(x[1], function, what);
  return Value(join(from, to));
}

Value line_through(Values x) {
  constexpr const char* kName = "line(p, q)";
  if (is_plane(x)) return joined<pga2d::Point<>>(x, kName, kPlanePoint);
  if (is_space(x)) return joined<pga3d::Point<>>(x, kName, kSpacePoint);
  wrong_algebra(x, kName, "2,0,1 or 3,0,1");
}

Value plane_through(Values x) {
  constexpr const char* kName = "plane(p, q, r)";
  need_space(x, kName);
  for (const Value& point : x) static_cast<void>(object<pga3d::Point<>>(point, kName, kSpacePoint));
  return multiply(Product::regressive, multiply(Product::regressive, x[0], x[1]), x[2]);
}

Value rotation(Values x) {
  constexpr const char* kName = "motor(axis, t)";
  const auto angle = [&] { return number(x[1], kName); };
  if (is_plane(x)) {
    return Value(pga2d::Motor<>::rotation(object<pga2d::Point<>>(x[0], kName, kPlanePoint), angle()));
  }
  if (!is_space(x)) wrong_algebra(x, kName, "2,0,1 or 3,0,1");
  return Value(pga3d::Motor<>::rotation(object<pga3d::Line<>>(x[0], kName, kLine), angle()));
}

Value screw(Values x) {
  constexpr const char* kName = "motor(axis, t, d)";
  need_space(x, kName);
  return Value(pga3d::Motor<>::screw(object<pga3d::Line<>>(x[0], kName, kLine), number(x[1], kName),
                                     number(x[2], kName)));
}

// An object of the plane or of space, made from numbers.
template <class Object, std::size_t... i>
Value made_of(Values x, const char* function, std::index_sequence<i...> /*indices*/) {
  return Value(Object(number(x[i], function)...));
}

Value point_2d(Values x) {
  need_plane(x, "point(x, y)");
  return made_of<pga2d::Point<>>(x, "point(x, y)", std::make_index_sequence<2>());
}
Value point_3d(Values x) {
  need_space(x, "point(x, y, z)");
  return made_of<pga3d::Point<>>(x, "point(x, y, z)", std::make_index_sequence<3>());
}
Value direction_2d(Values x) {
  need_plane(x, "direction(x, y)");
  return made_of<pga2d::Direction<>>(x, "direction(x, y)", std::make_index_sequence<2>());
}
Value direction_3d(Values x) {
  need_space(x, "direction(x, y, z)");
  return made_of<pga3d::Direction<>>(x, "direction(x, y, z)", std::make_index_sequence<3>());
}
Value line_2d(Values x) {
  need_plane(x, "line(a, b, c)");
  return made_of<pga2d::Line<>>(x, "line(a, b, c)", std::make_index_sequence<3>());
}
Value plane_3d(Values x) {
  need_space(x, "plane(a, b, c, d)");
  return made_of<pga3d::Plane<>>(x, "plane(a, b, c, d)", std::make_index_sequence<4>());
}
Value translation_2d(Values x) {
  constexpr const char* kName = "translator(x, y)";
  need_plane(x, kName);
  return Value(pga2d::Motor<>::translation({number(x[0], kName), number(x[1], kName)}));
}
Value translation_3d(Values x) {
  constexpr const char* kName = "translator(x, y, z)";
  need_space(x, kName);
  return Value(pga3d::Motor<>::translation({number(x[0], kName), number(x[1], kName), number(x[2], kName)}));
}

// Several rows of one name are its overloads.
const Function kFunctions[] = {
    {"point", "x, y", 2, "the point (x, y), in 2,0,1", point_2d},
    {"point", "x, y, z", 3, "the point (x, y, z), in 3,0,1", point_3d},
    {"direction", "x, y", 2, "the point at infinity in that direction, in 2,0,1", direction_2d},
    {"direction", "x, y, z", 3, "the point at infinity in that direction, in 3,0,1", direction_3d},
    {"line", "p, q", 2, "the line from the point p through q, in 2,0,1 and 3,0,1", line_through},
    {"line", "a, b, c", 3, "the line a x + b y + c = 0, in 2,0,1", line_2d},
    {"plane", "p, q, r", 3, "the plane through three points, in 3,0,1", plane_through},
    {"plane", "a, b, c, d", 4, "the plane a x + b y + c z + d = 0, in 3,0,1", plane_3d},
    {"translator", "x, y", 2, "translates by (x, y), in 2,0,1: translator(1, 0) >>> point(2, 3)",
     translation_2d},
    {"translator", "x, y, z", 3, "translates by (x, y, z), in 3,0,1", translation_3d},
    {"motor", "axis, t", 2, "rotates by the angle t about a point in 2,0,1, about a line in 3,0,1", rotation},
    {"motor", "axis, t, d", 3, "the same, and translates by d along the line, in 3,0,1", screw},
};

}  // namespace

std::span<const Function> projective_functions() { return kFunctions; }

}  // namespace gcan::expression
