// Both Legendre transforms as small matrix products, one per order and parity, with accumulators that stay
// in registers: kNumbers x kVectors of them, each fed by one broadcast and one table load.

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/sim/shallow_water/legendre_kernels.cpp"
// Highway in this order: foreach_target includes this file once per instruction set.
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>

#include "gcan/sim/shallow_water/legendre_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::sim::shallow_water::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 32 registers of 512 bits or 16 narrower ones: how many accumulators fit beside their operands.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int kMostNumbers = 10;
#else
inline constexpr int kMostNumbers = 4;
#endif

// The prefetch distance for the table. The tables of T62 fill the L2 cache, so each step finds them in L3,
// some hundred cycles away; they are read once, in order.
template <typename T>
inline constexpr std::ptrdiff_t kAhead = 4096 / static_cast<std::ptrdiff_t>(sizeof(T));

template <typename T>
struct SynthesisBlock {
  const T* table;            // row of degree m (or m + 1), first latitude of the block
  const T* coefficients;     // coefficient of that degree, first number of the block
  std::ptrdiff_t latitudes;  // row length of the table
  std::ptrdiff_t size;       // distance between numbers
  int degrees;
};

// sum over degrees of P(degree, latitude) * coefficient(degree), for kNumbers numbers and kVectors vectors of
// latitudes; `store(number, vector, sum)` receives the result.
template <int kNumbers, int kVectors, typename T, class Store>
HWY_INLINE void synthesise_block(const SynthesisBlock<T>& block, const Store& store) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr auto kLanes = static_cast<std::ptrdiff_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  V sum[kNumbers][kVectors];
  for (int q = 0; q < kNumbers; ++q)
    for (int v = 0; v < kVectors; ++v) sum[q][v] = hn::Zero(d);
  for (std::ptrdiff_t j = 0; j < block.degrees; ++j) {
    const T* table = block.table + j * block.latitudes;
    V p[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      p[v] = hn::Load(d, table + v * kLanes);
      if ((v * kLanes) % kLine<T> == 0) hwy::Prefetch(table + v * kLanes + kAhead<T>);
    }
    for (int q = 0; q < kNumbers; ++q) {
      const V a = hn::Set(d, block.coefficients[q * block.size + j]);
      for (int v = 0; v < kVectors; ++v) sum[q][v] = hn::MulAdd(p[v], a, sum[q][v]);
    }
  }
  for (int q = 0; q < kNumbers; ++q)
    for (int v = 0; v < kVectors; ++v) store(q, v, sum[q][v]);
}

template <int kNumbers, typename T>
void synthesise_order(const SpectralLayout& layout, const typename LegendreTables<T>::Chunk& chunk, int m,
                      int first_number, const T* spectral, T* fourier) {
  const hn::ScalableTag<T> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(hn::ScalableTag<T>()));
  constexpr int kMostVectors = 3;
  const FourierShape shape{layout.orders, kLine<T>};
  const int latitudes = chunk.bands * kLine<T>;
  const int vectors = latitudes / kLanes;
  const auto order = static_cast<std::size_t>(m);
  for (int parity = 0; parity < 2; ++parity) {
    const int row = layout.offset[order] + parity * layout.run[order];
    for (int v0 = 0; v0 < vectors; v0 += kMostVectors) {
      const SynthesisBlock<T> block{chunk.synthesis.data() + row * latitudes + v0 * kLanes,
                                    spectral + first_number * layout.size + row, latitudes, layout.size,
                                    layout.count(m, parity)};
      const auto store = [&](int q, int v, auto sum) {
        const int number = first_number + q;
        const int latitude = (v0 + v) * kLanes;
        T* line = fourier + (number / 2) * shape.field_stride(chunk.bands) +
                  (latitude / kLine<T>)*shape.band_stride() + m * shape.order_stride() +
                  (2 * parity + number % 2) * kLine<T>;
        hn::Store(sum, d, line + latitude % kLine<T>);
      };
      switch (vectors - v0) {
        case 1: synthesise_block<kNumbers, 1>(block, store); break;
        case 2: synthesise_block<kNumbers, 2>(block, store); break;
        default: synthesise_block<kNumbers, 3>(block, store); break;
      }
    }
  }
}

