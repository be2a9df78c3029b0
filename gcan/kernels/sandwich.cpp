#include "gcan/kernels/sandwich.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "gcan/base/simd_targets.h"
#include "gcan/kernels/sandwich_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/sandwich.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

// ---- sandwiches of a vector of pairs
// ------------------------------------------------------------------------ A form evaluates m[output * inputs
// + input] += M(a), linear in each of its two arguments `l` and `r` (which are a and scale * a), and d +=
// half of the gradient of <g, M(a)> with respect to a.

// sum + coefficient * l * r; a sandwich has no other coefficients.
template <int kCoefficient, class V>
HWY_INLINE V add_product(V sum, V l, V r) {
  static_assert(kCoefficient >= -2 && kCoefficient <= 2 && kCoefficient != 0);
  if constexpr (kCoefficient == 2 || kCoefficient == -2) l = hn::Add(l, l);
  if constexpr (kCoefficient > 0) return hn::MulAdd(l, r, sum);
  if constexpr (kCoefficient < 0) return hn::NegMulAdd(l, r, sum);
}

// Unrolled: each term is one or two instructions on registers.
template <class T, class Table>
class FixedForm {
 public:
  using V = Vec<T>;
  explicit FixedForm(const SandwichPlan& /*plan*/) {}

  static constexpr std::size_t actions() { return Table::kActions.size(); }
  static constexpr std::size_t outputs() { return Table::kObjects.size(); }
  static constexpr std::size_t inputs() { return Table::kObjects.size(); }
  static constexpr std::size_t constants() { return Table::kConstants.size(); }
  static constexpr int norm_sign(std::size_t i) { return Table::kNormSigns[i]; }
  static constexpr bool kThreeByThree = outputs() == 3 && inputs() == 3;

  HWY_INLINE void matrix(const V* l, const V* r, V* m) const {
    each<Table::kTerms.size()>([&]<std::size_t k>()
                                   HWY_ATTR { evaluate<Table::kTerms[k], inputs()>(l, r, m); });
  }
  HWY_INLINE void constant_matrix(const V* l, const V* r, V* m) const {
    each<Table::kConstantTerms.size()>(
        [&]<std::size_t k>() HWY_ATTR { evaluate<Table::kConstantTerms[k], constants()>(l, r, m); });
  }
  HWY_INLINE void half_gradient(const V* a, const V* g, V* d) const {
    differentiate<Table::kTerms, inputs()>(a, g, d);
  }
  HWY_INLINE void constant_half_gradient(const V* a, const V* g, V* d) const {
    differentiate<Table::kConstantTerms, constants()>(a, g, d);
  }

  // Room for a vector per action (a, scaled, d), per entry of the matrix and of the constants' matrix. A
  // local variable of the loop over vectors, so that the compiler keeps it in registers.
  class Workspace {
   public:
    explicit Workspace(const FixedForm& /*form*/) {}
    V a[actions()], scaled[actions()], d[actions()];
    V m[outputs() * inputs()], t[outputs() * constants() + 1];
  };

