#pragma once

// A geometric algebra G(p,q,r) chosen at run time, over the shared sign table.

#include <string>
#include <string_view>
#include <vector>

#include "gcan/algebra/signature.h"
#include "gcan/base/error.h"

namespace gcan {

// G(p,q,r) with p + q + r up to 12.
//
//   const auto pga = gcan::Algebra::pga3d();
//   pga.name(pga.blade("e31").blade);            // "e13"
class Algebra {
 public:
  explicit Algebra(int p, int q = 0, int r = 0);
  explicit Algebra(Signature signature);

  static Algebra pga2d() { return Algebra(kPga2d); }
  static Algebra pga3d() { return Algebra(kPga3d); }
  // Parses "3,0,1", "3,1" or "G(3,0,1)".
  static Algebra parse(std::string_view text);

  [[nodiscard]] const Signature& signature() const { return signature_; }
  [[nodiscard]] int dimension() const { return signature_.dimension(); }
  [[nodiscard]] Blade pseudoscalar() const { return signature_.pseudoscalar(); }
  // "G(3,0,1)"
  [[nodiscard]] std::string to_string() const;

  // All blades, the blades of one grade, or those of even grade, in canonical order.
  [[nodiscard]] std::vector<Blade> blades() const;
  [[nodiscard]] std::vector<Blade> blades(int grade) const;
  [[nodiscard]] std::vector<Blade> even_blades() const;
  // In a projective algebra (r = 1): the blades that hold the position of a point, without the homogeneous
  // weight (e012, e013, e023 in three dimensions).
  [[nodiscard]] std::vector<Blade> points() const;

  [[nodiscard]] std::string name(Blade blade) const;
  // Looks up a blade by name. The order of its indices gives the sign: "e31" is -e13.
  [[nodiscard]] SignedBlade blade(std::string_view name) const;

  // The non-zero entries of a product between two lists of blades: left[i] right[j] = sign * blade. Memory is
  // proportional to the result; the full 2^n x 2^n table is never built.
  struct TableEntry {
    std::size_t left;
    std::size_t right;
    SignedBlade result;
  };
  [[nodiscard]] std::vector<TableEntry> product_table(Product product, const std::vector<Blade>& left,
                                                      const std::vector<Blade>& right) const;

  friend bool operator==(const Algebra&, const Algebra&) = default;

 private:
  Signature signature_;
};

}  // namespace gcan
