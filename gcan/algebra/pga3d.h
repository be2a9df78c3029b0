#pragma once

// Projective geometry of three-dimensional space in G(3,0,1): planes are vectors, lines bivectors, points
// trivectors; reflections, rotors, translators and motors are the versors that move them.
//
//   using namespace gcan::pga3d;
//   const Motor<> m = Motor<>::rotation({0, 0, 1}, 0.5) * Motor<>::translation({1, 0, 0});
//   const Point<> p = m(Point<>(1, 2, 3));
//
// The plane a x + b y + c z + d = 0 is a e1 + b e2 + c e3 + d e0. The point where the planes x = px, y = py
// and z = pz meet is their outer product, (e1 - px e0)(e2 - py e0)(e3 - pz e0): its coefficients on e012,
// e013, e023 and e123 are (-pz, py, -px, 1).

#include <algorithm>

#include "gcan/algebra/pack.h"
#include "gcan/algebra/pga_element.h"

namespace gcan::pga3d {

template <class T>
using Vec3 = std::array<T, 3>;
// Row-major; acts on columns (x, y, z, 1).
template <class T>
using Matrix4 = std::array<std::array<T, 4>, 4>;

inline constexpr BladeSet kPlaneBlades = grade_blades(kPga3d, 1);
inline constexpr BladeSet kLineBlades = grade_blades(kPga3d, 2);
inline constexpr BladeSet kPointBlades = grade_blades(kPga3d, 3);
inline constexpr BladeSet kRotorBlades = pga::rotor_blades(kPga3d);
inline constexpr BladeSet kTranslatorBlades = pga::translator_blades(kPga3d);

namespace detail {

template <class T>
Vec3<T> unit(const Vec3<T>& v, const char* what) {
  const T length = std::hypot(v[0], v[1], v[2]);
  if (!(length > T{0}) || !std::isfinite(length)) {
    throw Error(std::string("the direction of ") + what + " must be finite and not zero");
  }
  return {v[0] / length, v[1] / length, v[2] / length};
}

}  // namespace detail

// A point at infinity: a direction with a length, invariant under translations.
template <class T = double>
class Direction : public pga::Element<kPga3d, kPointBlades, Direction, T> {
 public:
  using Base = typename pga::Element<kPga3d, kPointBlades, Direction, T>::Base;
  using pga::Element<kPga3d, kPointBlades, Direction, T>::Element;
  constexpr Direction(T x, T y, T z) : Direction(Base({-z, y, -x, T{0}})) {}
  constexpr explicit Direction(const Vec3<T>& v) : Direction(v[0], v[1], v[2]) {}
  [[nodiscard]] constexpr T x() const { return -(*this)[2]; }
  [[nodiscard]] constexpr T y() const { return (*this)[1]; }
  [[nodiscard]] constexpr T z() const { return -(*this)[0]; }
  [[nodiscard]] constexpr Vec3<T> coordinates() const { return {x(), y(), z()}; }
  // Length 1.
  [[nodiscard]] Direction normalized() const { return Direction(detail::unit(coordinates(), "a direction")); }
};

// A point; its weight (the coefficient of e123) is 1 unless constructed otherwise.
template <class T = double>
class Point : public pga::Element<kPga3d, kPointBlades, Point, T> {
 public:
  using Base = typename pga::Element<kPga3d, kPointBlades, Point, T>::Base;
  using pga::Element<kPga3d, kPointBlades, Point, T>::Element;
  constexpr Point(T x, T y, T z) : Point(Base({-z, y, -x, T{1}})) {}
  constexpr explicit Point(const Vec3<T>& v) : Point(v[0], v[1], v[2]) {}
  [[nodiscard]] constexpr T weight() const { return (*this)[3]; }
  [[nodiscard]] constexpr T x() const { return -(*this)[2] / weight(); }
  [[nodiscard]] constexpr T y() const { return (*this)[1] / weight(); }
  [[nodiscard]] constexpr T z() const { return -(*this)[0] / weight(); }
  [[nodiscard]] constexpr Vec3<T> coordinates() const { return {x(), y(), z()}; }
  [[nodiscard]] constexpr bool at_infinity() const { return weight() == T{0}; }
  // Weight 1; Error for points at infinity.
  [[nodiscard]] Point normalized() const {
    if (at_infinity())
      throw Error("a point at infinity has weight 0 and cannot be normalised; use a Direction");
    return Point(Base(static_cast<const Base&>(*this) / weight()));
  }
};

// The plane a x + b y + c z + d = 0.
template <class T = double>
class Plane : public pga::Element<kPga3d, kPlaneBlades, Plane, T> {
 public:
  using Base = typename pga::Element<kPga3d, kPlaneBlades, Plane, T>::Base;
  using pga::Element<kPga3d, kPlaneBlades, Plane, T>::Element;
  constexpr Plane(T a, T b, T c, T d) : Plane(Base({d, a, b, c})) {}
  Plane(const Direction<T>& normal, const Point<T>& point)
      : Plane(normal.x(), normal.y(), normal.z(), -pga::dot(normal.coordinates(), point.coordinates())) {}
  [[nodiscard]] constexpr Vec3<T> normal() const { return {(*this)[1], (*this)[2], (*this)[3]}; }
  [[nodiscard]] constexpr T offset() const { return (*this)[0]; }
};

// A line in Pluecker coordinates: its direction is (e23, -e13, e12), its moment (e01, e02, e03).
template <class T = double>
class Line : public pga::Element<kPga3d, kLineBlades, Line, T> {
 public:
  using Base = typename pga::Element<kPga3d, kLineBlades, Line, T>::Base;
  using pga::Element<kPga3d, kLineBlades, Line, T>::Element;
  Line(const Point<T>& point, const Direction<T>& direction)
      : Line(moment_of(point.coordinates(), direction.coordinates()), direction.coordinates(), 0) {}
  Line(const Point<T>& from, const Point<T>& to) : Line(from, Direction<T>(difference(from, to))) {}
  // Error unless direction and moment (point x direction) are perpendicular, as those of a line are.
  static Line from_pluecker(const Vec3<T>& direction, const Vec3<T>& moment) {
    const T size = std::sqrt(pga::dot(direction, direction) * pga::dot(moment, moment));
    if (!(std::abs(pga::dot(direction, moment)) <= T(1e-5) * size)) {
      throw Error("the Pluecker coordinates of a line need a moment that is perpendicular to its direction");
    }
    return Line(moment, direction, 0);
  }
  [[nodiscard]] constexpr Vec3<T> direction() const { return {(*this)[5], -(*this)[4], (*this)[3]}; }
  // Point x direction, the same for all points of the line.
  [[nodiscard]] constexpr Vec3<T> moment() const { return {(*this)[0], (*this)[1], (*this)[2]}; }
  // The point of the line closest to the origin.
  [[nodiscard]] Point<T> nearest_to_origin() const {
    const Vec3<T> d = direction();
    const Vec3<T> c = moment_of(d, moment());
    const T square = pga::dot(d, d);
    return Point<T>(c[0] / square, c[1] / square, c[2] / square);
  }

