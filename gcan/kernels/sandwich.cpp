#include "gcan/kernels/sandwich.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "gcan/base/simd_targets.h"
#include "gcan/kernels/sandwich_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/sandwich.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include "gcan/kernels/interleave-inl.h"
#include "gcan/kernels/sandwich_forms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// The number of valid pairs in a vector: all of them, as a compile-time constant, or fewer.
struct Whole {};
struct Part {
  std::size_t count;
};

template <class B, class T>
HWY_INLINE B load(Whole /*all*/, const T* from) {
  const Tag<T> d;
  return bundle<B>([&](std::size_t n) HWY_ATTR { return hn::LoadU(d, from + n * hn::Lanes(d)); });
}
// Zeros after the last pair; never reads further.
template <class B, class T>
HWY_INLINE B load(Part part, const T* from) {
  static_assert(B::kVectors == 1);
  HWY_ALIGN T lanes[hn::MaxLanes(Tag<T>())] = {};
  std::copy_n(from, part.count, lanes);
  return {{hn::Load(Tag<T>(), lanes)}};
}
template <class B, class T>
HWY_INLINE void store(Whole /*all*/, const B& v, T* to) {
  const Tag<T> d;
  for (std::size_t n = 0; n < B::kVectors; ++n) hn::StoreU(v.at[n], d, to + n * hn::Lanes(d));
}
template <class B, class T>
HWY_INLINE void store(Part part, const B& v, T* to) {
  static_assert(B::kVectors == 1);
  HWY_ALIGN T lanes[hn::MaxLanes(Tag<T>())];
  hn::Store(v.at[0], Tag<T>(), lanes);
  std::copy_n(lanes, part.count, to);
}
template <class B>
HWY_INLINE B zero_behind(Whole /*all*/, const B& v) {
  return v;
}
template <class B>
HWY_INLINE B zero_behind(Part part, const B& v) {
  return {{hn::IfThenElseZero(hn::FirstN(Tag<typename B::Number>(), part.count), v.at[0])}};
}

// Stores and loads three vectors with interleaved lanes.
template <class T>
HWY_INLINE void store_threes(const Bundle<T, 1>* v, T* to) {
  const Tag<Bits<T>> d;
  const Word<Bits<T>> words[] = {hn::BitCast(d, v[0].at[0]), hn::BitCast(d, v[1].at[0]),
                                 hn::BitCast(d, v[2].at[0])};
  store_parts<3>(words, bits(to));
}
template <class T>
HWY_INLINE void load_threes(const T* from, Bundle<T, 1>* v) {
  Word<Bits<T>> words[3];
  load_parts<3>(bits(from), words);
  for (std::size_t p = 0; p < 3; ++p) v[p].at[0] = hn::BitCast(Tag<T>(), words[p]);
}

// Some columns of a row, whose blocks stay in the L1 cache.
struct Piece {
  std::size_t row, first_column, columns;
};

template <class T, class Form>
class Walk {
 public:
  explicit Walk(const SandwichInputs<T>& inputs)
      : form_(inputs.plan),
        layout_(inputs.layout),
        columns_(static_cast<std::size_t>(layout_.columns)),
        positions_(static_cast<std::size_t>(layout_.positions)),
        divide_(inputs.inverse.kind != Inverse::reverse),
        epsilon_(static_cast<T>(used_epsilon(inputs.inverse.kind, inputs.inverse.epsilon))),
        in_(inputs),
        plane_(static_cast<std::size_t>(layout_.pairs())),
        piece_columns_(std::max<std::size_t>(1, piece_pairs(entries()) / positions_)),
        stride_(hwy::RoundUpTo(piece_columns_ * positions_, hn::Lanes(Tag<T>()))),
        stage_(hwy::AllocateAligned<T>(std::max(entries(), form_.lines() + 1) * stride_)),
        lines_(entries()),
        sums_(hwy::AllocateAligned<Vec<T>>(form_.outputs() * (Form::kVectors + 1))) {
    spread_delta();
    for (std::size_t line = 0; line < form_.lines(); ++line) {
      if (inputs.inverse.kind == Inverse::regularized && form_.is_diagonal(line)) diagonal_.push_back(line);
    }
    direct_ = Form::kThreeByThree && positions_ == 1 && columns_ % hn::Lanes(Tag<T>()) == 0 &&
              !layout_.transposed_blocks;
  }

