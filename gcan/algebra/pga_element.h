#pragma once

// The common base of the geometric types in pga2d.h and pga3d.h.

#include <array>
#include <cmath>
#include <span>
#include <string>

#include "gcan/algebra/exponential.h"
#include "gcan/algebra/text.h"

namespace gcan::pga {

// Base of the multivectors with a geometric meaning. `Object<T>` derives from it, and operations that
// preserve the meaning preserve the type.
template <Signature S, BladeSet B, template <class> class Object, class T>
class Element : public Multivector<S, B, T> {
 public:
  using Base = Multivector<S, B, T>;
  constexpr Element() = default;
  constexpr explicit Element(const Base& coefficients) : Base(coefficients) {}

  // Same object, opposite orientation.
  constexpr Object<T> operator-() const { return Object<T>(-static_cast<const Base&>(*this)); }
  // Norm 1; Error for objects at infinity, which have none.
  [[nodiscard]] Object<T> normalized() const {
    return Object<T>(Base(gcan::normalized(static_cast<const Base&>(*this))));
  }
  void normalize() { static_cast<Object<T>&>(*this) = static_cast<const Object<T>&>(*this).normalized(); }
};

namespace detail {

// Which entries of the matrix of x -> v x ~v can be non-zero, for versors with the blades V and objects with
// the blades B: output blade i depends on input blade j.
template <Signature S, BladeSet V, BladeSet B>
inline constexpr auto kActionPattern = [] {
  std::array<std::array<bool, B.size()>, B.size()> pattern{};
  for (std::size_t j = 0; j < B.size(); ++j) {
    for (const Blade v : kOrderedBlades<S, V>) {
      for (const Blade w : kOrderedBlades<S, V>) {
        const SignedBlade vx = geometric(S, v, kOrderedBlades<S, B>[j]);
        const SignedBlade vxw = geometric(S, vx.blade, w);
        if (vx.sign == 0 || vxw.sign == 0 || !B.contains(vxw.blade)) continue;
        pattern[blade_position<S, B>(vxw.blade)][j] = true;
      }
    }
  }
  return pattern;
}();

}  // namespace detail

// The linear map x -> v x ~v of a unit even versor, computed once and applied to many objects of one type.
template <Signature S, BladeSet B, class T>
class LinearAction {
 public:
  template <BladeSet V>
  explicit LinearAction(const Multivector<S, V, T>& versor) {
    static_assert(V == even_blades(S));
    for (std::size_t j = 0; j < B.size(); ++j) {
      Multivector<S, B, T> unit;
      unit[j] = T{1};
      const auto image = gcan::detail::restricted<B, T>(versor * unit * ~versor);
      for (std::size_t i = 0; i < B.size(); ++i) matrix_[i][j] = image[i];
    }
  }

  [[gnu::always_inline]] constexpr Multivector<S, B, T> operator()(const Multivector<S, B, T>& x) const {
    constexpr auto& pattern = detail::kActionPattern<S, even_blades(S), B>;
    Multivector<S, B, T> y;
    for (std::size_t i = 0; i < B.size(); ++i) {
      T sum{};
      for (std::size_t j = 0; j < B.size(); ++j) {
        if (pattern[i][j]) sum += matrix_[i][j] * x[j];
      }
      y[i] = sum;
    }
    return y;
  }

 private:
  std::array<std::array<T, B.size()>, B.size()> matrix_{};
};

inline void require_same_size(std::size_t in, std::size_t out) {
  if (in == out) return;
  throw Error("an array of " + std::to_string(in) + " objects cannot be written to one of " +
              std::to_string(out));
}

// The blades of the logarithms of versors with these blades.
constexpr BladeSet log_blades(Signature s, BladeSet versor) { return versor & grade_blades(s, 2); }

// The logarithm of a versor: a bivector tagged with the type of the versor, which exp returns. Multiples and
// sums keep the tag.
template <Signature S, BladeSet B, template <class> class Versor, class T>
class Generator : public Multivector<S, log_blades(S, B), T> {
 public:
  using Base = Multivector<S, log_blades(S, B), T>;
  constexpr Generator() = default;
  constexpr explicit Generator(const Base& bivector) : Base(bivector) {}

  constexpr Generator operator-() const { return Generator(-base()); }
  friend constexpr Generator operator*(const Generator& x, T factor) { return Generator(x.base() * factor); }
  friend constexpr Generator operator*(T factor, const Generator& x) { return x * factor; }
  friend constexpr Generator operator/(const Generator& x, T divisor) {
    return Generator(x.base() / divisor);
  }
  friend constexpr Generator operator+(const Generator& a, const Generator& b) {
    return Generator(a.base() + b.base());
  }
  friend constexpr Generator operator-(const Generator& a, const Generator& b) { return a + -b; }
  friend Versor<T> exp(const Generator& x) {
    return Versor<T>(gcan::detail::restricted<B, T>(gcan::exp(x.base())));
  }

