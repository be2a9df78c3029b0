// Interleaves and deinterleaves lines of numbers. Included once per instruction set, hence Highway's form of
// include guard.
#if defined(GCAN_KERNELS_INTERLEAVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GCAN_KERNELS_INTERLEAVE_INL_H_
#undef GCAN_KERNELS_INTERLEAVE_INL_H_
#else
#define GCAN_KERNELS_INTERLEAVE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Numbers are moved as unsigned integers of the same size, and pairs of floats as integers of twice the size.
template <class T>
using Bits = hwy::MakeUnsigned<T>;
template <class T>
HWY_INLINE const Bits<T>* bits(const T* numbers) {
  return reinterpret_cast<const Bits<T>*>(numbers);
}
template <class T>
HWY_INLINE Bits<T>* bits(T* numbers) {
  return reinterpret_cast<Bits<T>*>(numbers);
}
template <class U>
using Word = hn::Vec<hn::ScalableTag<U>>;

#if HWY_TARGET <= HWY_AVX3
// With AVX-512 one instruction picks any lanes of two vectors, so P vectors take P (P - 1) instructions
// (Highway takes more). Number `place` of P interleaved vectors is lane place / P of vector place % P: result
// p starts with lanes of vectors 0 and 1, then takes those of the others one by one. kPicks[p][s] contains
// the lanes that step s picks; those of its second vector are numbered after those of the first.
template <class U, std::size_t P, bool kStore>
inline constexpr auto kPicks = [] {
  constexpr std::size_t kLanes = 64 / sizeof(U);
  std::array<std::array<std::array<U, kLanes>, P - 1>, P> picks{};
  for (std::size_t p = 0; p < P; ++p) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const std::size_t place = kStore ? kLanes * p + k : P * k + p;
      const std::size_t vector = kStore ? place % P : place / kLanes;
      const std::size_t lane = kStore ? place / P : place % kLanes;
      for (std::size_t s = 0; s + 1 < P; ++s) {
        const std::size_t kept = s == 0 && vector == 0 ? lane : k;
        picks[p][s][k] = static_cast<U>(vector == s + 1 ? kLanes + lane : kept);
      }
    }
  }
  return picks;
}();
HWY_INLINE Word<std::uint32_t> picked(const std::uint32_t* lanes, Word<std::uint32_t> a,
                                      Word<std::uint32_t> b) {
  return Word<std::uint32_t>{_mm512_permutex2var_epi32(a.raw, _mm512_loadu_si512(lanes), b.raw)};
}
HWY_INLINE Word<std::uint64_t> picked(const std::uint64_t* lanes, Word<std::uint64_t> a,
                                      Word<std::uint64_t> b) {
  return Word<std::uint64_t>{_mm512_permutex2var_epi64(a.raw, _mm512_loadu_si512(lanes), b.raw)};
}
template <class U, std::size_t P, bool kStore>
HWY_INLINE Word<U> merged(std::size_t p, const Word<U>* v) {
  Word<U> result = v[0];
  for (std::size_t s = 0; s + 1 < P; ++s)
    result = picked(kPicks<U, P, kStore>[p][s].data(), result, v[s + 1]);
  return result;
}