 private:
  constexpr Line(const Vec3<T>& m, const Vec3<T>& d, int)
      : Line(Base({m[0], m[1], m[2], d[2], -d[1], d[0]})) {}
  static Vec3<T> moment_of(const Vec3<T>& p, const Vec3<T>& d) {
    return {p[1] * d[2] - p[2] * d[1], p[2] * d[0] - p[0] * d[2], p[0] * d[1] - p[1] * d[0]};
  }
  static Vec3<T> difference(const Point<T>& from, const Point<T>& to) {
    return {to.x() - from.x(), to.y() - from.y(), to.z() - from.z()};
  }
};

// ---- motions ----------------------------------------------------------------------------------------------

// A unit axis and a right-handed angle about it in [0, pi] (radians).
template <class T = double>
struct AxisAngle {
  Vec3<T> axis{T{0}, T{0}, T{1}};
  T angle{};
};

// A rotation about a line through the origin.
template <class T = double>
class Rotor : public pga::VersorElement<kPga3d, kRotorBlades, Rotor, T> {
 public:
  using Base = typename pga::VersorElement<kPga3d, kRotorBlades, Rotor, T>::Base;
  using pga::VersorElement<kPga3d, kRotorBlades, Rotor, T>::VersorElement;
  constexpr Rotor() : Rotor(Base(T{1})) {}
  // Right-handed by `angle` (radians) about `axis`.
  Rotor(const Vec3<T>& axis, T angle) : Rotor(from_unit(detail::unit(axis, "a rotation's axis"), angle)) {}

