#pragma once

// Batched, differentiable geometric algebra on tensors: the products, versors and exponentials of
// gcan/algebra with the same sign table and names. Only stored blades are computed.

#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/torch.h"

namespace gcan::nn {

// Multivectors in a tensor: one dimension runs over a list of blades, the others are batch dimensions that
// broadcast as in LibTorch. Features (N, channels, blades, space...) have the blades at dimension 2, which is
// the default; dimension -1 is the last one.
//
//   const auto pga = gcan::Algebra::pga3d();
//   const gcan::nn::MultivectorTensor b(pga, pga.blades(2), torch::randn({64, 8, 6}));
//   const auto moved = sandwich(exp(b), gcan::nn::MultivectorTensor(pga, pga.blades(3), x));
//   moved.values();                            // (64, 8, 4)
class MultivectorTensor {
 public:
  // Error unless `values` has as many entries along `dim` as there are blades, each given once.
  MultivectorTensor(const Algebra& algebra, std::vector<Blade> blades, torch::Tensor values,
                    std::int64_t dim = 2);

  [[nodiscard]] const Algebra& algebra() const { return algebra_; }
  [[nodiscard]] const std::vector<Blade>& blades() const { return blades_; }
  [[nodiscard]] const torch::Tensor& values() const { return values_; }
  // The dimension of the blades, counted from the end (-1 is the last), which lets operands of different
  // ranks broadcast. It must be equal for both operands.
  [[nodiscard]] std::int64_t dim() const { return dim_; }

  // The coefficients of one blade, without the blades' dimension; zeros if it is not stored.
  [[nodiscard]] torch::Tensor coefficient(Blade blade) const;
  // Converts to another list of blades: new blades are zero, unlisted ones are dropped.
  [[nodiscard]] MultivectorTensor on(const std::vector<Blade>& blades) const;

 private:
  Algebra algebra_;
  std::vector<Blade> blades_;
  torch::Tensor values_;
  std::int64_t dim_;
};

// The blades of a product of multivectors with these blades, in canonical order.
std::vector<Blade> product_blades(const Algebra& algebra, Product product, const std::vector<Blade>& left,
                                  const std::vector<Blade>& right);

// Any product of the sign table, on all its blades or a given list. It saves only its operands for backward
// and is infinitely differentiable.
MultivectorTensor multiply(Product product, const MultivectorTensor& a, const MultivectorTensor& b);
MultivectorTensor multiply(Product product, const MultivectorTensor& a, const MultivectorTensor& b,
                           const std::vector<Blade>& blades);

inline MultivectorTensor operator*(const MultivectorTensor& a, const MultivectorTensor& b) {
  return multiply(Product::geometric, a, b);
}
inline MultivectorTensor outer(const MultivectorTensor& a, const MultivectorTensor& b) {
  return multiply(Product::outer, a, b);
}
inline MultivectorTensor operator^(const MultivectorTensor& a, const MultivectorTensor& b) {
  return outer(a, b);
}
inline MultivectorTensor left_contraction(const MultivectorTensor& a, const MultivectorTensor& b) {
  return multiply(Product::left_contraction, a, b);
}
inline MultivectorTensor right_contraction(const MultivectorTensor& a, const MultivectorTensor& b) {
  return multiply(Product::right_contraction, a, b);
}
inline MultivectorTensor regressive(const MultivectorTensor& a, const MultivectorTensor& b) {
  return multiply(Product::regressive, a, b);
}

// Sums, on the blades of both operands; numbers, or tensors with size 1 along the blades, scale.
MultivectorTensor operator+(const MultivectorTensor& a, const MultivectorTensor& b);
MultivectorTensor operator-(const MultivectorTensor& a, const MultivectorTensor& b);
MultivectorTensor operator*(const MultivectorTensor& x, const torch::Tensor& factor);
MultivectorTensor operator*(const MultivectorTensor& x, double factor);

MultivectorTensor reverse(const MultivectorTensor& x);
inline MultivectorTensor operator~(const MultivectorTensor& x) { return reverse(x); }
MultivectorTensor grade_involution(const MultivectorTensor& x);
using gcan::grade;  // of a blade, which the next line would hide
MultivectorTensor grade(const MultivectorTensor& x, int k);
// The Hodge dual and its inverse; valid for r > 0 too.
MultivectorTensor dual(const MultivectorTensor& x);
MultivectorTensor undual(const MultivectorTensor& x);

// <x ~x>, with size 1 along the blades' dimension, so that x * norm_squared(x) broadcasts.
torch::Tensor norm_squared(const MultivectorTensor& x);
// sqrt(|<x ~x>|). Its gradient at norm 0, where it does not exist, is defined as 0.
torch::Tensor norm(const MultivectorTensor& x);

// For versors (even or odd products of vectors) of any norm with <x ~x> not 0. Null versors give infinities,
// like a division by 0; for other multivectors the result is meaningless.
MultivectorTensor inverse(const MultivectorTensor& versor);
MultivectorTensor normalized(const MultivectorTensor& versor);

// The action of even or odd versors: (-1)^(kl) v x v^-1 on each l-vector, k = 1 for odd versors. The result
// has all blades of the grades of x, or the given ones.
MultivectorTensor sandwich(const MultivectorTensor& versor, const MultivectorTensor& x);
MultivectorTensor sandwich(const MultivectorTensor& versor, const MultivectorTensor& x,
                           const std::vector<Blade>& blades);

// The even versor exp(b) of bivectors. Uses a closed form if the blades of b imply that b ^ b vanishes or
// contains a null vector (up to three dimensions, G(2,0,1), G(3,0,1)), otherwise the series with scaling and
// squaring.
MultivectorTensor exp(const MultivectorTensor& bivector);

// The bivector b with the smallest angles such that exp(b) is the even versor up to its norm; without a
// closed form by the run-time algebra, one by one. Error for versors that determine none, such as -1.
MultivectorTensor log(const MultivectorTensor& versor);

}  // namespace gcan::nn
