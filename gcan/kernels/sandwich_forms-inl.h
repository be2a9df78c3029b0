// Sandwiches of vectors of pairs, and their gradients. Included once per instruction set, hence Highway's
// form of include guard.
#if defined(GCAN_KERNELS_SANDWICH_FORMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GCAN_KERNELS_SANDWICH_FORMS_INL_H_
#undef GCAN_KERNELS_SANDWICH_FORMS_INL_H_
#else
#define GCAN_KERNELS_SANDWICH_FORMS_INL_H_
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "gcan/algebra/sandwich_plan.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

// N consecutive vectors of pairs.
template <class T, std::size_t N>
struct Bundle {
  using Number = T;
  static constexpr std::size_t kVectors = N;
  Vec<T> at[N];
};

// The bundle whose vector n is make(n).
template <class B, class Make>
HWY_INLINE B bundle(const Make& make) {
  B result;
  [&]<std::size_t... n>(std::index_sequence<n...>) HWY_ATTR { ((result.at[n] = make(n)), ...); }
  (std::make_index_sequence<B::kVectors>());
  return result;
}
template <class B>
HWY_INLINE B all(typename B::Number x) {
  return bundle<B>([&](std::size_t) HWY_ATTR { return hn::Set(Tag<typename B::Number>(), x); });
}
template <class T, std::size_t N>
HWY_INLINE Bundle<T, N> operator+(Bundle<T, N> a, Bundle<T, N> b) {
  return bundle<Bundle<T, N>>([&](std::size_t n) HWY_ATTR { return hn::Add(a.at[n], b.at[n]); });
}
template <class T, std::size_t N>
HWY_INLINE Bundle<T, N> operator-(Bundle<T, N> a, Bundle<T, N> b) {
  return bundle<Bundle<T, N>>([&](std::size_t n) HWY_ATTR { return hn::Sub(a.at[n], b.at[n]); });
}
template <class T, std::size_t N>
HWY_INLINE Bundle<T, N> operator*(Bundle<T, N> a, Bundle<T, N> b) {
  return bundle<Bundle<T, N>>([&](std::size_t n) HWY_ATTR { return hn::Mul(a.at[n], b.at[n]); });
}
template <class T, std::size_t N>
HWY_INLINE Bundle<T, N> operator/(Bundle<T, N> a, Bundle<T, N> b) {
  return bundle<Bundle<T, N>>([&](std::size_t n) HWY_ATTR { return hn::Div(a.at[n], b.at[n]); });
}
// sum + a b, and sum - a b
template <class T, std::size_t N>
HWY_INLINE Bundle<T, N> plus_product(Bundle<T, N> sum, Bundle<T, N> a, Bundle<T, N> b) {
  return bundle<Bundle<T, N>>([&](std::size_t n)
                                  HWY_ATTR { return hn::MulAdd(a.at[n], b.at[n], sum.at[n]); });
}
template <class T, std::size_t N>
HWY_INLINE Bundle<T, N> minus_product(Bundle<T, N> sum, Bundle<T, N> a, Bundle<T, N> b) {
  return bundle<Bundle<T, N>>([&](std::size_t n)
                                  HWY_ATTR { return hn::NegMulAdd(a.at[n], b.at[n], sum.at[n]); });
}

// A form has lines() distinct entries of M, or of the constants' matrix: entry output * inputs + input is
// line line_of(entry); line lines() is zero. Its functions are
//   matrix(l, r, room)            room.m = M(a), linear in each of its two arguments l and r, a and scale * a
//   gather(grads, room)           room.m = for each line the sum of grads(entry) over its entries
//   half_gradient(a, room)        room.d += half of the gradient of the sum of room.m * M's lines
// and the same for constants, where `gather` is for constant c only.

// Unrolled: each term is one or two instructions on registers.
template <class T, class Table>
class FixedForm {
 public:
  static constexpr std::size_t kVectors = 1;
  explicit FixedForm(const SandwichPlan& /*plan*/) {}

