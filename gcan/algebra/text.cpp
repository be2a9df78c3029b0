#include "gcan/algebra/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>
#include <type_traits>

namespace gcan {
namespace {

template <class T>
std::string number_text(T value, int digits) {
  char buffer[64];
  digits = std::min(digits, std::numeric_limits<T>::max_digits10);  // more digits are meaningless
  const auto end =
      digits > 0 ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits)
                 : std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

}  // namespace

template <class T>
std::string to_string(const MultivectorX<T>& x, int digits) {
  if (x.is_zero()) return "0";
  std::string text;
  for (const auto& term : x.terms()) {
    const bool minus = std::signbit(term.coefficient);
    if (!text.empty()) text += minus ? " - " : " + ";
    if (text.empty() && minus) text += "-";
    const std::string number = number_text(std::abs(term.coefficient), digits);
    if (term.blade == 0) {
      text += number;
      continue;
    }
    if (number != "1") text += number;
    // 1e-17 e12: the space separates the blade from the number.
    if (number.find_first_not_of("0123456789.") != std::string::npos) text += " ";
    text += x.algebra().name(term.blade);
  }
  return text;
}

template <class T>
MultivectorX<T> without_dust(const MultivectorX<T>& x) {
  T largest = 0;
  for (const auto& term : x.terms()) largest = std::max(largest, std::abs(term.coefficient));
  const T bound = largest * (std::is_same_v<T, float> ? T(1e-5) : T(1e-13));
  auto terms = x.terms();
  std::erase_if(terms, [bound](const auto& term) {
    const T size = std::abs(term.coefficient);
    return size < bound && size != std::floor(size);
  });
  return MultivectorX<T>(x.algebra(), std::move(terms));
}

template <class T>
std::ostream& operator<<(std::ostream& out, const MultivectorX<T>& x) {
  return out << to_string(x);
}

template std::string to_string(const MultivectorX<float>&, int);
template std::string to_string(const MultivectorX<double>&, int);
template MultivectorX<float> without_dust(const MultivectorX<float>&);
template MultivectorX<double> without_dust(const MultivectorX<double>&);
template std::ostream& operator<<(std::ostream&, const MultivectorX<float>&);
template std::ostream& operator<<(std::ostream&, const MultivectorX<double>&);

}  // namespace gcan