 private:
  template <std::size_t N, class Body>
  static HWY_INLINE void each(const Body& body) {
    [&]<std::size_t... k>(std::index_sequence<k...>) HWY_ATTR { (body.template operator()<k>(), ...); }
    (std::make_index_sequence<N>());
  }
  template <SandwichTerm t, std::size_t kInputs>
  static HWY_INLINE void evaluate(const V* l, const V* r, V* m) {
    constexpr std::size_t entry = t.output * kInputs + t.input;
    m[entry] = add_product<t.coefficient>(m[entry], l[t.left], r[t.right]);
  }
  template <const auto& terms, std::size_t kInputs>
  static HWY_INLINE void differentiate(const V* a, const V* g, V* d) {
    each<terms.size()>([&]<std::size_t k>() HWY_ATTR { differentiate_product<terms, kInputs, k>(a, g, d); });
  }
  // Terms with the same product a_l a_r are taken together, with the first of them: the sum of their
  // gradients, then one multiplication for each of the two factors. Half of the derivative of a square's
  // coefficient
  // +-1 is +-1, and so is half of a mixed product's coefficient +-2.
  template <const auto& terms, std::size_t kInputs, std::size_t k>
  static HWY_INLINE void differentiate_product(const V* a, const V* g, V* d) {
    if constexpr (is_first_of_product(terms, k)) {
      constexpr SandwichTerm t = terms[k];
      constexpr int sign = t.coefficient > 0 ? 1 : -1;
      const V grad = add_grads<terms, kInputs, k, k + 1>(g, g[t.output * kInputs + t.input]);
      d[t.left] = add_product<sign>(d[t.left], grad, a[t.right]);
      if constexpr (t.left != t.right) d[t.right] = add_product<sign>(d[t.right], grad, a[t.left]);
    }
  }
  template <const auto& terms, std::size_t kInputs, std::size_t k, std::size_t i>
  static HWY_INLINE V add_grads(const V* g, V sum) {
    if constexpr (i < terms.size()) {
      constexpr SandwichTerm t = terms[k], other = terms[i];
      if constexpr (other.left == t.left && other.right == t.right) {
        const V grad = g[other.output * kInputs + other.input];
        sum = (other.coefficient > 0) == (t.coefficient > 0) ? hn::Add(sum, grad) : hn::Sub(sum, grad);
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

// For all other plans: reads the table for every vector.
template <class T>
class TableForm {
 public:
  using V = Vec<T>;
  explicit TableForm(const SandwichPlan& plan)
      : plan_(plan), memory_(hwy::AllocateAligned<V>(3 * actions() + outputs() * (inputs() + constants()))) {}

  std::size_t actions() const { return plan_.blades().actions.size(); }
  std::size_t outputs() const { return plan_.blades().outputs.size(); }
  std::size_t inputs() const { return plan_.blades().inputs.size(); }
  std::size_t constants() const { return plan_.blades().constants.size(); }
  int norm_sign(std::size_t i) const { return plan_.norm_signs()[i]; }
  static constexpr bool kThreeByThree = false;

  void matrix(const V* l, const V* r, V* m) const { evaluate(plan_.terms(), inputs(), l, r, m); }
  void constant_matrix(const V* l, const V* r, V* m) const {
    evaluate(plan_.constant_terms(), constants(), l, r, m);
  }
  void half_gradient(const V* a, const V* g, V* d) const { differentiate(plan_.terms(), inputs(), a, g, d); }
  void constant_half_gradient(const V* a, const V* g, V* d) const {
    differentiate(plan_.constant_terms(), constants(), a, g, d);
  }

  class Workspace {
   public:
    explicit Workspace(const TableForm& form)
        : a(form.memory_.get()),
          scaled(a + form.actions()),
          d(scaled + form.actions()),
          m(d + form.actions()),
          t(m + form.outputs() * form.inputs()) {}
    V *a, *scaled, *d, *m, *t;
  };

 private:
  static V coefficient(const SandwichTerm& t) { return hn::Set(Tag<T>(), static_cast<T>(t.coefficient)); }
  static void evaluate(const std::vector<SandwichTerm>& terms, std::size_t inputs, const V* l, const V* r,
                       V* m) {
    for (const SandwichTerm& t : terms) {
      V& entry = m[static_cast<std::size_t>(t.output) * inputs + static_cast<std::size_t>(t.input)];
      entry = hn::MulAdd(hn::Mul(coefficient(t), l[t.left]), r[t.right], entry);
    }
  }
  static void differentiate(const std::vector<SandwichTerm>& terms, std::size_t inputs, const V* a,
                            const V* g, V* d) {
    for (const SandwichTerm& t : terms) {
      const V grad = g[static_cast<std::size_t>(t.output) * inputs + static_cast<std::size_t>(t.input)];
      const V half = t.coefficient > 0 ? grad : hn::Neg(grad);
      d[t.left] = hn::MulAdd(half, a[t.right], d[t.left]);
      if (t.left != t.right) d[t.right] = hn::MulAdd(half, a[t.left], d[t.right]);
    }
  }
  const SandwichPlan& plan_;
  hwy::AlignedFreeUniquePtr<V[]> memory_;
};

// ---- memory
// ---------------------------------------------------------------------------------------------------

// How many pairs of a vector exist: all of them, which the compiler then knows, or fewer.
struct Whole {};
struct Part {
  std::size_t count;
};

template <class T>
HWY_INLINE Vec<T> load(Whole /*all*/, const T* from) {
  return hn::LoadU(Tag<T>(), from);
}
// Zeros behind the last pair; never reads further.
template <class T>
HWY_INLINE Vec<T> load(Part part, const T* from) {
  HWY_ALIGN T lanes[hn::MaxLanes(Tag<T>())] = {};
  std::copy_n(from, part.count, lanes);
  return hn::Load(Tag<T>(), lanes);
}
template <class T>
HWY_INLINE void store(Whole /*all*/, Vec<T> v, T* to) {
  hn::StoreU(v, Tag<T>(), to);
}
template <class T>
HWY_INLINE void store(Part part, Vec<T> v, T* to) {
  HWY_ALIGN T lanes[hn::MaxLanes(Tag<T>())];
  hn::Store(v, Tag<T>(), lanes);
  std::copy_n(lanes, part.count, to);
}
template <class T>
HWY_INLINE Vec<T> zero_behind(Whole /*all*/, Vec<T> v) {
  return v;
}
template <class T>
HWY_INLINE Vec<T> zero_behind(Part part, Vec<T> v) {
  return hn::IfThenElseZero(hn::FirstN(Tag<T>(), part.count), v);
}

// Three vectors to and from memory where their lanes alternate.
template <class T>
HWY_INLINE void store_threes(const Vec<T>* v, T* to) {
  hn::StoreInterleaved3(v[0], v[1], v[2], Tag<T>(), to);
}
template <class T>
HWY_INLINE void load_threes(const T* from, Vec<T>* v) {
  hn::LoadInterleaved3(Tag<T>(), from, v[0], v[1], v[2]);
}
#if HWY_TARGET <= HWY_AVX3
// Two shuffles per vector, where Highway takes more. Row p holds the lanes of a and b (16 + lane) that make
// up vector p, then the lanes of that and of c (16 + lane).
template <bool kStore>
inline constexpr auto kThrees = [] {
  std::array<std::array<std::array<int, 16>, 2>, 3> lanes{};
  for (int p = 0; p < 3; ++p) {
    for (int k = 0; k < 16; ++k) {
      const int place = 16 * p + k;
      const int from = kStore ? place % 3 * 16 + place / 3 : 3 * k + p;
      lanes[p][0][k] = from < 32 ? from : 0;
      lanes[p][1][k] = from < 32 ? k : from - 16;
    }
  }
  return lanes;
}();
template <bool kStore>
HWY_INLINE Vec<float> pick_threes(int p, Vec<float> a, Vec<float> b, Vec<float> c) {
  const __m512i first = _mm512_loadu_si512(kThrees<kStore>[p][0].data());
  const __m512i second = _mm512_loadu_si512(kThrees<kStore>[p][1].data());
  return Vec<float>{_mm512_permutex2var_ps(_mm512_permutex2var_ps(a.raw, first, b.raw), second, c.raw)};
}
HWY_INLINE void store_threes(const Vec<float>* v, float* to) {
  for (int p = 0; p < 3; ++p) {
    hn::StoreU(pick_threes<true>(p, v[0], v[1], v[2]), Tag<float>(), to + 16 * p);
  }
}
HWY_INLINE void load_threes(const float* from, Vec<float>* v) {
  const Tag<float> d;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + 16), c = hn::LoadU(d, from + 32);
  for (int p = 0; p < 3; ++p) v[p] = pick_threes<false>(p, a, b, c);
}
#endif

// to[c * parts + v] = from[v * stride + c]; returns how many columns were done, whole vectors only.
template <class T>
std::size_t interleave_vectors(const T* from, std::size_t stride, std::size_t parts, std::size_t columns,
                               T* to) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d), whole = columns / lanes * lanes;
  const auto part = [&](std::size_t v, std::size_t c)
                        HWY_ATTR { return hn::LoadU(d, from + v * stride + c); };
  for (std::size_t c = 0; c < whole; c += lanes) {
    switch (parts) {
      case 1: hn::StoreU(part(0, c), d, to + c); break;
      case 2: hn::StoreInterleaved2(part(0, c), part(1, c), d, to + 2 * c); break;
      case 3: hn::StoreInterleaved3(part(0, c), part(1, c), part(2, c), d, to + 3 * c); break;
      case 4: hn::StoreInterleaved4(part(0, c), part(1, c), part(2, c), part(3, c), d, to + 4 * c); break;
      default: return 0;
    }
  }
  return whole;
}

// to[v * stride + c] = from[c * parts + v]
template <class T>
std::size_t deinterleave_vectors(const T* from, std::size_t stride, std::size_t parts, std::size_t columns,
                                 T* to) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d), whole = columns / lanes * lanes;
  if (parts > 4) return 0;
  for (std::size_t c = 0; c < whole; c += lanes) {
    auto v0 = hn::Zero(d), v1 = v0, v2 = v0, v3 = v0;
    switch (parts) {
      case 1: v0 = hn::LoadU(d, from + c); break;
      case 2: hn::LoadInterleaved2(d, from + 2 * c, v0, v1); break;
      case 3: hn::LoadInterleaved3(d, from + 3 * c, v0, v1, v2); break;
      default: hn::LoadInterleaved4(d, from + 4 * c, v0, v1, v2, v3); break;
    }
    hn::StoreU(v0, d, to + c);
    if (parts > 1) hn::StoreU(v1, d, to + stride + c);
    if (parts > 2) hn::StoreU(v2, d, to + 2 * stride + c);
    if (parts > 3) hn::StoreU(v3, d, to + 3 * stride + c);
  }
  return whole;
}