template <typename T>
void synthesise(const SpectralLayout& layout, const typename LegendreTables<T>::Chunk& chunk, int numbers,
                const T* spectral, T* fourier) {
  for (int m = 0; m < layout.orders; ++m) {
    int q = 0;
    if constexpr (kMostNumbers >= 8) {
      for (; q + 8 <= numbers; q += 8) synthesise_order<8>(layout, chunk, m, q, spectral, fourier);
    }
    for (; q + 4 <= numbers; q += 4) synthesise_order<4>(layout, chunk, m, q, spectral, fourier);
    for (; q + 2 <= numbers; q += 2) synthesise_order<2>(layout, chunk, m, q, spectral, fourier);
  }
}

template <typename T>
struct AnalysisBlock {
  const T* table;      // first latitude, first degree of the block
  const T* fourier;    // first band, first number of the block, this order and parity
  T* spectral;         // first number, first degree of the block
  std::ptrdiff_t run;  // row length of the table
  std::ptrdiff_t field_stride;
  std::ptrdiff_t band_stride;
  std::ptrdiff_t size;  // distance between numbers of the result
  int bands;
};

// sum over latitudes of weight P(latitude, degree) * fourier(latitude), for kNumbers numbers (starting at a
// real part) and kVectors vectors of degrees.
template <int kNumbers, int kVectors, typename T>
HWY_INLINE void analyse_block(const AnalysisBlock<T>& block, bool first) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr auto kLanes = static_cast<std::ptrdiff_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  V sum[kNumbers][kVectors];
  for (int q = 0; q < kNumbers; ++q)
    for (int v = 0; v < kVectors; ++v)
      sum[q][v] = first ? hn::Zero(d) : hn::Load(d, block.spectral + q * block.size + v * kLanes);
  const T* table = block.table;
  for (std::ptrdiff_t band = 0; band < block.bands; ++band) {
    const T* values = block.fourier + band * block.band_stride;
    for (std::ptrdiff_t i = 0; i < kLine<T>; ++i, table += block.run) {
      V p[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        p[v] = hn::Load(d, table + v * kLanes);
        if ((v * kLanes) % kLine<T> == 0) hwy::Prefetch(table + v * kLanes + kAhead<T>);
      }
      for (int q = 0; q < kNumbers; ++q) {
        const V a = hn::Set(d, values[(q / 2) * block.field_stride + (q % 2) * kLine<T> + i]);
        for (int v = 0; v < kVectors; ++v) sum[q][v] = hn::MulAdd(p[v], a, sum[q][v]);
      }
    }
  }
  for (int q = 0; q < kNumbers; ++q)
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[q][v], d, block.spectral + q * block.size + v * kLanes);
}

template <int kNumbers, typename T>
void analyse_order(const SpectralLayout& layout, const typename LegendreTables<T>::Chunk& chunk, int m,
                   int first_number, const T* fourier, T* spectral, bool first) {
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(hn::ScalableTag<T>()));
  constexpr int kMostVectors = kNumbers > 8 ? 2 : 3;
  const FourierShape shape{layout.orders, kLine<T>};
  const auto order = static_cast<std::size_t>(m);
  const int run = layout.run[order];
  for (int parity = 0; parity < 2; ++parity) {
    const int row = layout.offset[order] + parity * run;
    const int vectors = (layout.count(m, parity) + kLanes - 1) / kLanes;
    for (int v0 = 0; v0 < vectors; v0 += kMostVectors) {
      const AnalysisBlock<T> block{chunk.analysis.data() + row * chunk.bands * kLine<T> + v0 * kLanes,
                                   fourier + (first_number / 2) * shape.field_stride(chunk.bands) +
                                       m * shape.order_stride() + 2 * parity * kLine<T>,
                                   spectral + first_number * layout.size + row + v0 * kLanes,
                                   run,
                                   shape.field_stride(chunk.bands),
                                   shape.band_stride(),
                                   layout.size,
                                   chunk.bands};
      const int left = vectors - v0;
      if (left == 1) {
        analyse_block<kNumbers, 1>(block, first);
      } else if (left == 2 || kMostVectors == 2) {
        analyse_block<kNumbers, 2>(block, first);
      } else {
        analyse_block<kNumbers, kMostVectors>(block, first);
      }
    }
  }
}