  static constexpr std::size_t actions() { return Table::kActions.size(); }
  static constexpr std::size_t outputs() { return Table::kObjects.size(); }
  static constexpr std::size_t inputs() { return Table::kObjects.size(); }
  static constexpr std::size_t constants() { return Table::kConstants.size(); }
  static constexpr std::size_t lines() { return outputs() * inputs(); }
  static constexpr std::size_t line_of(std::size_t entry) { return entry; }
  static constexpr bool is_diagonal(std::size_t line) { return line % (inputs() + 1) == 0; }
  static constexpr int norm_sign(std::size_t i) { return Table::kNormSigns[i]; }
  static constexpr bool kThreeByThree = outputs() == 3 && inputs() == 3;

  // A local variable of the loop over vectors, which the compiler keeps in registers.
  template <class B>
  class Workspace {
   public:
    explicit Workspace(const FixedForm& /*form*/) {}
    B a[actions()], scaled[actions()], d[actions()];
    B m[outputs() * inputs()], t[outputs() * constants() + 1];
  };

  template <class B>
  HWY_INLINE void matrix(const B* l, const B* r, Workspace<B>& room) const {
    for (B& entry : room.m) entry = all<B>(0);
    each<Table::kTerms.size()>([&]<std::size_t k>()
                                   HWY_ATTR { evaluate<Table::kTerms[k], inputs()>(l, r, room.m); });
  }
  template <class B, class Grads>
  HWY_INLINE void gather(const Grads& grads, Workspace<B>& room) const {
    for (std::size_t e = 0; e < lines(); ++e) room.m[e] = grads(e);
  }
  template <class B>
  HWY_INLINE void half_gradient(const B* a, Workspace<B>& room) const {
    differentiate<Table::kTerms, inputs()>(a, room.m, room.d);
  }

  // to[output] += sum over the constants c of T_(output, c) delta(c)
  template <class B, class Delta>
  HWY_INLINE void add_constants(const B* l, const B* r, Workspace<B>& room, const Delta& delta, B* to) const {
    for (B& entry : room.t) entry = all<B>(0);
    each<Table::kConstantTerms.size()>(
        [&]<std::size_t k>() HWY_ATTR { evaluate<Table::kConstantTerms[k], constants()>(l, r, room.t); });
    for (std::size_t c = 0; c < constants(); ++c) {
      const B value = delta(c);
      for (std::size_t y = 0; y < outputs(); ++y) {
        to[y] = plus_product(to[y], room.t[y * constants() + c], value);
      }
    }
  }
  // d = half of the gradient of sum over the outputs y of grads[y] T_yc
  template <class B>
  HWY_INLINE void constant_half_gradient(const B* a, std::size_t c, const typename B::Number* grads,
                                         Workspace<B>& room, B* d) const {
    for (std::size_t e = 0; e < outputs() * constants(); ++e) {
      room.t[e] = all<B>(e % constants() == c ? grads[e / constants()] : 0);
    }
    for (std::size_t i = 0; i < actions(); ++i) d[i] = all<B>(0);
    differentiate<Table::kConstantTerms, constants()>(a, room.t, d);
  }