  // w, x, y, z; need not be normalised. Error for zero.
  static Rotor from_quaternion(const std::array<T, 4>& q) {
    return Rotor(Base({q[0], -q[3], q[2], -q[1]})).normalized();
  }
  // w, x, y, z.
  [[nodiscard]] constexpr std::array<T, 4> quaternion() const {
    return {(*this)[0], -(*this)[3], (*this)[2], -(*this)[1]};
  }
  // The identity rotation has the axis z.
  [[nodiscard]] AxisAngle<T> axis_angle() const {
    auto [w, x, y, z] = quaternion();
    const T length = std::hypot(x, y, z);
    if (length == T{0}) return {};
    const T sign = w < 0 ? T{-1} : T{1};
    return {{sign * x / length, sign * y / length, sign * z / length}, 2 * std::atan2(length, sign * w)};
  }

 private:
  static Rotor from_unit(const Vec3<T>& n, T angle) {
    const T s = std::sin(angle / 2);
    return Rotor(Base({std::cos(angle / 2), -s * n[2], s * n[1], -s * n[0]}));
  }
};

template <class T = double>
class Translator : public pga::VersorElement<kPga3d, kTranslatorBlades, Translator, T> {
 public:
  using Base = typename pga::VersorElement<kPga3d, kTranslatorBlades, Translator, T>::Base;
  using pga::VersorElement<kPga3d, kTranslatorBlades, Translator, T>::VersorElement;
  constexpr Translator() : Translator(Base(T{1})) {}
  constexpr explicit Translator(const Vec3<T>& t)
      : Translator(Base({T{1}, -t[0] / 2, -t[1] / 2, -t[2] / 2})) {}
  [[nodiscard]] constexpr Vec3<T> displacement() const {
    const T s = -2 / (*this)[0];
    return {s * (*this)[1], s * (*this)[2], s * (*this)[3]};
  }
};

// A coordinate frame: an origin and three right-handed orthonormal axes.
template <class T = double>
struct Frame {
  Vec3<T> origin{};
  std::array<Vec3<T>, 3> axes{{{T{1}, T{0}, T{0}}, {T{0}, T{1}, T{0}}, {T{0}, T{0}, T{1}}}};
};

// A rigid motion: rotation, translation or screw. Products compose: (a * b)(x) is a(b(x)).
template <class T = double>
class Motor : public pga::MotorElement<kPga3d, Motor, T> {
 public:
  using Base = typename pga::MotorElement<kPga3d, Motor, T>::Base;
  using pga::MotorElement<kPga3d, Motor, T>::MotorElement;
  constexpr Motor() : Motor(Base(T{1})) {}
  constexpr Motor(const Rotor<T>& rotor) : Motor(Base(rotor)) {}                 // NOLINT: is one
  constexpr Motor(const Translator<T>& translator) : Motor(Base(translator)) {}  // NOLINT: is one

