#pragma once

// TORCH_ARG for options that several option classes inherit: setter and getter of one name, where the setter
// returns the derived class, so that calls chain. For use in a class template with the parameter Derived,
// followed by the default value:
//
//   template <class Derived>
//   class SizeOptions {
//     GCAN_INHERITED_ARG(std::int64_t, width) = 64;
//   };

#include <utility>

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define GCAN_INHERITED_ARG(T, name)                       \
 public:                                                  \
  Derived& name(const T& new_##name) {                    \
    this->name##_ = new_##name;                           \
    return static_cast<Derived&>(*this);                  \
  }                                                       \
  [[nodiscard]] const T& name() const { return name##_; } \
                                                          \
 private:                                                 \
  T name##_
// NOLINTEND(bugprone-macro-parentheses)
