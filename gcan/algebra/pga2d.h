#pragma once

// Projective geometry of the plane in G(2,0,1): lines are vectors, points bivectors; reflections, rotors,
// translators and motors are the versors that move them.
//
//   using namespace gcan::pga2d;
//   const Point<> p = Motor<>::rotation(Point<>(1, 0), 0.5)(Point<>(2, 3));
//
// The line a x + b y + c = 0 is a e1 + b e2 + c e0. The point where x = px and y = py meet is their outer
// product: its coefficients on e01, e02 and e12 are (py, -px, 1).

#include "gcan/algebra/pga_element.h"

namespace gcan::pga2d {

template <class T>
using Vec2 = std::array<T, 2>;
// Row-major; acts on columns (x, y, 1).
template <class T>
using Matrix3 = std::array<std::array<T, 3>, 3>;

inline constexpr BladeSet kLineBlades = grade_blades(kPga2d, 1);
inline constexpr BladeSet kPointBlades = grade_blades(kPga2d, 2);
inline constexpr BladeSet kRotorBlades = pga::rotor_blades(kPga2d);
inline constexpr BladeSet kTranslatorBlades = pga::translator_blades(kPga2d);

// A point at infinity: a direction with a length, invariant under translations.
template <class T = double>
class Direction : public pga::Element<kPga2d, kPointBlades, Direction, T> {
 public:
  using Base = typename pga::Element<kPga2d, kPointBlades, Direction, T>::Base;
  using pga::Element<kPga2d, kPointBlades, Direction, T>::Element;
  constexpr Direction(T x, T y) : Direction(Base({y, -x, T{0}})) {}
  constexpr explicit Direction(const Vec2<T>& v) : Direction(v[0], v[1]) {}
  [[nodiscard]] constexpr T x() const { return -(*this)[1]; }
  [[nodiscard]] constexpr T y() const { return (*this)[0]; }
  [[nodiscard]] constexpr Vec2<T> coordinates() const { return {x(), y()}; }
  // Length 1; Error for the zero direction.
  [[nodiscard]] Direction normalized() const {
    const T length = std::hypot(x(), y());
    if (!(length > T{0})) throw Error("a direction of length 0 cannot be normalised");
    return Direction(x() / length, y() / length);
  }
};

// A point; its weight (the coefficient of e12) is 1 unless constructed otherwise.
template <class T = double>
class Point : public pga::Element<kPga2d, kPointBlades, Point, T> {
 public:
  using Base = typename pga::Element<kPga2d, kPointBlades, Point, T>::Base;
  using pga::Element<kPga2d, kPointBlades, Point, T>::Element;
  constexpr Point(T x, T y) : Point(Base({y, -x, T{1}})) {}
  constexpr explicit Point(const Vec2<T>& v) : Point(v[0], v[1]) {}
  [[nodiscard]] constexpr T weight() const { return (*this)[2]; }
  [[nodiscard]] constexpr T x() const { return -(*this)[1] / weight(); }
  [[nodiscard]] constexpr T y() const { return (*this)[0] / weight(); }
  [[nodiscard]] constexpr Vec2<T> coordinates() const { return {x(), y()}; }
  [[nodiscard]] constexpr bool at_infinity() const { return weight() == T{0}; }
  // Weight 1; Error for points at infinity.
  [[nodiscard]] Point normalized() const {
    if (at_infinity())
      throw Error("a point at infinity has weight 0 and cannot be normalised; use a Direction");
    return Point(Base(static_cast<const Base&>(*this) / weight()));
  }
};

// The line a x + b y + c = 0.
template <class T = double>
class Line : public pga::Element<kPga2d, kLineBlades, Line, T> {
 public:
  using Base = typename pga::Element<kPga2d, kLineBlades, Line, T>::Base;
  using pga::Element<kPga2d, kLineBlades, Line, T>::Element;
  constexpr Line(T a, T b, T c) : Line(Base({c, a, b})) {}
  Line(const Point<T>& point, const Direction<T>& direction)
      : Line(-direction.y(), direction.x(), direction.y() * point.x() - direction.x() * point.y()) {}
  [[nodiscard]] constexpr Vec2<T> normal() const { return {(*this)[1], (*this)[2]}; }
  // The normal rotated clockwise by a quarter turn.
  [[nodiscard]] constexpr Vec2<T> direction() const { return {(*this)[2], -(*this)[1]}; }
  [[nodiscard]] constexpr T offset() const { return (*this)[0]; }
};

// ---- motions ----------------------------------------------------------------------------------------------

// A rotation about the origin, counterclockwise by `angle` (radians).
template <class T = double>
class Rotor : public pga::VersorElement<kPga2d, kRotorBlades, Rotor, T> {
 public:
  using Base = typename pga::VersorElement<kPga2d, kRotorBlades, Rotor, T>::Base;
  using pga::VersorElement<kPga2d, kRotorBlades, Rotor, T>::VersorElement;
  constexpr Rotor() : Rotor(Base(T{1})) {}
  explicit Rotor(T angle) : Rotor(Base({std::cos(angle / 2), -std::sin(angle / 2)})) {}
  // In (-pi, pi].
  [[nodiscard]] T angle() const {
    const T sign = (*this)[0] < 0 ? T{-1} : T{1};
    return 2 * std::atan2(-sign * (*this)[1], sign * (*this)[0]);
  }
};

template <class T = double>
class Translator : public pga::VersorElement<kPga2d, kTranslatorBlades, Translator, T> {
 public:
  using Base = typename pga::VersorElement<kPga2d, kTranslatorBlades, Translator, T>::Base;
  using pga::VersorElement<kPga2d, kTranslatorBlades, Translator, T>::VersorElement;
  constexpr Translator() : Translator(Base(T{1})) {}
  constexpr explicit Translator(const Vec2<T>& t) : Translator(Base({T{1}, -t[0] / 2, -t[1] / 2})) {}
  [[nodiscard]] constexpr Vec2<T> displacement() const {
    const T s = -2 / (*this)[0];
    return {s * (*this)[1], s * (*this)[2]};
  }
};

// A coordinate frame: an origin and the angle of its first axis.
template <class T = double>
struct Frame {
  Vec2<T> origin{};
  T angle{};
};

// A rigid motion of the plane. Products compose: (a * b)(x) is a(b(x)).
template <class T = double>
class Motor : public pga::MotorElement<kPga2d, Motor, T> {
 public:
  using Base = typename pga::MotorElement<kPga2d, Motor, T>::Base;
  using pga::MotorElement<kPga2d, Motor, T>::MotorElement;
  constexpr Motor() : Motor(Base(T{1})) {}
  constexpr Motor(const Rotor<T>& rotor) : Motor(Base(rotor)) {}                 // NOLINT: is one
  constexpr Motor(const Translator<T>& translator) : Motor(Base(translator)) {}  // NOLINT: is one