 private:
  template <std::size_t N, class Body>
  static HWY_INLINE void each(const Body& body) {
    [&]<std::size_t... k>(std::index_sequence<k...>) HWY_ATTR { (body.template operator()<k>(), ...); }
    (std::make_index_sequence<N>());
  }
  // sum + coefficient * l * r; a sandwich has no other coefficients.
  template <int kCoefficient, class B>
  static HWY_INLINE B add_product(B sum, B l, B r) {
    static_assert(kCoefficient >= -2 && kCoefficient <= 2 && kCoefficient != 0);
    if constexpr (kCoefficient == 2 || kCoefficient == -2) l = l + l;
    if constexpr (kCoefficient > 0) return plus_product(sum, l, r);
    if constexpr (kCoefficient < 0) return minus_product(sum, l, r);
  }
  template <SandwichTerm t, std::size_t kInputs, class B>
  static HWY_INLINE void evaluate(const B* l, const B* r, B* m) {
    constexpr std::size_t entry = t.output * kInputs + t.input;
    m[entry] = add_product<t.coefficient>(m[entry], l[t.left], r[t.right]);
  }
  template <const auto& terms, std::size_t kInputs, class B>
  static HWY_INLINE void differentiate(const B* a, const B* g, B* d) {
    each<terms.size()>([&]<std::size_t k>() HWY_ATTR { differentiate_product<terms, kInputs, k>(a, g, d); });
  }
  // Terms with the same product a_l a_r are combined at the first of them: the sum of their gradients, then
  // one multiplication for each of the two factors. Half of the derivative of a square's coefficient +-1 is
  // +-1, and so is half of a mixed product's coefficient +-2.
  template <const auto& terms, std::size_t kInputs, std::size_t k, class B>
  static HWY_INLINE void differentiate_product(const B* a, const B* g, B* d) {
    if constexpr (is_first_of_product(terms, k)) {
      constexpr SandwichTerm t = terms[k];
      constexpr int sign = t.coefficient > 0 ? 1 : -1;
      const B grad = add_grads<terms, kInputs, k, k + 1>(g, g[t.output * kInputs + t.input]);
      d[t.left] = add_product<sign>(d[t.left], grad, a[t.right]);
      if constexpr (t.left != t.right) d[t.right] = add_product<sign>(d[t.right], grad, a[t.left]);
    }
  }
  template <const auto& terms, std::size_t kInputs, std::size_t k, std::size_t i, class B>
  static HWY_INLINE B add_grads(const B* g, B sum) {
    if constexpr (i < terms.size()) {
      constexpr SandwichTerm t = terms[k], other = terms[i];
      if constexpr (other.left == t.left && other.right == t.right) {
        const B grad = g[other.output * kInputs + other.input];
        sum = (other.coefficient > 0) == (t.coefficient > 0) ? sum + grad : sum - grad;
      }
      return add_grads<terms, kInputs, k, i + 1>(g, sum);
    } else {
      return sum;
    }
  }
  template <class Terms>
  static constexpr bool is_first_of_product(const Terms& terms, std::size_t k) {
    for (std::size_t i = 0; i < k; ++i) {
      if (terms[i].left == terms[k].left && terms[i].right == terms[k].right) return false;
    }
    return true;
  }
};

// For all other plans: interprets the plan's sums for several vectors at once, so that reading the plan costs
// little.
template <class T>
class TableForm {
 public:
  static constexpr std::size_t kVectors = 4;
  explicit TableForm(const SandwichPlan& plan)
      : blades_(plan.blades()),
        sums_(plan.sums()),
        constant_sums_(plan.constant_sums()),
        norm_signs_(plan.norm_signs()),
        products_(std::max(sums_.products.size(), constant_sums_.products.size())),
        memory_(hwy::AllocateAligned<Vec<T>>(
            kVectors * (3 * actions() + lines() + constant_sums_.sums.size() + products_))) {
    is_diagonal_.resize(lines());
    for (const int line : sums_.on_diagonal) is_diagonal_[static_cast<std::size_t>(line)] = 1;
  }

  std::size_t actions() const { return blades_.actions.size(); }
  std::size_t outputs() const { return blades_.outputs.size(); }
  std::size_t inputs() const { return blades_.inputs.size(); }
  std::size_t constants() const { return blades_.constants.size(); }
  std::size_t lines() const { return sums_.sums.size(); }
  std::size_t line_of(std::size_t entry) const { return static_cast<std::size_t>(sums_.of_entry[entry]); }
  bool is_diagonal(std::size_t line) const { return is_diagonal_[line] != 0; }
  int norm_sign(std::size_t i) const { return norm_signs_[i]; }
  static constexpr bool kThreeByThree = false;

  template <class B>
  class Workspace {
   public:
    explicit Workspace(const TableForm& form)
        : a(reinterpret_cast<B*>(form.memory_.get())),
          scaled(a + form.actions()),
          d(scaled + form.actions()),
          m(d + form.actions()),
          t(m + form.lines()),
          products(t + form.constant_sums_.sums.size()) {}
    B *a, *scaled, *d, *m, *t, *products;
  };

