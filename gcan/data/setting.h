#pragma once

#include <charconv>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/data/well_file.h"

namespace gcan::data {

// One option of a simulator by its name: what the program offers as --name and what a file records. One
// table per simulator serves both, so that a file can never leave out an option that the program knows.
template <class Options>
struct Setting {
  std::string name;
  std::string unit;  // "1" for none
  std::string help;
  std::function<Value(const Options&)> get;
  std::function<void(Options&, const std::string& text)> set;  // Error if the text does not fit
};

// The number in the text; Error "--name expects a number, and 'text' is not one".
template <class Number>
Number parse_number(const std::string& name, const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem == std::errc() && stop == end && !text.empty()) return number;
  std::string sentence = "--";
  sentence.append(name).append(std::is_integral_v<Number> ? " expects a whole number" : " expects a number");
  sentence.append(problem == std::errc::result_out_of_range ? " of a smaller size, and '" : ", and '");
  throw Error(sentence.append(text).append("' is not one"));
}

// A setting that is a number, by a function that refers to it in the options.
template <class Options, class Member>
Setting<Options> number_setting(std::string name, std::string unit, std::string help, Member member) {
  using Number = std::remove_cvref_t<std::invoke_result_t<Member, Options&>>;
  using Stored = std::conditional_t<std::is_integral_v<Number>, std::int64_t, double>;
  return {name, std::move(unit), std::move(help),
          [member](const Options& options) {
            Options copy = options;
            return Value(static_cast<Stored>(member(copy)));
          },
          [member, name](Options& options, const std::string& text) {
            member(options) = parse_number<Number>(name, text);
          }};
}

// A setting that is one of a few words, which stand for the values of an enumeration in their order.
template <class Options, class Member>
Setting<Options> choice_setting(const std::string& name, std::string help,
                                const std::vector<std::string>& words, Member member) {
  using Enum = std::remove_cvref_t<std::invoke_result_t<Member, Options&>>;
  return {name, "1", std::move(help),
          [words, member](const Options& options) {
            Options copy = options;
            return Value(words.at(static_cast<std::size_t>(member(copy))));
          },
          [name, words, member](Options& options, const std::string& text) {
            std::string all;
            for (std::size_t i = 0; i < words.size(); ++i) {
              if (text == words[i]) {
                member(options) = static_cast<Enum>(i);
                return;
              }
              all.append(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ").append(words[i]);
            }
            std::string sentence = "--";
            throw Error(sentence.append(name).append(" expects ").append(all).append(", not '").append(text) +
                        "'");
          }};
}

// The settings of the options as parameters of a file.
template <class Options>
std::vector<Parameter> recorded(const std::vector<Setting<Options>>& settings, const Options& options) {
  std::vector<Parameter> result;
  result.reserve(settings.size());
  for (const auto& setting : settings) result.push_back({setting.name, setting.get(options), setting.unit});
  return result;
}

}  // namespace gcan::data