// ---- the walk over the pairs
// ----------------------------------------------------------------------------------

// Some columns of a row, small enough that their blocks stay in the first-level cache.
struct Piece {
  std::size_t row, first_column, columns;
};

template <class T, class Form>
class Walk {
 public:
  using V = Vec<T>;

  explicit Walk(const SandwichInputs<T>& inputs)
      : form_(inputs.plan),
        layout_(inputs.layout),
        columns_(static_cast<std::size_t>(layout_.columns)),
        positions_(static_cast<std::size_t>(layout_.positions)),
        divide_(inputs.inverse.kind != Inverse::reverse),
        epsilon_(static_cast<T>(used_epsilon(inputs.inverse.kind, inputs.inverse.epsilon))),
        in_(inputs),
        plane_(static_cast<std::size_t>(layout_.pairs())),
        piece_columns_(std::max<std::size_t>(1, 256 / positions_)),
        stride_(hwy::RoundUpTo(piece_columns_ * positions_, hn::Lanes(Tag<T>()))),
        stage_(hwy::AllocateAligned<T>(form_.outputs() * form_.inputs() * stride_)) {
    spread_delta();
    if (inputs.inverse.kind == Inverse::regularized) find_diagonal(inputs.plan.blades());
    direct_ = Form::kThreeByThree && positions_ == 1 && columns_ % hn::Lanes(Tag<T>()) == 0 &&
              !layout_.transposed_blocks && diagonal_.empty();
  }