template <std::size_t P, class U>
HWY_INLINE void store_parts(const Word<U>* v, U* to) {
  const hn::ScalableTag<U> d;
  for (std::size_t p = 0; p < P; ++p) hn::StoreU(merged<U, P, true>(p, v), d, to + p * hn::Lanes(d));
}
template <std::size_t P, class U>
HWY_INLINE void load_parts(const U* from, Word<U>* v) {
  const hn::ScalableTag<U> d;
  Word<U> whole[P];
  for (std::size_t p = 0; p < P; ++p) whole[p] = hn::LoadU(d, from + p * hn::Lanes(d));
  for (std::size_t p = 0; p < P; ++p) v[p] = merged<U, P, false>(p, whole);
}
// The pairs (a_0, b_0), (a_1, b_1), ...
HWY_INLINE void zip(Word<std::uint32_t> a, Word<std::uint32_t> b, Word<std::uint64_t>& first,
                    Word<std::uint64_t>& second) {
  const hn::ScalableTag<std::uint64_t> pairs;
  const Word<std::uint32_t> v[] = {a, b};
  first = hn::BitCast(pairs, merged<std::uint32_t, 2, true>(0, v));
  second = hn::BitCast(pairs, merged<std::uint32_t, 2, true>(1, v));
}
#else
#if HWY_TARGET == HWY_AVX2
// Three AVX2 vectors, with a third of the shuffles that Highway takes. Because 3 is invertible modulo the
// number of lanes L, one permutation moves all numbers of vector v, whose places are 3 l + v, to their lanes:
// lane (3 l + v) % L of result (3 l + v) / L. Blends then form the results.
template <class U>
struct Threes {
  static constexpr int kLanes = 32 / sizeof(U), kParts = sizeof(U) / 4;
  // The lane of vector v that goes to lane k.
  static constexpr int number_at(int v, int k) { return 3 * (k + 3 * kLanes - v) % kLanes; }
  // In units of 32 bits: the source of lane k of vector v, towards memory and back.
  template <bool kStore>
  static constexpr auto kFrom = [] {
    std::array<std::array<std::uint32_t, 8>, 3> lanes{};
    for (int v = 0; v < 3; ++v) {
      for (int i = 0; i < 8; ++i) {
        const int k = i / kParts, from = kStore ? number_at(v, k) : (3 * k + v) % kLanes;
        lanes[v][i] = static_cast<std::uint32_t>(from * kParts + i % kParts);
      }
    }
    return lanes;
  }();
  // The lanes of result p that come from vector v; or the lanes of vector p that are in memory's vector v.
  template <bool kStore>
  static constexpr int mask(int p, int v) {
    int bits = 0;
    for (int i = 0; i < 8; ++i) {
      const int k = i / kParts;
      const int of = kStore ? (kLanes * p + k) % 3 : (3 * number_at(p, k) + p) / kLanes;
      bits |= of == v ? 1 << i : 0;
    }
    return bits;
  }
  template <bool kStore, int p>
  static HWY_INLINE __m256i blended(const __m256i* v) {
    // Unoptimised builds need constants here.
    constexpr int kSecond = mask<kStore>(p, 1), kThird = mask<kStore>(p, 2);
    return _mm256_blend_epi32(_mm256_blend_epi32(v[0], v[1], kSecond), v[2], kThird);
  }
  template <bool kStore>
  static HWY_INLINE __m256i permuted(int v, __m256i x) {
    const auto* const from = reinterpret_cast<const __m256i*>(kFrom<kStore>[v].data());
    return _mm256_permutevar8x32_epi32(x, _mm256_loadu_si256(from));
  }

  static HWY_INLINE void store(const Word<U>* v, U* to) {
    __m256i q[3];
    for (int p = 0; p < 3; ++p) q[p] = permuted<true>(p, v[p].raw);
    auto* const words = reinterpret_cast<__m256i*>(to);
    _mm256_storeu_si256(words, blended<true, 0>(q));
    _mm256_storeu_si256(words + 1, blended<true, 1>(q));
    _mm256_storeu_si256(words + 2, blended<true, 2>(q));
  }
  static HWY_INLINE void load(const U* from, Word<U>* v) {
    const auto* const words = reinterpret_cast<const __m256i*>(from);
    __m256i q[3];
    for (int p = 0; p < 3; ++p) q[p] = _mm256_loadu_si256(words + p);
    v[0] = Word<U>{permuted<false>(0, blended<false, 0>(q))};
    v[1] = Word<U>{permuted<false>(1, blended<false, 1>(q))};
    v[2] = Word<U>{permuted<false>(2, blended<false, 2>(q))};
  }
};
#endif

// Stores and loads P = 1 to 4 vectors with interleaved lanes.
template <std::size_t P, class U>
HWY_INLINE void store_parts(const Word<U>* v, U* to) {
  const hn::ScalableTag<U> d;
  if constexpr (P == 1) hn::StoreU(v[0], d, to);
  if constexpr (P == 2) hn::StoreInterleaved2(v[0], v[1], d, to);
#if HWY_TARGET == HWY_AVX2
  if constexpr (P == 3) Threes<U>::store(v, to);
#else
  if constexpr (P == 3) hn::StoreInterleaved3(v[0], v[1], v[2], d, to);
#endif
  if constexpr (P == 4) hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, to);
}
template <std::size_t P, class U>
HWY_INLINE void load_parts(const U* from, Word<U>* v) {
  const hn::ScalableTag<U> d;
  if constexpr (P == 1) v[0] = hn::LoadU(d, from);
  if constexpr (P == 2) hn::LoadInterleaved2(d, from, v[0], v[1]);
#if HWY_TARGET == HWY_AVX2
  if constexpr (P == 3) Threes<U>::load(from, v);
#else
  if constexpr (P == 3) hn::LoadInterleaved3(d, from, v[0], v[1], v[2]);
#endif
  if constexpr (P == 4) hn::LoadInterleaved4(d, from, v[0], v[1], v[2], v[3]);
}
#if HWY_TARGET != HWY_SCALAR
// The pairs (a_0, b_0), (a_1, b_1), ...
HWY_INLINE void zip(Word<std::uint32_t> a, Word<std::uint32_t> b, Word<std::uint64_t>& first,
                    Word<std::uint64_t>& second) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::ScalableTag<std::uint64_t> pairs;
  const auto lower = hn::InterleaveLower(d, a, b), upper = hn::InterleaveUpper(d, a, b);
  if constexpr (hn::MaxLanes(d) == 4) {
    first = hn::BitCast(pairs, lower);
    second = hn::BitCast(pairs, upper);
  } else {
    first = hn::BitCast(pairs, hn::ConcatLowerLower(d, upper, lower));
    second = hn::BitCast(pairs, hn::ConcatUpperUpper(d, upper, lower));
  }
}
#endif
#endif