  // Counterclockwise about a point.
  static Motor rotation(const Point<T>& centre, T angle) {
    return Motor(Base(exp(typename Point<T>::Base(centre.normalized() * (-angle / 2)))));
  }
  static Motor rotation(T angle) { return Rotor<T>(angle); }
  static Motor translation(const Vec2<T>& displacement) { return Translator<T>(displacement); }
  // The motion that maps one frame to the other.
  static Motor between(const Frame<T>& from, const Frame<T>& to) { return of_frame(to) * ~of_frame(from); }
  // From a matrix with an orthonormal right-handed 2x2 part and last row 0 0 1; Error for others.
  static Motor from_matrix(const Matrix3<T>& m) {
    const T tolerance = std::is_same_v<T, float> ? T(1e-4) : T(1e-8);
    const T error = std::abs(m[2][0]) + std::abs(m[2][1]) + std::abs(m[2][2] - 1) +
                    std::abs(m[0][0] - m[1][1]) + std::abs(m[0][1] + m[1][0]) +
                    std::abs(m[0][0] * m[0][0] + m[0][1] * m[0][1] - 1);
    if (!(error <= tolerance)) {
      throw Error(
          "the matrix is not a rigid motion: its 2x2 part must be orthonormal and right-handed and its last "
          "row 0 0 1");
    }
    return of_frame({{m[0][2], m[1][2]}, std::atan2(m[1][0], m[0][0])});
  }
  [[nodiscard]] Matrix3<T> matrix() const {
    const Vec2<T> x = (*this)(Direction<T>(1, 0)).coordinates();
    const Vec2<T> y = (*this)(Direction<T>(0, 1)).coordinates();
    const Vec2<T> origin = (*this)(Point<T>(0, 0)).coordinates();
    return {{{x[0], y[0], origin[0]}, {x[1], y[1], origin[1]}, {T{0}, T{0}, T{1}}}};
  }