  static Motor rotation(const Vec3<T>& axis, T angle) { return Rotor<T>(axis, angle); }
  static Motor rotation(const Line<T>& axis, T angle) { return screw(axis, angle, T{0}); }
  static Motor translation(const Vec3<T>& displacement) { return Translator<T>(displacement); }
  // Right-handed by `angle` about `axis` and by `distance` along it.
  static Motor screw(const Line<T>& axis, T angle, T distance) {
    const Motor turn(exp(typename Line<T>::Base(axis.normalized() * (-angle / 2))));
    const Vec3<T> d = detail::unit(axis.direction(), "a screw's axis");
    return translation({distance * d[0], distance * d[1], distance * d[2]}) * turn;
  }
  // The motion that maps one frame to the other.
  static Motor between(const Frame<T>& from, const Frame<T>& to) { return of_frame(to) * ~of_frame(from); }
  // From a matrix with an orthonormal right-handed 3x3 part and last row 0 0 0 1; Error for others.
  static Motor from_matrix(const Matrix4<T>& m);
  [[nodiscard]] Matrix4<T> matrix() const;
  // Rotates by the quaternion w, x, y, z, then translates; Error for the zero quaternion.
  static Motor from_quaternion(const std::array<T, 4>& quaternion, const Vec3<T>& displacement = {}) {
    return translation(displacement) * Motor(Rotor<T>::from_quaternion(quaternion));
  }

  // The motor is translator() * rotor(): it rotates about the origin, then translates by displacement().
  [[nodiscard]] Rotor<T> rotor() const {
    return Rotor<T>(gcan::detail::restricted<kRotorBlades, T>(this->base())).normalized();
  }
  [[nodiscard]] Translator<T> translator() const {
    const auto turn = gcan::detail::restricted<kRotorBlades, T>(this->base());
    return Translator<T>(gcan::detail::restricted<kTranslatorBlades, T>(this->base() * gcan::inverse(turn)));
  }
  [[nodiscard]] Vec3<T> displacement() const { return translator().displacement(); }
  [[nodiscard]] std::array<T, 4> quaternion() const { return rotor().quaternion(); }
  [[nodiscard]] AxisAngle<T> axis_angle() const { return rotor().axis_angle(); }

  Point<T> operator()(const Point<T>& x) const { return this->moved(x); }
  Direction<T> operator()(const Direction<T>& x) const { return this->moved(x); }
  Line<T> operator()(const Line<T>& x) const { return this->moved(x); }
  Plane<T> operator()(const Plane<T>& x) const { return this->moved(x); }
  using pga::MotorElement<kPga3d, Motor, T>::apply;
  // Points as plain coordinates.
  void apply(std::span<const Vec3<T>> in, std::span<Vec3<T>> out) const;

 private:
  static Motor of_frame(const Frame<T>& frame) {
    Matrix4<T> m{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) m[i][j] = frame.axes[j][i];
      m[i][3] = frame.origin[i];
    }
    m[3][3] = 1;
    return from_matrix(m);
  }
};

// The reflection in a plane.
template <class T = double>
class Reflection : public pga::ReflectionElement<kPga3d, Reflection, Motor, T> {
 public:
  using Base = typename pga::ReflectionElement<kPga3d, Reflection, Motor, T>::Base;
  using pga::ReflectionElement<kPga3d, Reflection, Motor, T>::ReflectionElement;
  explicit Reflection(const Plane<T>& plane) : Reflection(Base(plane.normalized())) {}
};

template <class T>
Motor<T> interpolate(const Motor<T>& from, const Motor<T>& to, T t) {
  return pga::interpolate(from, to, t);
}

// Products of different kinds of versors are motors.
template <class T>
Motor<T> operator*(const Rotor<T>& a, const Translator<T>& b) {
  return Motor<T>(a) * Motor<T>(b);
}
template <class T>
Motor<T> operator*(const Translator<T>& a, const Rotor<T>& b) {
  return Motor<T>(a) * Motor<T>(b);
}
template <class T>
Motor<T> operator*(const Motor<T>& a, const Rotor<T>& b) {
  return a * Motor<T>(b);
}
template <class T>
Motor<T> operator*(const Rotor<T>& a, const Motor<T>& b) {
  return Motor<T>(a) * b;
}
template <class T>
Motor<T> operator*(const Motor<T>& a, const Translator<T>& b) {
  return a * Motor<T>(b);
}
template <class T>
Motor<T> operator*(const Translator<T>& a, const Motor<T>& b) {
  return Motor<T>(a) * b;
}