  bool assemble(const SandwichOutputs<T>& out, std::size_t first, std::size_t last) {
    V zero = hn::Zero(Tag<T>());
    auto sums = hwy::AllocateAligned<V>(form_.outputs());
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t y = 0; y < form_.outputs(); ++y) sums[y] = hn::Zero(Tag<T>());
      for_each_piece(row, [&](const Piece& piece) HWY_ATTR {
        zero = hn::Add(zero,
                       fill_blocks(piece, out.bias ? sums.get() : nullptr, direct_ ? out.kernel : nullptr));
        if (direct_) return;
        move_blocks(piece, [&](std::size_t parts, T* staged, std::size_t offset)
                               HWY_ATTR { interleave(staged, parts, piece.columns, out.kernel + offset); });
      });
      if (!out.bias) continue;
      for (std::size_t y = 0; y < form_.outputs(); ++y) {
        out.bias[row * form_.outputs() + y] = hn::GetLane(hn::SumOfLanes(Tag<T>(), sums[y]));
      }
    }
    return hn::GetLane(hn::SumOfLanes(Tag<T>(), zero)) == T{0} &&
           std::all_of(delta_.begin(), delta_.end(), [](T x) { return std::isfinite(x); });
  }

  void differentiate(const SandwichGradients<T>& grad, std::size_t first, std::size_t last) {
    if (grad.bias) delta_gradient_.assign(delta_.size(), T{0});
    for (std::size_t row = first; row < last; ++row) {
      for_each_piece(row, [&](const Piece& piece) HWY_ATTR {
        if (!direct_) {
          move_blocks(piece, [&](std::size_t parts, T* staged, std::size_t offset) HWY_ATTR {
            deinterleave(grad.kernel + offset, parts, piece.columns, staged);
          });
        }
        differentiate_blocks(piece, grad);
      });
    }
    if (grad.bias) gather_delta(grad.delta);
  }

 private:
  // The entries of M that the identity has too.
  void find_diagonal(const SandwichPlan::Blades& blades) {
    for (std::size_t e = 0; e < form_.outputs() * form_.inputs(); ++e) {
      if (blades.outputs[e / form_.inputs()] == blades.inputs[e % form_.inputs()]) diagonal_.push_back(e);
    }
  }
  // delta for every pair of a row, so that vectors of pairs can read it: (constants, groups * columns *
  // positions).
  void spread_delta() {
    if (!in_.delta) return;
    const std::size_t channels = static_cast<std::size_t>(layout_.groups) * columns_, n = form_.constants();
    delta_plane_ = channels * positions_;
    delta_.assign(n * delta_plane_, T{0});
    for (std::size_t i = 0; i < channels; ++i) {
      for (std::size_t c = 0; c < n; ++c) {
        std::fill_n(&delta_[c * delta_plane_ + i * positions_], positions_, in_.delta[i * n + c]);
      }
    }
  }
  void gather_delta(T* to) const {
    const std::size_t channels = static_cast<std::size_t>(layout_.groups) * columns_, n = form_.constants();
    for (std::size_t i = 0; i < channels; ++i) {
      for (std::size_t c = 0; c < n; ++c) {
        const T* from = &delta_gradient_[c * delta_plane_ + i * positions_];
        for (std::size_t k = 0; k < positions_; ++k) to[i * n + c] += from[k];
      }
    }
  }
  // Where a piece's pairs lie in delta_.
  std::size_t delta_offset(const Piece& piece) const {
    const auto group = piece.row / static_cast<std::size_t>(layout_.rows / layout_.groups);
    return (group * columns_ + piece.first_column) * positions_;
  }

  template <class Body>
  HWY_INLINE void for_each_piece(std::size_t row, const Body& body) const {
    for (std::size_t c = 0; c < columns_; c += piece_columns_) {
      body(Piece{row, c, std::min(piece_columns_, columns_ - c)});
    }
  }

  // What the loops over a piece's vectors need, as a local variable: members would be read anew after every
  // store, since vectors may alias anything.
  struct Frame {
    Frame(const Walk& walk, const Piece& piece)
        : divide(walk.divide_),
          transposed(walk.layout_.transposed_blocks),
          plane(walk.plane_),
          stride(walk.stride_),
          epsilon(walk.epsilon_),
          start((piece.row * walk.columns_ + piece.first_column) * walk.positions_),
          pairs(piece.columns * walk.positions_),
          action(walk.in_.action + start),
          weight(walk.in_.weight + start),
          stage(walk.stage_.get()),
          delta(walk.delta_.data() + (walk.in_.delta ? walk.delta_offset(piece) : 0)),
          delta_plane(walk.delta_plane_),
          line(walk.columns_ * 3),
          blocks(piece.row * 3 * line + piece.first_column * 3) {}
    const bool divide, transposed;
    const std::size_t plane, stride;
    const T epsilon;
    const std::size_t start, pairs;
    const T *const action, *const weight;
    T* const stage;
    const T* const delta;
    const std::size_t delta_plane;
    const std::size_t line, blocks;  // of the kernel where it is reached directly: see direct_

    // epsilon with the sign of the divisor, which is that of <a ~a>.
    HWY_INLINE V shift(V divisor) const { return hn::CopySign(hn::Set(Tag<T>(), epsilon), divisor); }
  };

  // Where entry e = output * inputs + input of the blocks is staged.
  HWY_INLINE T* staged(const Frame& f, std::size_t e) const {
    const std::size_t line = f.transposed ? e % form_.inputs() * form_.outputs() + e / form_.inputs() : e;
    return f.stage + line * f.stride;
  }

  // Loads the actions of a vector of pairs; returns what M is to be divided by.
  template <class Count>
  HWY_INLINE V load_action(const Frame& f, std::size_t j, Count count, V* a) const {
    const Tag<T> d;
    V norm = hn::Zero(d);
    for (std::size_t i = 0; i < form_.actions(); ++i) {
      a[i] = load(count, f.action + i * f.plane + j);
      if (!f.divide || form_.norm_sign(i) == 0) continue;
      norm = form_.norm_sign(i) > 0 ? hn::MulAdd(a[i], a[i], norm) : hn::NegMulAdd(a[i], a[i], norm);
    }
    return f.divide ? hn::Add(norm, f.shift(norm)) : hn::Set(d, T{1});
  }
  // weight / divisor, and zero behind the last pair, where the divisor may be zero.
  template <class Count>
  HWY_INLINE V load_scale(const Frame& f, std::size_t j, Count count, V divisor) const {
    const V scale = load(count, f.weight + j);
    return f.divide ? zero_behind<T>(count, hn::Div(scale, divisor)) : scale;
  }

  // Returns 0 times all scaled actions: nan when one is not finite.
  HWY_INLINE V fill_blocks(const Piece& piece, V* sums, T* kernel) {
    const Frame f(*this, piece);
    const std::size_t lanes = hn::Lanes(Tag<T>());
    V zero = hn::Zero(Tag<T>());
    std::size_t j = 0;
    for (; j + lanes <= f.pairs; j += lanes) zero = fill_vector(f, j, Whole{}, zero, sums, kernel);
    return j < f.pairs ? fill_vector(f, j, Part{f.pairs - j}, zero, sums, kernel) : zero;
  }

  template <class Count>
  HWY_INLINE V fill_vector(const Frame& f, std::size_t j, Count count, V zero, V* sums, T* kernel) const {
    const Tag<T> d;
    const std::size_t entries = form_.outputs() * form_.inputs();
    typename Form::Workspace room(form_);
    const V divisor = load_action(f, j, count, room.a);
    const V scale = load_scale(f, j, count, divisor);
    for (std::size_t i = 0; i < form_.actions(); ++i) {
      room.scaled[i] = hn::Mul(scale, room.a[i]);
      zero = hn::MulAdd(hn::Zero(d), room.scaled[i], zero);
    }
    for (std::size_t e = 0; e < entries; ++e) room.m[e] = hn::Zero(d);
    form_.matrix(room.scaled, room.a, room.m);
    if (Form::kThreeByThree && kernel) {
      store_blocks(f, j, room.m, kernel);
    } else {
      for (std::size_t e = 0; e < entries; ++e) hn::Store(room.m[e], d, staged(f, e) + j);
      for (const std::size_t e : diagonal_) {
        T* const entry = staged(f, e) + j;
        hn::Store(hn::MulAdd(scale, f.shift(divisor), hn::Load(d, entry)), d, entry);
      }
    }
    if (sums) add_constants(f, j, count, room, sums);
    return zero;
  }

  // sums[y] += sum_c T_yc delta_c
  template <class Count>
  HWY_INLINE void add_constants(const Frame& f, std::size_t j, Count count, typename Form::Workspace& room,
                                V* sums) const {
    const std::size_t n = form_.constants();
    for (std::size_t e = 0; e < form_.outputs() * n; ++e) room.t[e] = hn::Zero(Tag<T>());
    form_.constant_matrix(room.scaled, room.a, room.t);
    for (std::size_t c = 0; c < n; ++c) {
      const V delta = load(count, f.delta + c * f.delta_plane + j);
      for (std::size_t y = 0; y < form_.outputs(); ++y) {
        sums[y] = hn::MulAdd(room.t[y * n + c], delta, sums[y]);
      }
    }
  }

  // Blocks of three by three go between registers and the kernel without the stage.
  HWY_INLINE static void store_blocks(const Frame& f, std::size_t j, const V* m, T* kernel) {
    for (std::size_t u = 0; u < 3; ++u) store_threes(m + 3 * u, kernel + f.blocks + u * f.line + 3 * j);
  }
  HWY_INLINE static void load_blocks(const Frame& f, std::size_t j, const T* kernel, V* m) {
    for (std::size_t u = 0; u < 3; ++u) load_threes(kernel + f.blocks + u * f.line + 3 * j, m + 3 * u);
  }

  HWY_INLINE void differentiate_blocks(const Piece& piece, const SandwichGradients<T>& wanted) {
    const Frame f(*this, piece);
    SandwichGradients<T> grad = wanted;
    grad.action += f.start;
    grad.weight += f.start;
    if (grad.bias) {
      grad.bias += piece.row * form_.outputs();
      grad.delta = delta_gradient_.data() + delta_offset(piece);
    }
    const std::size_t lanes = hn::Lanes(Tag<T>());
    std::size_t j = 0;
    for (; j + lanes <= f.pairs; j += lanes) differentiate_vector(f, j, Whole{}, grad);
    if (j < f.pairs) differentiate_vector(f, j, Part{f.pairs - j}, grad);
  }

  // With G the kernel's gradient, D the divisor and 2 d the gradient of <G, M(a)>: Euler's theorem on the
  // quadratic M gives <G, M> = sum_i a_i d_i, which saves evaluating M. Then the weight's gradient is
  // <G, M> / D, the action's weight / D (2 d_i - <G, M> / D dD/da_i), and dD/da_i = 2 norm_sign_i a_i. A
  // diagonal shift adds its part to <G, M>.
  template <class Count>
  HWY_INLINE void differentiate_vector(const Frame& f, std::size_t j, Count count,
                                       const SandwichGradients<T>& grad) const {
    const Tag<T> d;
    typename Form::Workspace room(form_);
    const V divisor = load_action(f, j, count, room.a);
    const V scale = load_scale(f, j, count, divisor);
    for (std::size_t i = 0; i < form_.actions(); ++i) room.d[i] = hn::Zero(d);
    if (grad.bias) differentiate_constants(f, j, count, grad, scale, room);
    if (Form::kThreeByThree && direct_) {
      load_blocks(f, j, grad.kernel, room.m);
    } else {
      for (std::size_t e = 0; e < form_.outputs() * form_.inputs(); ++e) {
        room.m[e] = hn::Load(d, staged(f, e) + j);
      }
    }
    form_.half_gradient(room.a, room.m, room.d);
    V product = hn::Zero(d);
    for (std::size_t i = 0; i < form_.actions(); ++i) product = hn::MulAdd(room.a[i], room.d[i], product);
    for (const std::size_t e : diagonal_) {
      product = hn::MulAdd(hn::Load(d, staged(f, e) + j), f.shift(divisor), product);
    }
    if (f.divide) product = hn::Div(product, divisor);
    store<T>(count, product, grad.weight + j);
    const V twice = hn::Add(scale, scale);
    for (std::size_t i = 0; i < form_.actions(); ++i) {
      V own = room.d[i];
      if (f.divide && form_.norm_sign(i) > 0) own = hn::NegMulAdd(product, room.a[i], own);
      if (f.divide && form_.norm_sign(i) < 0) own = hn::MulAdd(product, room.a[i], own);
      store<T>(count, hn::Mul(twice, own), grad.action + i * f.plane + j);
    }
  }

  // The bias is weight / D sum_yc T_yc delta_c. Its part of d, and the gradient of delta by Euler's theorem:
  // with 2 e the gradient of sum_y g_y T_yc, that sum is sum_i a_i e_i.
  template <class Count>
  HWY_INLINE void differentiate_constants(const Frame& f, std::size_t j, Count count,
                                          const SandwichGradients<T>& grad, V scale,
                                          typename Form::Workspace& room) const {
    const Tag<T> d;
    const std::size_t n = form_.constants();
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t i = 0; i < form_.actions(); ++i) room.scaled[i] = hn::Zero(d);
      for (std::size_t e = 0; e < form_.outputs() * n; ++e) {
        room.t[e] = e % n == c ? hn::Set(d, grad.bias[e / n]) : hn::Zero(d);
      }
      form_.constant_half_gradient(room.a, room.t, room.scaled);
      const V delta = load(count, f.delta + c * f.delta_plane + j);
      V sum = hn::Zero(d);
      for (std::size_t i = 0; i < form_.actions(); ++i) {
        sum = hn::MulAdd(room.a[i], room.scaled[i], sum);
        room.d[i] = hn::MulAdd(delta, room.scaled[i], room.d[i]);
      }
      T* const total = grad.delta + c * f.delta_plane + j;
      store<T>(count, hn::MulAdd(scale, sum, load(count, static_cast<const T*>(total))), total);
    }
  }

  // Calls move(parts, staged, offset) for each u of a piece's blocks: `parts` staged lines belong to the
  // kernel's columns * parts * positions numbers from `offset`.
  template <class Move>
  HWY_INLINE void move_blocks(const Piece& piece, const Move& move) {
    const std::size_t outer = layout_.transposed_blocks ? form_.inputs() : form_.outputs();
    const std::size_t parts = layout_.transposed_blocks ? form_.outputs() : form_.inputs();
    for (std::size_t u = 0; u < outer; ++u) {
      const std::size_t line = (piece.row * outer + u) * columns_ + piece.first_column;
      move(parts, stage_.get() + u * parts * stride_, line * parts * positions_);
    }
  }
  void interleave(const T* staged, std::size_t parts, std::size_t columns, T* to) const {
    std::size_t c = positions_ == 1 ? interleave_vectors(staged, stride_, parts, columns, to) : 0;
    for (; c < columns; ++c) {
      for (std::size_t v = 0; v < parts; ++v) {
        copy_short(staged + v * stride_ + c * positions_, to + (c * parts + v) * positions_);
      }
    }
  }
  void deinterleave(const T* from, std::size_t parts, std::size_t columns, T* staged) const {
    std::size_t c = positions_ == 1 ? deinterleave_vectors(from, stride_, parts, columns, staged) : 0;
    for (; c < columns; ++c) {
      for (std::size_t v = 0; v < parts; ++v) {
        copy_short(from + (c * parts + v) * positions_, staged + v * stride_ + c * positions_);
      }
    }
  }
  // One kernel's positions, mostly 1 or 9: a call of memmove would take longer than the copy, and of a number
  // that the compiler knows it makes two or three instructions.
  HWY_INLINE void copy_short(const T* from, T* to) const {
    if (positions_ == 9) {
      std::memcpy(to, from, 9 * sizeof(T));
      return;
    }
    to[0] = from[0];
    for (std::size_t k = 1; k < positions_; ++k) to[k] = from[k];
  }

  const Form form_;
  const PairLayout layout_;
  const std::size_t columns_, positions_;
  const bool divide_;
  const T epsilon_;
  const SandwichInputs<T> in_;
  const std::size_t plane_;  // pairs of the whole layer: the distance between two blades of the action
  const std::size_t piece_columns_, stride_;
  hwy::AlignedFreeUniquePtr<T[]> stage_;  // (U * V, stride)
  std::vector<std::size_t> diagonal_;     // empty unless the inverse shifts it
  bool direct_ = false;                   // blocks bypass the stage
  std::size_t delta_plane_ = 0;
  std::vector<T> delta_, delta_gradient_;
};