#if HWY_TARGET != HWY_SCALAR
HWY_INLINE void unzip(Word<std::uint64_t> first, Word<std::uint64_t> second, Word<std::uint32_t>& a,
                      Word<std::uint32_t>& b) {
  const hn::ScalableTag<std::uint32_t> d;
  const auto lower = hn::BitCast(d, first), upper = hn::BitCast(d, second);
  a = hn::ConcatEven(d, upper, lower);
  b = hn::ConcatOdd(d, upper, lower);
}
#endif

template <class T>
HWY_INLINE Word<Bits<T>> load_word(const T* from) {
  return hn::BitCast(hn::ScalableTag<Bits<T>>(), hn::LoadU(hn::ScalableTag<T>(), from));
}
template <class T>
HWY_INLINE void store_word(Word<Bits<T>> v, T* to) {
  const hn::ScalableTag<T> d;
  hn::StoreU(hn::BitCast(d, v), d, to);
}

// Interleaves one vector of each of P lines, and the inverse.
template <std::size_t P, class T>
HWY_INLINE void interleave_vectors(T* const* from, std::size_t c, T* to) {
  Word<Bits<T>> v[P];
  for (std::size_t p = 0; p < P; ++p) v[p] = load_word(from[p] + c);
  store_parts<P>(v, bits(to));
}
template <std::size_t P, class T>
HWY_INLINE void deinterleave_vectors(const T* from, T* const* to, std::size_t c) {
  Word<Bits<T>> v[P];
  load_parts<P>(bits(from), v);
  for (std::size_t p = 0; p < P; ++p) store_word(v[p], to[p] + c);
}

#if HWY_TARGET != HWY_SCALAR
// The same for 2 P lines of floats, by pairs.
template <std::size_t P>
HWY_INLINE void interleave_pairs(float* const* from, std::size_t c, float* to) {
  const std::size_t half = P * hn::Lanes(hn::ScalableTag<float>());
  Word<std::uint64_t> first[P], second[P];
  for (std::size_t p = 0; p < P; ++p) {
    zip(load_word(from[2 * p] + c), load_word(from[2 * p + 1] + c), first[p], second[p]);
  }
  store_parts<P>(first, reinterpret_cast<std::uint64_t*>(to));
  store_parts<P>(second, reinterpret_cast<std::uint64_t*>(to + half));
}
template <std::size_t P>
HWY_INLINE void deinterleave_pairs(const float* from, float* const* to, std::size_t c) {
  const std::size_t half = P * hn::Lanes(hn::ScalableTag<float>());
  Word<std::uint64_t> first[P], second[P];
  load_parts<P>(reinterpret_cast<const std::uint64_t*>(from), first);
  load_parts<P>(reinterpret_cast<const std::uint64_t*>(from + half), second);
  for (std::size_t p = 0; p < P; ++p) {
    Word<std::uint32_t> a, b;
    unzip(first[p], second[p], a, b);
    store_word(a, to[2 * p] + c);
    store_word(b, to[2 * p + 1] + c);
  }
}

#endif

// The same for P of `parts` lines.
template <std::size_t P, class T>
HWY_INLINE void interleave_some(T* const* from, std::size_t c, std::size_t parts, T* to) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  HWY_ALIGN T together[P * hn::MaxLanes(hn::ScalableTag<T>())];
  interleave_vectors<P>(from, c, together);
  for (std::size_t k = 0; k < lanes; ++k) std::memcpy(to + k * parts, together + k * P, P * sizeof(T));
}
template <std::size_t P, class T>
HWY_INLINE void deinterleave_some(const T* from, std::size_t parts, T* const* to, std::size_t c) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  HWY_ALIGN T together[P * hn::MaxLanes(hn::ScalableTag<T>())];
  for (std::size_t k = 0; k < lanes; ++k) std::memcpy(together + k * P, from + k * parts, P * sizeof(T));
  deinterleave_vectors<P>(together, to, c);
}

