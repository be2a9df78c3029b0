#pragma once

// Human-readable numbers for messages.

#include <cstdint>
#include <string>

namespace gcan::base {

// "1,048,576"; no comma in four digits: "1024".
std::string whole_text(std::int64_t number);

// "1 trajectory", "40 trajectories", "0 steps". `many` is a plural in -ies or -s.
std::string counted(std::int64_t number, const std::string& many);
// The unit alone, singular or plural: "trajectory" or "trajectories".
std::string unit_for(std::int64_t number, const std::string& many);

// "12 TB", "3.4 GB", "512 kB", "90 bytes"; at most three digits.
std::string size_text(double bytes);

// "6,100", "12.3", "0.21": three significant digits, rounded to integers from 100 on.
std::string rate_text(double rate);

}  // namespace gcan::base