// Calls work(walk) with the walk that suits the plan.
template <class T, class Work>
void with_walk(const SandwichInputs<T>& inputs, const Work& work) {
  using Points = MotorsOnPoints<kPga3d>;
  using Vectors = RotorsOnVectors<Signature{3, 0, 0}>;
  const SandwichPlan::Blades& blades = inputs.plan.blades();
  if (Points::matches(blades)) {
    Walk<T, FixedForm<T, Points>> walk(inputs);
    work(walk);
  } else if (Vectors::matches(blades)) {
    Walk<T, FixedForm<T, Vectors>> walk(inputs);
    work(walk);
  } else {
    Walk<T, TableForm<T>> walk(inputs);
    work(walk);
  }
}

template <class T>
bool assemble(const SandwichInputs<T>& in, const SandwichOutputs<T>& out, std::size_t first,
              std::size_t last) {
  bool finite = false;
  with_walk(in, [&](auto& walk) { finite = walk.assemble(out, first, last); });
  return finite;
}
template <class T>
void differentiate(const SandwichInputs<T>& in, const SandwichGradients<T>& gradients, std::size_t first,
                   std::size_t last) {
  with_walk(in, [&](auto& walk) { walk.differentiate(gradients, first, last); });
}

// Highway's tables hold functions, not templates.
bool assemble_float(const SandwichInputs<float>& in, const SandwichOutputs<float>& out, std::size_t first,
                    std::size_t last) {
  return assemble(in, out, first, last);
}
bool assemble_double(const SandwichInputs<double>& in, const SandwichOutputs<double>& out, std::size_t first,
                     std::size_t last) {
  return assemble(in, out, first, last);
}
void differentiate_float(const SandwichInputs<float>& in, const SandwichGradients<float>& gradients,
                         std::size_t first, std::size_t last) {
  differentiate(in, gradients, first, last);
}
void differentiate_double(const SandwichInputs<double>& in, const SandwichGradients<double>& gradients,
                          std::size_t first, std::size_t last) {
  differentiate(in, gradients, first, last);
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

HWY_EXPORT(assemble_float);
HWY_EXPORT(assemble_double);
HWY_EXPORT(differentiate_float);
HWY_EXPORT(differentiate_double);

template <>
bool assemble_sandwich(const SandwichInputs<float>& inputs, const SandwichOutputs<float>& outputs,
                       std::int64_t first, std::int64_t last) {
  return HWY_DYNAMIC_DISPATCH(assemble_float)(inputs, outputs, static_cast<std::size_t>(first),
                                              static_cast<std::size_t>(last));
}
template <>
bool assemble_sandwich(const SandwichInputs<double>& inputs, const SandwichOutputs<double>& outputs,
                       std::int64_t first, std::int64_t last) {
  return HWY_DYNAMIC_DISPATCH(assemble_double)(inputs, outputs, static_cast<std::size_t>(first),
                                               static_cast<std::size_t>(last));
}
template <>
void sandwich_gradient(const SandwichInputs<float>& inputs, const SandwichGradients<float>& gradients,
                       std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(differentiate_float)
  (inputs, gradients, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
}
template <>
void sandwich_gradient(const SandwichInputs<double>& inputs, const SandwichGradients<double>& gradients,
                       std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(differentiate_double)
  (inputs, gradients, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
}

}  // namespace gcan::kernels
#endif