// Whether this many lines are moved in pairs: as many as PGA's lines (6 blades) and motors (8) have.
template <class T>
constexpr bool goes_by_pairs(std::size_t parts) {
  return HWY_TARGET != HWY_SCALAR && sizeof(T) == sizeof(float) && (parts == 6 || parts == 8);
}

// Calls body(c) for whole vectors of columns; returns the number of columns covered.
template <class T, class Body>
HWY_INLINE std::size_t for_whole_vectors(std::size_t columns, const Body& body) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>()), whole = columns / lanes * lanes;
  for (std::size_t c = 0; c < whole; c += lanes) body(c);
  return whole;
}

// to[c * parts + v] = from[v][c]
template <class T>
void interleave(T* const* from, std::size_t parts, std::size_t columns, T* to) {
  const auto run = [&](const auto& body) HWY_ATTR { return for_whole_vectors<T>(columns, body); };
  std::size_t done = 0;
  if (parts == 1) {
    done = run([&](std::size_t c) HWY_ATTR { interleave_vectors<1>(from, c, to + c); });
  } else if (parts == 2) {
    done = run([&](std::size_t c) HWY_ATTR { interleave_vectors<2>(from, c, to + 2 * c); });
  } else if (parts == 3) {
    done = run([&](std::size_t c) HWY_ATTR { interleave_vectors<3>(from, c, to + 3 * c); });
  } else if (parts == 4) {
    done = run([&](std::size_t c) HWY_ATTR { interleave_vectors<4>(from, c, to + 4 * c); });
  } else if (goes_by_pairs<T>(parts)) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (goes_by_pairs<T>(6)) {
      done = run([&](std::size_t c) HWY_ATTR {
        parts == 6 ? interleave_pairs<3>(from, c, to + 6 * c) : interleave_pairs<4>(from, c, to + 8 * c);
      });
    }
#endif
  } else {
    for (std::size_t v = 0; v < parts; v += 4) {
      done = run([&](std::size_t c) HWY_ATTR {
        T* const place = to + c * parts + v;
        switch (parts - v) {
          case 1: interleave_some<1>(from + v, c, parts, place); break;
          case 2: interleave_some<2>(from + v, c, parts, place); break;
          case 3: interleave_some<3>(from + v, c, parts, place); break;
          default: interleave_some<4>(from + v, c, parts, place); break;
        }
      });
    }
  }
  for (std::size_t c = done; c < columns; ++c) {
    for (std::size_t v = 0; v < parts; ++v) to[c * parts + v] = from[v][c];
  }
}

// to[v][c] = from[c * parts + v]
template <class T>
void deinterleave(const T* from, std::size_t parts, std::size_t columns, T* const* to) {
  const auto run = [&](const auto& body) HWY_ATTR { return for_whole_vectors<T>(columns, body); };
  std::size_t done = 0;
  if (parts == 1) {
    done = run([&](std::size_t c) HWY_ATTR { deinterleave_vectors<1>(from + c, to, c); });
  } else if (parts == 2) {
    done = run([&](std::size_t c) HWY_ATTR { deinterleave_vectors<2>(from + 2 * c, to, c); });
  } else if (parts == 3) {
    done = run([&](std::size_t c) HWY_ATTR { deinterleave_vectors<3>(from + 3 * c, to, c); });
  } else if (parts == 4) {
    done = run([&](std::size_t c) HWY_ATTR { deinterleave_vectors<4>(from + 4 * c, to, c); });
  } else if (goes_by_pairs<T>(parts)) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (goes_by_pairs<T>(6)) {
      done = run([&](std::size_t c) HWY_ATTR {
        parts == 6 ? deinterleave_pairs<3>(from + 6 * c, to, c) : deinterleave_pairs<4>(from + 8 * c, to, c);
      });
    }
#endif
  } else {
    for (std::size_t v = 0; v < parts; v += 4) {
      done = run([&](std::size_t c) HWY_ATTR {
        const T* const place = from + c * parts + v;
        switch (parts - v) {
          case 1: deinterleave_some<1>(place, parts, to + v, c); break;
          case 2: deinterleave_some<2>(place, parts, to + v, c); break;
          case 3: deinterleave_some<3>(place, parts, to + v, c); break;
          default: deinterleave_some<4>(place, parts, to + v, c); break;
        }
      });
    }
  }
  for (std::size_t c = done; c < columns; ++c) {
    for (std::size_t v = 0; v < parts; ++v) to[v][c] = from[c * parts + v];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#endif