  template <class B>
  HWY_INLINE void matrix(const B* l, const B* r, Workspace<B>& room) const {
    evaluate(sums_, l, r, room.products, room.m);
  }
  template <class B, class Grads>
  HWY_INLINE void gather(const Grads& grads, Workspace<B>& room) const {
    for (std::size_t s = 0; s < lines(); ++s) {
      B sum = all<B>(0);
      for (const int entry : sums_.entries_of.added(s)) sum = sum + grads(static_cast<std::size_t>(entry));
      room.m[s] = sum;
    }
  }
  template <class B>
  HWY_INLINE void half_gradient(const B* a, Workspace<B>& room) const {
    differentiate(sums_, a, room.m, room.products, room.d);
  }

  template <class B, class Delta>
  HWY_INLINE void add_constants(const B* l, const B* r, Workspace<B>& room, const Delta& delta, B* to) const {
    evaluate(constant_sums_, l, r, room.products, room.t);
    for (std::size_t e = 0; e < outputs() * constants(); ++e) {
      const auto sum = static_cast<std::size_t>(constant_sums_.of_entry[e]);
      if (sum == constant_sums_.sums.size()) continue;
      const std::size_t y = e / constants();
      to[y] = plus_product(to[y], room.t[sum], delta(e % constants()));
    }
  }
  template <class B>
  HWY_INLINE void constant_half_gradient(const B* a, std::size_t c, const typename B::Number* grads,
                                         Workspace<B>& room, B* d) const {
    for (std::size_t s = 0; s < constant_sums_.sums.size(); ++s) {
      T sum = 0;
      for (const int entry : constant_sums_.entries_of.added(s)) {
        const auto e = static_cast<std::size_t>(entry);
        if (e % constants() == c) sum += grads[e / constants()];
      }
      room.t[s] = all<B>(sum);
    }
    for (std::size_t i = 0; i < actions(); ++i) d[i] = all<B>(0);
    differentiate(constant_sums_, a, room.t, room.products, d);
  }

 private:
  template <class B>
  static HWY_INLINE B sum_of(const SignedRows& rows, std::size_t row, const B* numbers) {
    B sum = all<B>(0);
    for (const int i : rows.added(row)) sum = sum + numbers[i];
    for (const int i : rows.subtracted(row)) sum = sum - numbers[i];
    return sum;
  }
  template <class B>
  static void evaluate(const SandwichSums& sums, const B* l, const B* r, B* products, B* results) {
    for (std::size_t k = 0; k < sums.products.size(); ++k) {
      const auto [left, right] = sums.products[k];
      const B product = l[left] * r[right];
      products[k] = left == right ? product : product + product;
    }
    for (std::size_t s = 0; s < sums.sums.size(); ++s) results[s] = sum_of(sums.sums, s, products);
  }
  // Half of the derivative of a product by one of its actions is the other action, for a square and for twice
  // the product of two.
  template <class B>
  static void differentiate(const SandwichSums& sums, const B* a, const B* grads, B* products, B* d) {
    for (std::size_t k = 0; k < sums.products.size(); ++k) products[k] = sum_of(sums.sums_with, k, grads);
    int next = 0;
    for (std::size_t i = 0; i < sums.partner_ends.size(); ++i) {
      B sum = d[i];
      for (; next < sums.partner_ends[i]; ++next) {
        const auto [product, other] = sums.partners[static_cast<std::size_t>(next)];
        sum = plus_product(sum, products[product], a[other]);
      }
      d[i] = sum;
    }
  }

  const SandwichPlan::Blades& blades_;
  const SandwichSums &sums_, &constant_sums_;
  const std::vector<int>& norm_signs_;
  std::vector<char> is_diagonal_;
  std::size_t products_;
  hwy::AlignedFreeUniquePtr<Vec<T>[]> memory_;
};

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#endif
