#pragma once

#include "gcan/sim/shallow_water/fft.h"

namespace gcan::sim::shallow_water {

// Z_k = north + i south for k = m and k = -m from the parity halves, into permuted places; zero elsewhere.
void fft_scatter(int n, int orders, const int* place, const float* fourier, float* rows);
void fft_scatter(int n, int orders, const int* place, const double* fourier, double* rows);
void fft_gather(int n, int orders, const int* place, const float* rows, float* fourier);
void fft_gather(int n, int orders, const int* place, const double* rows, double* fourier);

// One stage of the transform with exp(+i ...) towards the grid, or of its transpose with exp(-i ...).
void fft_stage_to_grid(int n, const FftPlan<float>::Stage& stage, float* rows);
void fft_stage_to_grid(int n, const FftPlan<double>::Stage& stage, double* rows);
void fft_stage_to_fourier(int n, const FftPlan<float>::Stage& stage, float* rows);
void fft_stage_to_fourier(int n, const FftPlan<double>::Stage& stage, double* rows);

}  // namespace gcan::sim::shallow_water
