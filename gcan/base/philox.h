#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace gcan::base {

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011; also
// std::philox4x32 of C++26): a counter and a key in, 128 random bits out, no state. Every number a
// simulation draws is therefore named by what it is for (seed, trajectory, wavenumber) and does not depend
// on the order of drawing, the number of threads or the machine.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;
PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key);

// ln x for positive finite normal x, to 2 ulp, from IEEE additions, multiplications and one division only.
// The C library's logarithm may differ in the last bit between versions and processors; this one may not.
double portable_log(double x);

// Two independent standard normal numbers that belong to (seed, stream, index): Marsaglia's polar method,
// attempt after attempt on fresh counters, with `portable_log`: identical bits on every IEEE machine,
// unlike std::normal_distribution, whose algorithm the standard leaves open.
std::pair<double, double> normal_pair(std::uint64_t seed, std::uint64_t stream, std::uint32_t index);

}  // namespace gcan::base
