#pragma once

namespace gcan::kernels {

// What the norm divides by.
enum class Divisor { one, mean_norm, mean_centred_norm };

}  // namespace gcan::kernels