// ---- incidence --------------------------------------------------------------------------------------------

template <class T>
Line<T> join(const Point<T>& a, const Point<T>& b) {
  return Line<T>(typename Line<T>::Base(a & b));
}
template <class T>
Plane<T> join(const Point<T>& point, const Line<T>& line) {
  return Plane<T>(typename Plane<T>::Base(point & line));
}
template <class T>
Plane<T> join(const Point<T>& a, const Point<T>& b, const Point<T>& c) {
  return join(a, join(b, c));
}
template <class T>
Line<T> meet(const Plane<T>& a, const Plane<T>& b) {
  return Line<T>(typename Line<T>::Base(a ^ b));
}
template <class T>
Point<T> meet(const Plane<T>& plane, const Line<T>& line) {
  return Point<T>(typename Point<T>::Base(plane ^ line));
}
template <class T>
Point<T> meet(const Plane<T>& a, const Plane<T>& b, const Plane<T>& c) {
  return Point<T>(typename Point<T>::Base((a ^ b) ^ c));
}

// The orthogonal projection of one object onto another; for a plane or line onto a point, the parallel object
// through the point.
template <class T>
Point<T> project(const Point<T>& x, const Plane<T>& onto) {
  return pga::project(x, onto);
}
template <class T>
Point<T> project(const Point<T>& x, const Line<T>& onto) {
  return pga::project(x, onto);
}
template <class T>
Line<T> project(const Line<T>& x, const Plane<T>& onto) {
  return pga::project(x, onto);
}
template <class T>
Line<T> project(const Line<T>& x, const Point<T>& onto) {
  return pga::project(x, onto);
}
template <class T>
Plane<T> project(const Plane<T>& x, const Point<T>& onto) {
  return pga::project(x, onto);
}

// ---- measure ----------------------------------------------------------------------------------------------

template <class T>
T distance(const Point<T>& a, const Point<T>& b) {
  return norm(a.normalized() & b.normalized());
}
template <class T>
T distance(const Point<T>& point, const Line<T>& line) {
  return norm(point.normalized() & line.normalized());
}
// Positive on the side the normal points to.
template <class T>
T signed_distance(const Point<T>& point, const Plane<T>& plane) {
  return -(point.normalized() & plane.normalized()).coefficient(0);
}
template <class T>
T distance(const Point<T>& point, const Plane<T>& plane) {
  return std::abs(signed_distance(point, plane));
}
template <class T>
T distance(const Line<T>& a, const Line<T>& b) {
  const Line<T> u = a.normalized();
  const Line<T> v = b.normalized();
  const T sine = norm(gcan::detail::restricted<kLineBlades, T>(commutator(u, v)));
  // For nearly parallel lines, the distance of a point on one line from the other.
  if (sine < std::sqrt(std::numeric_limits<T>::epsilon())) return distance(u.nearest_to_origin(), v);
  return std::abs((u & v).coefficient(0)) / sine;
}
// Zero unless they are parallel.
template <class T>
T distance(const Plane<T>& a, const Plane<T>& b) {
  const Line<T> common = meet(a.normalized(), b.normalized());
  return norm(common) > std::sqrt(std::numeric_limits<T>::epsilon()) ? T{0} : ideal_norm(common);
}

// In [0, pi]; between the normals of planes, the directions of lines.
template <class T>
T angle(const Plane<T>& a, const Plane<T>& b) {
  return std::atan2(norm(a ^ b), scalar_product(a, b));
}
template <class T>
T angle(const Line<T>& a, const Line<T>& b) {
  return std::atan2(norm(gcan::detail::restricted<kLineBlades, T>(commutator(a, b))), -scalar_product(a, b));
}
// Between a line and its projection onto the plane, in [0, pi / 2].
template <class T>
T angle(const Line<T>& line, const Plane<T>& plane) {
  return std::atan2(norm(plane ^ line), norm(plane | line));
}

// ---- matrices ---------------------------------------------------------------------------------------------

