#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gcan/sim/fft.h"
#include "gcan/sim/shallow_water/circles.h"
#include "gcan/sim/shallow_water/gauss_legendre.h"
#include "gcan/sim/shallow_water/legendre.h"
#include "gcan/sim/shallow_water/legendre_kernels.h"
#include "gcan/sim/shallow_water/spectral_layout.h"

namespace gcan::sim::shallow_water {

// Spherical harmonic transforms between coefficients and a Gauss-Legendre grid, north to south, longitudes
// from 0 eastwards. The tables are constant after construction and shared by all threads.
//
// Why not a library: the nine transforms of one time step at T62 on 96 x 192, double, one thread of a Xeon
// with 512-bit registers, per trajectory, minimum of many runs (bench/shallow_water_timing.cpp, except
// ectrans):
//   ectrans 1.1.0 of Debian through transi.h, 1 to 16 trajectories a call     2.6 to 3.2 ms
//   OpenBLAS 0.3.21 dgemm, Legendre part alone, 1 to 16 trajectories a call   0.31 to 0.27 ms
//   OpenBLAS dgemm, Fourier part as a matrix product                          2.5 ms
//   this class with products and time step around it, one trajectory          0.22 ms
// ectrans also links FFTW (GPL) and MPI. Trajectories need no batching: the products of one fill the
// registers, and each thread runs its own.
template <typename T>
class SphericalTransform {
 public:
  SphericalTransform(int truncation, int latitudes, int longitudes);

  const SpectralLayout& layout() const { return layout_; }
  const GaussLegendre& rule() const { return rule_; }
  int latitudes() const { return static_cast<int>(rule_.nodes.size()); }
  int longitudes() const { return longitudes_; }
  int bands() const { return tables_.bands; }
  // Numbers in the rows of one band: for each longitude a line of northern and a line of southern latitudes.
  std::size_t rows_size() const { return static_cast<std::size_t>(longitudes_) * 2 * kLine<T>; }
  // Northern row of lane i of a band, or -1 for padding; the southern one is latitudes() - 1 - row.
  int northern_row(int band, int lane) const;

  // Memory of one thread for sweeps of at most `fields` fields in or out.
  struct Workspace {
    Workspace(const SphericalTransform& transform, int fields);
    Array<T> fourier;
    std::vector<Array<T>> rows;
  };

  // Processes the sphere band by band: transforms `in` fields (coefficients at spectral_in, 2 * layout.size
  // numbers each) to the grid, calls visit(band, rows) with rows[field] in the layout of rows_size(), and
  // transforms rows[0 .. out), as left by visit, to coefficients at spectral_out. A band fits into the cache;
  // the whole grid is never stored.
  template <class Visit>
  void sweep(int in, const T* spectral_in, int out, T* spectral_out, Workspace& work, Visit&& visit) const {
    for (const auto& chunk : tables_.chunks) {
      const FourierShape shape{layout_.orders, kLine<T>};
      if (in > 0) legendre_synthesis(layout_, chunk, 2 * in, spectral_in, work.fourier.data());
      for (int b = 0; b < chunk.bands; ++b) {
        const auto circle = [&](int field) {
          return work.fourier.data() + field * shape.field_stride(chunk.bands) + b * shape.band_stride();
        };
        for (int f = 0; f < in; ++f) circles_to_grid(fft_, layout_.orders, circle(f), row(work, f));
        visit(chunk.first_band + b, work.rows);
        for (int f = 0; f < out; ++f) grid_to_circles(fft_, layout_.orders, row(work, f), circle(f));
      }
      if (out > 0)
        legendre_analysis(layout_, chunk, 2 * out, work.fourier.data(), spectral_out, chunk.first_band == 0);
    }
  }

  // One field on the grid, row by row from the north, [latitude][longitude].
  void to_grid(const SpectralField<T>& field, std::span<double> grid) const;
  // Coefficients up to degree T + 1 of a field on the grid.
  SpectralField<T> to_spectral(std::span<const double> grid) const;

 private:
  static T* row(Workspace& work, int field) { return work.rows[static_cast<std::size_t>(field)].data(); }

  SpectralLayout layout_;
  GaussLegendre rule_;
  int longitudes_;
  LegendreTables<T> tables_;
  FftPlan<T> fft_;
};

// Copies between the rows of a band and a grid stored row by row from the north.
template <typename T>
void band_to_grid(const SphericalTransform<T>& transform, int band, const T* rows, std::span<double> grid);
template <typename T>
void grid_to_band(const SphericalTransform<T>& transform, int band, std::span<const double> grid, T* rows);

extern template class SphericalTransform<float>;
extern template class SphericalTransform<double>;

}  // namespace gcan::sim::shallow_water
