#include "gcan/sim/shallow_water/transform.h"

#include <algorithm>

namespace gcan::sim::shallow_water {

template <typename T>
SphericalTransform<T>::SphericalTransform(int truncation, int latitudes, int longitudes)
    : layout_(truncation, kLine<T>),
      rule_(gauss_legendre(latitudes)),
      longitudes_(longitudes),
      tables_(layout_, rule_, longitudes),
      fft_(longitudes) {}

template <typename T>
int SphericalTransform<T>::northern_row(int band, int lane) const {
  const int row = band * kLine<T> + lane;
  return row < latitudes() / 2 ? row : -1;
}

template <typename T>
SphericalTransform<T>::Workspace::Workspace(const SphericalTransform& transform, int fields)
    : fourier(static_cast<std::size_t>(fields * transform.layout().orders * 4 * kLine<T> *
                                       LegendreTables<T>::kBandsPerChunk)),
      rows(static_cast<std::size_t>(fields), Array<T>(transform.rows_size())) {}

template <typename T>
void band_to_grid(const SphericalTransform<T>& transform, int band, const T* rows, std::span<double> grid) {
  const auto longitudes = static_cast<std::size_t>(transform.longitudes());
  for (int lane = 0; lane < kLine<T>; ++lane) {
    const int north = transform.northern_row(band, lane);
    if (north < 0) return;
    double* north_row = grid.data() + static_cast<std::size_t>(north) * longitudes;
    double* south_row =
        grid.data() + static_cast<std::size_t>(transform.latitudes() - 1 - north) * longitudes;
    const T* at = rows + lane;
    for (std::size_t i = 0; i < longitudes; ++i, at += 2 * kLine<T>) {
      north_row[i] = static_cast<double>(at[0]);
      south_row[i] = static_cast<double>(at[kLine<T>]);
    }
  }
}

template <typename T>
void grid_to_band(const SphericalTransform<T>& transform, int band, std::span<const double> grid, T* rows) {
  const auto longitudes = static_cast<std::size_t>(transform.longitudes());
  std::fill_n(rows, transform.rows_size(), T(0));
  for (int lane = 0; lane < kLine<T>; ++lane) {
    const int north = transform.northern_row(band, lane);
    if (north < 0) return;
    const double* north_row = grid.data() + static_cast<std::size_t>(north) * longitudes;
    const double* south_row =
        grid.data() + static_cast<std::size_t>(transform.latitudes() - 1 - north) * longitudes;
    T* at = rows + lane;
    for (std::size_t i = 0; i < longitudes; ++i, at += 2 * kLine<T>) {
      at[0] = static_cast<T>(north_row[i]);
      at[kLine<T>] = static_cast<T>(south_row[i]);
    }
  }
}

template <typename T>
void SphericalTransform<T>::to_grid(const SpectralField<T>& field, std::span<double> grid) const {
  Workspace work(*this, 1);
  sweep(1, field.re(), 0, nullptr, work,
        [&](int band, std::vector<Array<T>>& rows) { band_to_grid(*this, band, rows[0].data(), grid); });
}

template <typename T>
SpectralField<T> SphericalTransform<T>::to_spectral(std::span<const double> grid) const {
  Workspace work(*this, 1);
  SpectralField<T> field(layout_);
  sweep(0, nullptr, 1, field.re(), work,
        [&](int band, std::vector<Array<T>>& rows) { grid_to_band(*this, band, grid, rows[0].data()); });
  return field;
}

template class SphericalTransform<float>;
template class SphericalTransform<double>;
template void band_to_grid<float>(const SphericalTransform<float>&, int, const float*, std::span<double>);
template void band_to_grid<double>(const SphericalTransform<double>&, int, const double*, std::span<double>);
template void grid_to_band<float>(const SphericalTransform<float>&, int, std::span<const double>, float*);
template void grid_to_band<double>(const SphericalTransform<double>&, int, std::span<const double>, double*);

}  // namespace gcan::sim::shallow_water