 private:
  constexpr const Base& base() const { return *this; }
};

// Base of rotors, translators and motors, which keep their type under the operations below. Products compose:
// (a * b)(x) is a(b(x)).
template <Signature S, BladeSet B, template <class> class Versor, class T>
class VersorElement : public Element<S, B, Versor, T> {
 public:
  using Base = typename Element<S, B, Versor, T>::Base;
  using Element<S, B, Versor, T>::Element;

  constexpr Versor<T> operator~() const { return Versor<T>(Base(~base())); }
  // The inverse motion; works for versors that are not normalised, too.
  [[nodiscard]] Versor<T> inverse() const {
    return Versor<T>(gcan::detail::restricted<B, T>(gcan::inverse(base())));
  }
  friend constexpr Versor<T> operator*(const Versor<T>& a, const Versor<T>& b) {
    return Versor<T>(
        gcan::detail::restricted<B, T>(static_cast<const Base&>(a) * static_cast<const Base&>(b)));
  }
  constexpr Versor<T>& operator*=(const Versor<T>& b) {
    auto& self = static_cast<Versor<T>&>(*this);
    return self = self * b;
  }
  friend Versor<T> inverse(const Versor<T>& x) { return x.inverse(); }
  // The bivector with exp(bivector) = x and the smallest angle.
  friend Generator<S, B, Versor, T> log(const Versor<T>& x) {
    return Generator<S, B, Versor, T>(
        gcan::detail::restricted<log_blades(S, B), T>(gcan::log(static_cast<const Base&>(x))));
  }
  // Halfway from 1 to x: sqrt(x) * sqrt(x) is x.
  friend Versor<T> sqrt(const Versor<T>& x) {
    return Versor<T>(gcan::detail::restricted<B, T>(gcan::sqrt(static_cast<const Base&>(x))));
  }

 protected:
  constexpr const Base& base() const { return *this; }
};

// Base of the motors of plane and space. Products compose: (a * b)(x) is a(b(x)). Applying a motor assumes
// that it is normalised.
template <Signature S, template <class> class Motor, class T>
class MotorElement : public VersorElement<S, even_blades(S), Motor, T> {
 public:
  using Versor = VersorElement<S, even_blades(S), Motor, T>;
  using Base = typename Versor::Base;
  using Versor::base;
  using Versor::Versor;

  // Transforms arrays of objects, also in place; Error if the sizes differ.
  template <class Object>
  void apply(std::span<const Object> in, std::span<Object> out) const {
    require_same_size(in.size(), out.size());
    const LinearAction<S, Object::kBladeSet, T> action(base());
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = Object(action(in[i]));
  }

 protected:
  template <class Object>
  Object moved(const Object& x) const {
    return Object(multiply_onto<Product::geometric, Object::kBladeSet>(base() * x, ~base()));
  }
};

// Base of the reflections of plane and space; the product of two is a motor.
//
// The versor's action reverses orientation and with it the sign of objects that are products of several
// planes. Here points keep their weight, and directions and normals are mirrored like vectors.
template <Signature S, template <class> class Reflection, template <class> class Motor, class T>
class ReflectionElement : public Element<S, grade_blades(S, 1), Reflection, T> {
 public:
  using Base = typename Element<S, grade_blades(S, 1), Reflection, T>::Base;
  using Element<S, grade_blades(S, 1), Reflection, T>::Element;

  friend constexpr Motor<T> operator*(const Reflection<T>& a, const Reflection<T>& b) {
    return Motor<T>(typename Motor<T>::Base(static_cast<const Base&>(a) * static_cast<const Base&>(b)));
  }
  template <class Object>
  Object operator()(const Object& x) const {
    using ObjectBase = typename Object::Base;
    const ObjectBase image(sandwich(static_cast<const Base&>(*this), static_cast<const ObjectBase&>(x)));
    return Object(gcan::grade(Object::kBlades[0]) == 1 ? image : -image);
  }
};

// The blades of rotations about the origin and of translations.
constexpr BladeSet rotor_blades(Signature s) {
  return blades_where(s, [s](Blade b) { return !is_odd(grade(b)) && (b & s.null_vectors()) == 0; });
}
constexpr BladeSet translator_blades(Signature s) {
  return blades_where(s, [s](Blade b) { return b == 0 || (grade(b) == 2 && (b & s.null_vectors()) != 0); });
}

// The motor at fraction t between `from` and `to`, along the shorter screw motion.
template <class Motor, class T>
Motor interpolate(const Motor& from, const Motor& to, T t) {
  auto step = ~from * to;
  if (step.coefficient(0) < 0) step = -step;
  using Base = typename Motor::Base;
  return Motor(Base(static_cast<const Base&>(from) * exp(log(static_cast<const Base&>(step)) * t)));
}

// (x | onto) onto^-1.
template <class Object, class Onto>
Object project(const Object& x, const Onto& onto) {
  const auto unit = onto.normalized();
  const auto back = gcan::detail::restricted<Object::kBladeSet, typename Object::Scalar>((x | unit) * ~unit);
  return Object(typename Object::Base(back));
}

template <class T, std::size_t N>
T dot(const std::array<T, N>& a, const std::array<T, N>& b) {
  T sum{};
  for (std::size_t i = 0; i < N; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace gcan::pga
