#pragma once

#include <array>
#include <cstdint>

namespace gcan::base {

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011; also
// std::philox4x32 of C++26): maps a counter and a key to 128 random bits, without state. A simulation indexes
// its random numbers by purpose (seed, trajectory, wavenumber), so they do not depend on the order of
// drawing, the number of threads or the machine.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;
PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key);

}  // namespace gcan::base
