#include "gcan/base/human.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace gcan::base {
namespace {

std::string formatted(const char* format, double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

// Commas between groups of three digits.
std::string with_commas(const std::string& digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool between = i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0;
    if (between) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace

std::string whole_text(std::int64_t number) {
  const std::string digits = std::to_string(number);
  constexpr std::int64_t kGrouped = 10000;
  return number < kGrouped && number > -kGrouped ? digits : with_commas(digits);
}

std::string unit_for(std::int64_t number, const std::string& many) {
  if (number != 1) return many;
  if (many.ends_with("ies")) return many.substr(0, many.size() - 3) + "y";
  return many.ends_with("s") ? many.substr(0, many.size() - 1) : many;
}

std::string counted(std::int64_t number, const std::string& many) {
  return whole_text(number) + " " + unit_for(number, many);
}

std::string size_text(double bytes) {
  constexpr std::array kUnits{"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  // 999.6 of a unit would print as 1e+03.
  for (; unit + 1 < kUnits.size() && bytes >= 999.5; ++unit) bytes /= 1000;
  return formatted("%.3g", bytes) + " " + kUnits[unit];
}

std::string rate_text(double rate) {
  if (!std::isfinite(rate) || std::abs(rate) < 999.5) return formatted("%.3g", rate);
  const double unit = std::pow(10, std::floor(std::log10(std::abs(rate))) - 2);
  return with_commas(formatted("%.0f", std::round(rate / unit) * unit));
}

}  // namespace gcan::base
