#pragma once

// The multivector sigmoid linear unit of the paper.

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/nn/objects.h"
#include "gcan/torch.h"

namespace gcan::nn {

namespace detail {
struct Grades;
}  // namespace detail

// The reduction of a multivector to its gate: a learnt linear form of the components, their sum, or their
// mean.
enum class Aggregation { linear, sum, mean };

// One gate per grade (the paper's f_k), or one per channel for all grades (the authors' released layers).
// Both are the same for objects of a single grade.
enum class Gates { per_grade, per_channel };

struct MSiLUOptions {
  MSiLUOptions(Algebra algebra, std::int64_t channels)
      : algebra_(algebra), channels_(channels), objects_(default_objects(algebra_)) {}

  TORCH_ARG(Algebra, algebra);
  TORCH_ARG(std::int64_t, channels);
  // The blades of the features, in order.
  TORCH_ARG(std::vector<Blade>, objects);
  TORCH_ARG(Aggregation, aggregation) = Aggregation::linear;
  TORCH_ARG(Gates, gates) = Gates::per_grade;
  // Whether the linear forms have a constant term.
  TORCH_ARG(bool, bias) = true;

 public:
  // As released with the paper: one gate per channel, with a constant term.
  MSiLUOptions& released(bool released) { return released ? gates(Gates::per_channel).bias(true) : *this; }
};

// Scales the grade-k part of every multivector by sigmoid(f_k), f_k a linear form of all its components, so
// that k-vectors map to k-vectors. (N, channels, blades, space...) in and out.
//
//   auto pga = gcan::Algebra::pga3d();
//   auto gate = gcan::nn::MSiLU(pga, 128);
//   auto y = gate(x);                        // (N, 128, 3) -> (N, 128, 3)
class MSiLUImpl : public torch::nn::Cloneable<MSiLUImpl> {
 public:
  MSiLUImpl(const Algebra& algebra, std::int64_t channels) : MSiLUImpl(MSiLUOptions(algebra, channels)) {}
  explicit MSiLUImpl(MSiLUOptions options);

  // Weights and biases uniform in +-1/sqrt(blades).
  void reset() override;
  void pretty_print(std::ostream& stream) const override;

  torch::Tensor forward(const torch::Tensor& x);
  // The same function with tensor operations, for other devices and types.
  [[nodiscard]] torch::Tensor forward_with_tensors(const torch::Tensor& x) const;

  // The linear forms, learnt or not: (channels, gates, blades) and (channels, gates).
  [[nodiscard]] torch::Tensor gate_weight(const torch::TensorOptions& like) const;
  [[nodiscard]] torch::Tensor gate_bias(const torch::TensorOptions& like) const;
  [[nodiscard]] const detail::Grades& gate_parts() const { return *parts_; }

  MSiLUOptions options;
  torch::Tensor weight;  // (channels, gates, blades); undefined unless the aggregation is linear
  torch::Tensor bias;    // (channels, gates); likewise

 private:
  [[nodiscard]] std::string name() const;

  std::shared_ptr<const detail::Grades> parts_;
};

TORCH_MODULE(MSiLU);

}  // namespace gcan::nn