template <class T>
Matrix4<T> Motor<T>::matrix() const {
  Matrix4<T> m{};
  const std::array<Vec3<T>, 4> images = {
      (*this)(Direction<T>(1, 0, 0)).coordinates(), (*this)(Direction<T>(0, 1, 0)).coordinates(),
      (*this)(Direction<T>(0, 0, 1)).coordinates(), (*this)(Point<T>(0, 0, 0)).coordinates()};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) m[i][j] = images[j][i];
  }
  m[3][3] = 1;
  return m;
}

template <class T>
void Motor<T>::apply(std::span<const Vec3<T>> in, std::span<Vec3<T>> out) const {
  pga::require_same_size(in.size(), out.size());
  const Matrix4<T> m = matrix();
  constexpr std::size_t n = kPackSize<T>;
  std::array<std::array<Pack<T>, 4>, 3> c;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 4; ++j) c[k][j] = Pack<T>{} + m[k][j];
  }
  // Packs span several points: treats the points as one array of coordinates.
  const T* const first_in = reinterpret_cast<const T*>(in.data());
  T* const first_out = reinterpret_cast<T*>(out.data());
  std::size_t i = 0;
  for (; i + n <= in.size(); i += n) {
    const T* from = first_in + 3 * i;
    const auto [x, y, z] = deinterleave3<T>({load_pack(from), load_pack(from + n), load_pack(from + 2 * n)});
    std::array<Pack<T>, 3> moved;
    for (std::size_t k = 0; k < 3; ++k) moved[k] = c[k][0] * x + (c[k][1] * y + (c[k][2] * z + c[k][3]));
    moved = interleave3<T>(moved);
    for (std::size_t k = 0; k < 3; ++k) store_pack(moved[k], first_out + 3 * i + k * n);
  }
  for (; i < in.size(); ++i) {
    const Vec3<T> p = in[i];
    for (std::size_t k = 0; k < 3; ++k)
      out[i][k] = m[k][0] * p[0] + (m[k][1] * p[1] + (m[k][2] * p[2] + m[k][3]));
  }
}

template <class T>
Motor<T> Motor<T>::from_matrix(const Matrix4<T>& m) {
  const T tolerance = std::is_same_v<T, float> ? T(1e-4) : T(1e-8);
  T error = std::abs(m[3][0]) + std::abs(m[3][1]) + std::abs(m[3][2]) + std::abs(m[3][3] - 1);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3<T> row = {m[i][0], m[i][1], m[i][2]};
    const auto& a = m[(i + 1) % 3];
    const auto& b = m[(i + 2) % 3];
    const Vec3<T> cross = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    error += std::abs(pga::dot(row, row) - 1);
    for (std::size_t k = 0; k < 3; ++k) error += std::abs(cross[k] - row[k]);
  }
  if (!(error <= tolerance)) {
    throw Error(
        "the matrix is not a rigid motion: its 3x3 part must be orthonormal and right-handed and its last "
        "row 0 0 0 1");
  }
  // The rotor's coefficients from the largest of their four squares, which keeps every division away from 0.
  const T trace = m[0][0] + m[1][1] + m[2][2];
  const std::array<T, 4> squares = {trace, m[0][0], m[1][1], m[2][2]};
  const auto largest =
      static_cast<std::size_t>(std::max_element(squares.begin(), squares.end()) - squares.begin());
  std::array<T, 4> q{};  // 1, then the axis
  if (largest == 0) {
    q = {1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
  } else {
    const std::size_t i = largest - 1;
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    q[0] = m[k][j] - m[j][k];
    q[1 + i] = 1 + m[i][i] - m[j][j] - m[k][k];
    q[1 + j] = m[j][i] + m[i][j];
    q[1 + k] = m[k][i] + m[i][k];
  }
  const Rotor<T> rotor(typename Rotor<T>::Base({q[0], -q[3], q[2], -q[1]}));
  return translation({m[0][3], m[1][3], m[2][3]}) * Motor(rotor.normalized());
}

}  // namespace gcan::pga3d
