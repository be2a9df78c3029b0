#pragma once

// Numbers in messages as people write them.

#include <cstdint>
#include <string>

namespace gcan::base {

// "1,048,576"; four digits stay together: "1024".
std::string whole_text(std::int64_t number);

// "1 trajectory", "40 trajectories", "0 steps". `many` is the plural, in -ies or -s.
std::string counted(std::int64_t number, const std::string& many);
// "trajectory" of "trajectories", "step" of "steps", as the number wants it.
std::string unit_for(std::int64_t number, const std::string& many);

// "12 TB", "3.4 GB", "512 kB", "90 bytes"; three digits at most.
std::string size_text(double bytes);

// "6,100", "12.3", "0.21": three digits that count.
std::string rate_text(double rate);

}  // namespace gcan::base
