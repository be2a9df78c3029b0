#pragma once

// The transforms of Winograd's minimal filtering F(4x4, 3x3): a 3x3 convolution without stride becomes 36
// matrix products on tiles of 6x6 points that overlap by two, with a quarter of the multiplications
// (Lavin and Gray 2016, arXiv:1509.09308, interpolation at 0, 1, -1, 2, -2 and infinity):
//   y = A^T ((G k G^T) (B^T d B)) A     for each tile d and kernel k.
// In float it loses about one digit against the sum of products; there is no version for double.
//
// Tiles are stored as (36, planes, columns): the tiles of a plane row by row, and zeros up to columns().

#include <cstddef>

namespace gcan::kernels {

// Some rows of the tiles of 4x4 points that cover a convolution's output.
struct WinogradGrid {
  std::size_t first_row;
  std::size_t tiles_y, tiles_x;
  // Columns of a plane of tiles.
  [[nodiscard]] std::size_t columns() const;
};

struct WinogradPlane {
  std::size_t height, width;
  std::size_t pad_y = 0, pad_x = 0;  // zeros before the first row and column
};

// Each works on the planes [begin, end) of `planes`.

// B^T d B of an input (planes, height, width).
void winograd_input(const WinogradGrid& grid, const WinogradPlane& plane, std::size_t planes,
                    std::size_t begin, std::size_t end, const float* x, float* tiles);
// A^T m A, plus a bias per plane if there is one, to an output (planes, height, width).
void winograd_output(const WinogradGrid& grid, const WinogradPlane& plane, std::size_t planes,
                     std::size_t begin, std::size_t end, const float* tiles, const float* bias, float* y);
// A s A^T of an output's gradient (planes, height, width).
void winograd_slope(const WinogradGrid& grid, const WinogradPlane& plane, std::size_t planes,
                    std::size_t begin, std::size_t end, const float* dy, float* tiles);

// G k G^T of kernels (rows, columns, 3, 3) to (36, rows, columns), the rows [begin, end).
void winograd_kernel(std::size_t rows, std::size_t columns, std::size_t begin, std::size_t end,
                     const float* kernel, float* u);
// G^T u G, the adjoint.
void winograd_kernel_gradient(std::size_t rows, std::size_t columns, std::size_t begin, std::size_t end,
                              const float* u, float* kernel);

}  // namespace gcan::kernels