template <typename T>
void analyse(const SpectralLayout& layout, const typename LegendreTables<T>::Chunk& chunk, int numbers,
             const T* fourier, T* spectral, bool first) {
  for (int m = 0; m < layout.orders; ++m) {
    int q = 0;
    if constexpr (kMostNumbers >= 10) {
      for (; q + 10 <= numbers; q += 10) analyse_order<10>(layout, chunk, m, q, fourier, spectral, first);
    }
    for (; q + 4 <= numbers; q += 4) analyse_order<4>(layout, chunk, m, q, fourier, spectral, first);
    for (; q + 2 <= numbers; q += 2) analyse_order<2>(layout, chunk, m, q, fourier, spectral, first);
  }
}

void synthesise_double(const SpectralLayout& layout, const LegendreTables<double>::Chunk& chunk, int numbers,
                       const double* spectral, double* fourier) {
  synthesise<double>(layout, chunk, numbers, spectral, fourier);
}
void synthesise_float(const SpectralLayout& layout, const LegendreTables<float>::Chunk& chunk, int numbers,
                      const float* spectral, float* fourier) {
  synthesise<float>(layout, chunk, numbers, spectral, fourier);
}
void analyse_double(const SpectralLayout& layout, const LegendreTables<double>::Chunk& chunk, int numbers,
                    const double* fourier, double* spectral, bool first) {
  analyse<double>(layout, chunk, numbers, fourier, spectral, first);
}
void analyse_float(const SpectralLayout& layout, const LegendreTables<float>::Chunk& chunk, int numbers,
                   const float* fourier, float* spectral, bool first) {
  analyse<float>(layout, chunk, numbers, fourier, spectral, first);
}

}  // namespace gcan::sim::shallow_water::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::sim::shallow_water {

HWY_EXPORT(synthesise_double);
HWY_EXPORT(synthesise_float);
HWY_EXPORT(analyse_double);
HWY_EXPORT(analyse_float);

void legendre_synthesis(const SpectralLayout& layout, const LegendreTables<double>::Chunk& chunk, int numbers,
                        const double* spectral, double* fourier) {
  HWY_DYNAMIC_DISPATCH(synthesise_double)(layout, chunk, numbers, spectral, fourier);
}
void legendre_synthesis(const SpectralLayout& layout, const LegendreTables<float>::Chunk& chunk, int numbers,
                        const float* spectral, float* fourier) {
  HWY_DYNAMIC_DISPATCH(synthesise_float)(layout, chunk, numbers, spectral, fourier);
}
void legendre_analysis(const SpectralLayout& layout, const LegendreTables<double>::Chunk& chunk, int numbers,
                       const double* fourier, double* spectral, bool first) {
  HWY_DYNAMIC_DISPATCH(analyse_double)(layout, chunk, numbers, fourier, spectral, first);
}
void legendre_analysis(const SpectralLayout& layout, const LegendreTables<float>::Chunk& chunk, int numbers,
                       const float* fourier, float* spectral, bool first) {
  HWY_DYNAMIC_DISPATCH(analyse_float)(layout, chunk, numbers, fourier, spectral, first);
}

}  // namespace gcan::sim::shallow_water
#endif
