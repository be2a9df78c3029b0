#pragma once

#include <array>
#include <cstdint>

namespace gcan::base {

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011; also
// std::philox4x32 of C++26): a counter and a key in, 128 random bits out, no state. Every number a
// simulation draws is therefore named by what it is for (seed, trajectory, wavenumber) and does not depend
// on the order of drawing, the number of threads or the machine.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;
PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key);

}  // namespace gcan::base