  bool assemble(const SandwichOutputs<T>& out, std::size_t first, std::size_t last) {
    Vec<T> zero = hn::Zero(Tag<T>());
    std::fill_n(stage_.get() + form_.lines() * stride_, stride_, T{0});
    stage_entries([&](std::size_t entry) { return form_.line_of(entry); });
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t n = 0; n < form_.outputs() * (Form::kVectors + 1); ++n) {
        sums_[n] = hn::Zero(Tag<T>());
      }
      for_each_piece(row, [&](const Piece& piece) HWY_ATTR {
        zero = hn::Add(zero, fill_blocks(piece, out.bias != nullptr, direct_ ? out.kernel : nullptr));
        if (direct_) return;
        move_blocks(piece, [&](std::size_t parts, T* const* staged, std::size_t offset) HWY_ATTR {
          interleave_blocks(staged, parts, piece.columns, out.kernel + offset);
        });
      });
      if (!out.bias) continue;
      for (std::size_t y = 0; y < form_.outputs(); ++y) {
        out.bias[row * form_.outputs() + y] = total_of_output(y);
      }
    }
    return hn::GetLane(hn::SumOfLanes(Tag<T>(), zero)) == T{0} &&
           std::all_of(delta_.begin(), delta_.end(), [](T x) { return std::isfinite(x); });
  }

  void differentiate(const SandwichGradients<T>& grad, std::size_t first, std::size_t last) {
    if (grad.bias) delta_gradient_.assign(delta_.size(), T{0});
    stage_entries([](std::size_t entry) { return entry; });
    for (std::size_t row = first; row < last; ++row) {
      for_each_piece(row, [&](const Piece& piece) HWY_ATTR {
        if (!direct_) {
          move_blocks(piece, [&](std::size_t parts, T* const* staged, std::size_t offset) HWY_ATTR {
            deinterleave_blocks(grad.kernel + offset, parts, piece.columns, staged);
          });
        }
        differentiate_blocks(piece, grad);
      });
    }
    if (grad.bias) gather_delta(grad.delta);
  }

 private:
  // A piece is processed in bundles of pairs, the rest in vectors.
  using Many = Bundle<T, Form::kVectors>;
  using One = Bundle<T, 1>;

  [[nodiscard]] std::size_t entries() const { return form_.outputs() * form_.inputs(); }
  // The number of pairs whose blocks stay in the L1 cache.
  static std::size_t piece_pairs(std::size_t entries) {
    constexpr std::size_t kNumbers = 8192, kStep = 64, kMost = 256;
    return std::clamp(kNumbers / entries / kStep * kStep, kStep, kMost);
  }
  // The staging memory of the entries: line_of(entry) lines after the first.
  template <class LineOf>
  void stage_entries(const LineOf& line_of) {
    const bool transposed = layout_.transposed_blocks;
    for (std::size_t y = 0; y < form_.outputs(); ++y) {
      for (std::size_t x = 0; x < form_.inputs(); ++x) {
        const std::size_t at = transposed ? x * form_.outputs() + y : y * form_.inputs() + x;
        lines_[at] = stage_.get() + line_of(y * form_.inputs() + x) * stride_;
      }
    }
  }
  // The sums of a row's outputs: a bundle for each output, then a vector for each.
  template <class B>
  B* sums() const {
    return reinterpret_cast<B*>(sums_.get() +
                                (B::kVectors == 1 ? Form::kVectors * form_.outputs() : std::size_t{0}));
  }
  T total_of_output(std::size_t y) const {
    Vec<T> sum = sums_[Form::kVectors * form_.outputs() + y];
    for (std::size_t n = 0; n < Form::kVectors; ++n) sum = hn::Add(sum, sums_[Form::kVectors * y + n]);
    return hn::GetLane(hn::SumOfLanes(Tag<T>(), sum));
  }
  // delta for every pair of a row, to be read by vectors of pairs: (constants, groups * columns * positions).
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
  // The offset of a piece's pairs in delta_.
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

  // The data for loops over a piece's vectors, as a local variable: members would be reloaded after every
  // store, because vectors may alias anything.
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
    const std::size_t line, blocks;  // of the kernel if it is accessed directly: see direct_

    // epsilon with the sign of <a ~a>, the sign of the divisor.
    template <class B>
    HWY_INLINE B shift(const B& divisor) const {
      const Tag<T> d;
      return bundle<B>([&](std::size_t n)
                           HWY_ATTR { return hn::CopySign(hn::Set(d, epsilon), divisor.at[n]); });
    }
  };

  // Loads the actions of a bundle of pairs; returns the divisor of M.
  template <class B, class Count>
  HWY_INLINE B load_action(const Frame& f, std::size_t j, Count count, B* a) const {
    B norm = all<B>(0);
    for (std::size_t i = 0; i < form_.actions(); ++i) {
      a[i] = load<B>(count, f.action + i * f.plane + j);
      if (!f.divide || form_.norm_sign(i) == 0) continue;
      norm = form_.norm_sign(i) > 0 ? plus_product(norm, a[i], a[i]) : minus_product(norm, a[i], a[i]);
    }
    return f.divide ? norm + f.shift(norm) : all<B>(1);
  }
  // weight / divisor, and zero after the last pair, where the divisor may be zero.
  template <class B, class Count>
  HWY_INLINE B load_scale(const Frame& f, std::size_t j, Count count, const B& divisor) const {
    const B scale = load<B>(count, f.weight + j);
    return f.divide ? zero_behind(count, scale / divisor) : scale;
  }

  // Returns 0 times the sum of all scaled actions: nan if one is not finite.
  HWY_INLINE Vec<T> fill_blocks(const Piece& piece, bool with_bias, T* kernel) const {
    const Frame f(*this, piece);
    Vec<T> zero = hn::Zero(Tag<T>());
    const std::size_t lanes = hn::Lanes(Tag<T>());
    std::size_t j = 0;
    if constexpr (Form::kVectors > 1) {
      for (; j + Many::kVectors * lanes <= f.pairs; j += Many::kVectors * lanes) {
        zero = fill_bundle<Many>(f, j, Whole{}, zero, with_bias, kernel);
      }
    }
    for (; j + lanes <= f.pairs; j += lanes) zero = fill_bundle<One>(f, j, Whole{}, zero, with_bias, kernel);
    if (j < f.pairs) zero = fill_bundle<One>(f, j, Part{f.pairs - j}, zero, with_bias, kernel);
    return zero;
  }

  template <class B, class Count>
  HWY_INLINE Vec<T> fill_bundle(const Frame& f, std::size_t j, Count count, Vec<T> zero, bool with_bias,
                                T* kernel) const {
    const Tag<T> d;
    typename Form::template Workspace<B> room(form_);
    const B divisor = load_action(f, j, count, room.a);
    const B scale = load_scale(f, j, count, divisor);
    for (std::size_t i = 0; i < form_.actions(); ++i) {
      room.scaled[i] = scale * room.a[i];
      for (const Vec<T>& v : room.scaled[i].at) zero = hn::MulAdd(hn::Zero(d), v, zero);
    }
    form_.matrix(room.scaled, room.a, room);
    for (const std::size_t line : diagonal_) {
      room.m[line] = plus_product(room.m[line], scale, f.shift(divisor));
    }
    bool stored = false;
    if constexpr (Form::kThreeByThree) {
      stored = kernel != nullptr;
      if (stored) store_blocks(f, j, room.m, kernel);
    }
    for (std::size_t line = 0; !stored && line < form_.lines(); ++line) {
      store(Whole{}, room.m[line], f.stage + line * f.stride + j);
    }
    if (!with_bias) return zero;
    const auto delta = [&](std::size_t c)
                           HWY_ATTR { return load<B>(count, f.delta + c * f.delta_plane + j); };
    form_.add_constants(room.scaled, room.a, room, delta, sums<B>());
    return zero;
  }

  // Blocks of 3 x 3 bypass the stage.
  template <class B>
  HWY_INLINE static void store_blocks(const Frame& f, std::size_t j, const B* m, T* kernel) {
    for (std::size_t u = 0; u < 3; ++u) store_threes(m + 3 * u, kernel + f.blocks + u * f.line + 3 * j);
  }
  template <class B>
  HWY_INLINE static void load_blocks(const Frame& f, std::size_t j, const T* kernel, B* m) {
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
    if constexpr (Form::kVectors > 1) {
      for (; j + Many::kVectors * lanes <= f.pairs; j += Many::kVectors * lanes) {
        differentiate_bundle<Many>(f, j, Whole{}, grad);
      }
    }
    for (; j + lanes <= f.pairs; j += lanes) differentiate_bundle<One>(f, j, Whole{}, grad);
    if (j < f.pairs) differentiate_bundle<One>(f, j, Part{f.pairs - j}, grad);
  }

  // With G the kernel's gradient, D the divisor and 2 d the gradient of <G, M(a)>: Euler's theorem on the
  // quadratic M gives <G, M> = sum_i a_i d_i, which saves evaluating M. Then the weight's gradient is <G, M>
  // / D, the action's weight / D (2 d_i - <G, M> / D dD/da_i), and dD/da_i = 2 norm_sign_i a_i. A diagonal
  // shift contributes to <G, M>.
  template <class B, class Count>
  HWY_INLINE void differentiate_bundle(const Frame& f, std::size_t j, Count count,
                                       const SandwichGradients<T>& grad) const {
    typename Form::template Workspace<B> room(form_);
    const B divisor = load_action(f, j, count, room.a);
    const B scale = load_scale(f, j, count, divisor);
    for (std::size_t i = 0; i < form_.actions(); ++i) room.d[i] = all<B>(0);
    if (grad.bias) differentiate_constants(f, j, count, grad, scale, room);
    const auto staged = [&](std::size_t entry)
                            HWY_ATTR { return load<B>(Whole{}, f.stage + entry * f.stride + j); };
    if constexpr (Form::kThreeByThree) {
      direct_ ? load_blocks(f, j, grad.kernel, room.m) : form_.gather(staged, room);
    } else {
      form_.gather(staged, room);
    }
    form_.half_gradient(room.a, room);
    B product = all<B>(0);
    for (std::size_t i = 0; i < form_.actions(); ++i) product = plus_product(product, room.a[i], room.d[i]);
    for (const std::size_t line : diagonal_) {
      product = plus_product(product, room.m[line], f.shift(divisor));
    }
    if (f.divide) product = product / divisor;
    store(count, product, grad.weight + j);
    const B twice = scale + scale;
    for (std::size_t i = 0; i < form_.actions(); ++i) {
      B own = room.d[i];
      if (f.divide && form_.norm_sign(i) > 0) own = minus_product(own, product, room.a[i]);
      if (f.divide && form_.norm_sign(i) < 0) own = plus_product(own, product, room.a[i]);
      store(count, twice * own, grad.action + i * f.plane + j);
    }
  }

  // The bias is weight / D sum_yc T_yc delta_c. Its contribution to d, and the gradient of delta by Euler's
  // theorem: with 2 e the gradient of sum_y g_y T_yc, that sum is sum_i a_i e_i.
  template <class B, class Count>
  HWY_INLINE void differentiate_constants(const Frame& f, std::size_t j, Count count,
                                          const SandwichGradients<T>& grad, const B& scale,
                                          typename Form::template Workspace<B>& room) const {
    for (std::size_t c = 0; c < form_.constants(); ++c) {
      form_.constant_half_gradient(room.a, c, grad.bias, room, room.scaled);
      const B delta = load<B>(count, f.delta + c * f.delta_plane + j);
      B sum = all<B>(0);
      for (std::size_t i = 0; i < form_.actions(); ++i) {
        sum = plus_product(sum, room.a[i], room.scaled[i]);
        room.d[i] = plus_product(room.d[i], delta, room.scaled[i]);
      }
      T* const total = grad.delta + c * f.delta_plane + j;
      store(count, plus_product(load<B>(count, static_cast<const T*>(total)), scale, sum), total);
    }
  }

  // Calls move(parts, staged, offset) for each u of a piece's blocks: `parts` staged lines correspond to the
  // kernel's columns * parts * positions numbers from `offset`.
  template <class Move>
  HWY_INLINE void move_blocks(const Piece& piece, const Move& move) {
    const std::size_t outer = layout_.transposed_blocks ? form_.inputs() : form_.outputs();
    const std::size_t parts = layout_.transposed_blocks ? form_.outputs() : form_.inputs();
    for (std::size_t u = 0; u < outer; ++u) {
      const std::size_t line = (piece.row * outer + u) * columns_ + piece.first_column;
      move(parts, lines_.data() + u * parts, line * parts * positions_);
    }
  }
  void interleave_blocks(T* const* staged, std::size_t parts, std::size_t columns, T* to) const {
    if (positions_ == 1) return interleave(staged, parts, columns, to);
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t v = 0; v < parts; ++v) {
        copy_short(staged[v] + c * positions_, to + (c * parts + v) * positions_);
      }
    }
  }
  void deinterleave_blocks(const T* from, std::size_t parts, std::size_t columns, T* const* staged) const {
    if (positions_ == 1) return deinterleave(from, parts, columns, staged);
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t v = 0; v < parts; ++v) {
        copy_short(from + (c * parts + v) * positions_, staged[v] + c * positions_);
      }
    }
  }
  // Copies the positions of one kernel, mostly 1 or 9: calling memmove would take longer than the copy, and
  // for a constant number the compiler emits two or three instructions.
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
  const std::size_t plane_;  // pairs of the layer: the distance between two blades of the action
  const std::size_t piece_columns_, stride_;
  hwy::AlignedFreeUniquePtr<T[]> stage_;  // (U * V or more, stride)
  std::vector<T*> lines_;                 // (U, V): the staged line of each entry
  hwy::AlignedFreeUniquePtr<Vec<T>[]> sums_;
  std::vector<std::size_t> diagonal_;  // the lines that the inverse shifts
  bool direct_ = false;                // blocks bypass the stage
  std::size_t delta_plane_ = 0;
  std::vector<T> delta_, delta_gradient_;
};

// Calls work(walk) with the walk for the plan.
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
