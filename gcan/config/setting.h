#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/config/options.h"

namespace gcan::config {

// An option bound to a member of a struct. Each simulator has one table of them for both its command line and
// its files, so a file records every option that the program offers.
//
//   const auto cells = number_setting<Box>("cells", "1", "Cells along each side", &Box_cells);
//   cells.set(box, parse(cells, "64", "--cells"));     // int& Box_cells(Box& box) { return box.cells; }
template <class Struct>
struct Setting : Option {
  std::function<Value(const Struct&)> get;
  std::function<void(Struct&, const Value&)> set;  // Error for a value that the member cannot hold
};

// A setting for the number that `member` returns a reference to; the default is that of a default-constructed
// struct.
template <class Struct, class Member>
Setting<Struct> number_setting(const std::string& name, std::string unit, std::string help, Member member) {
  using Number = std::remove_cvref_t<std::invoke_result_t<Member, Struct&>>;
  using Stored = std::conditional_t<std::is_integral_v<Number>, std::int64_t, double>;
  const auto get = [member](const Struct& from) {
    Struct copy = from;
    return Value(static_cast<Stored>(member(copy)));
  };
  const auto set = [member, name](Struct& to, const Value& value) {
    const Stored number = std::get<Stored>(value);
    if constexpr (std::is_integral_v<Number>) {
      if (!std::in_range<Number>(number)) throw Error("--" + name + " cannot be " + to_string(value));
    }
    member(to) = static_cast<Number>(number);
  };
  const double least = std::is_unsigned_v<Number> ? 0 : -kNoLimit;
  return {{name, get(Struct{}), std::move(help), {}, least, kNoLimit, std::move(unit)}, get, set};
}

// A setting with a word for each value of an enumeration (or bool), in order.
template <class Struct, class Member>
Setting<Struct> choice_setting(const std::string& name, std::string help,
                               const std::vector<std::string>& words, Member member) {
  using Enum = std::remove_cvref_t<std::invoke_result_t<Member, Struct&>>;
  const auto get = [words, member](const Struct& from) {
    Struct copy = from;
    return Value(words.at(static_cast<std::size_t>(member(copy))));
  };
  const auto set = [words, member](Struct& to, const Value& value) {
    const auto at = std::find(words.begin(), words.end(), std::get<std::string>(value));
    if (at != words.end()) member(to) = static_cast<Enum>(at - words.begin());
  };
  return {{name, get(Struct{}), std::move(help), words}, get, set};
}

}  // namespace gcan::config