  // The motor is translator() * rotor(): it rotates about the origin, then translates by displacement().
  [[nodiscard]] Rotor<T> rotor() const {
    return Rotor<T>(gcan::detail::restricted<kRotorBlades, T>(this->base())).normalized();
  }
  [[nodiscard]] Translator<T> translator() const {
    const auto turn = gcan::detail::restricted<kRotorBlades, T>(this->base());
    return Translator<T>(gcan::detail::restricted<kTranslatorBlades, T>(this->base() * gcan::inverse(turn)));
  }
  [[nodiscard]] Vec2<T> displacement() const { return translator().displacement(); }
  [[nodiscard]] T angle() const { return rotor().angle(); }

  Point<T> operator()(const Point<T>& x) const { return this->moved(x); }
  Direction<T> operator()(const Direction<T>& x) const { return this->moved(x); }
  Line<T> operator()(const Line<T>& x) const { return this->moved(x); }

 private:
  static Motor of_frame(const Frame<T>& frame) { return translation(frame.origin) * rotation(frame.angle); }
};

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

// The reflection in a line.
template <class T = double>
class Reflection : public pga::ReflectionElement<kPga2d, Reflection, Motor, T> {
 public:
  using Base = typename pga::ReflectionElement<kPga2d, Reflection, Motor, T>::Base;
  using pga::ReflectionElement<kPga2d, Reflection, Motor, T>::ReflectionElement;
  explicit Reflection(const Line<T>& line) : Reflection(Base(line.normalized())) {}
};

template <class T>
Motor<T> interpolate(const Motor<T>& from, const Motor<T>& to, T t) {
  return pga::interpolate(from, to, t);
}

// ---- incidence and measure --------------------------------------------------------------------------------

template <class T>
Line<T> join(const Point<T>& a, const Point<T>& b) {
  return Line<T>(typename Line<T>::Base(a & b));
}
template <class T>
Point<T> meet(const Line<T>& a, const Line<T>& b) {
  return Point<T>(typename Point<T>::Base(a ^ b));
}
// The orthogonal projection of a point onto a line; for a line onto a point, the parallel line through the
// point.
template <class T>
Point<T> project(const Point<T>& x, const Line<T>& onto) {
  return pga::project(x, onto);
}
template <class T>
Line<T> project(const Line<T>& x, const Point<T>& onto) {
  return pga::project(x, onto);
}

template <class T>
T distance(const Point<T>& a, const Point<T>& b) {
  return norm(a.normalized() & b.normalized());
}
// Positive on the side the normal points to.
template <class T>
T signed_distance(const Point<T>& point, const Line<T>& line) {
  return (point.normalized() & line.normalized()).coefficient(0);
}
template <class T>
T distance(const Point<T>& point, const Line<T>& line) {
  return std::abs(signed_distance(point, line));
}
// Zero unless they are parallel.
template <class T>
T distance(const Line<T>& a, const Line<T>& b) {
  const Point<T> common = meet(a.normalized(), b.normalized());
  return norm(common) > std::sqrt(std::numeric_limits<T>::epsilon()) ? T{0} : ideal_norm(common);
}
// Between the normals, in [0, pi].
template <class T>
T angle(const Line<T>& a, const Line<T>& b) {
  return std::atan2(norm(a ^ b), scalar_product(a, b));
}

}  // namespace gcan::pga2d
