#include "gcan/nn/detail/adam_step.h"

#include <algorithm>
#include <cmath>

#include "gcan/nn/detail/parallel.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;
using Tensors = std::vector<Tensor>;

// Below this size a second thread does not pay off.
constexpr std::size_t kGrainPieces = 64;

// The operations of the step, on all tensors at once or one by one.
struct Lists {
  bool together;

  void multiply_(Tensors& to, double factor) const {
    if (together) return torch::_foreach_mul_(to, factor);
    for (Tensor& t : to) t.mul_(factor);
  }
  void add_(Tensors& to, double number) const {
    if (together) return torch::_foreach_add_(to, number);
    for (Tensor& t : to) t.add_(number);
  }
  void add_(Tensors& to, const Tensors& other, double factor) const {
    if (together) return torch::_foreach_add_(to, other, factor);
    for (std::size_t i = 0; i < to.size(); ++i) to[i].add_(other[i], factor);
  }
  void add_squares_(Tensors& to, const Tensors& of, double factor) const {
    if (together) return torch::_foreach_addcmul_(to, of, of, factor);
    for (std::size_t i = 0; i < to.size(); ++i) to[i].addcmul_(of[i], of[i], factor);
  }
  void add_quotients_(Tensors& to, const Tensors& above, const Tensors& below, double factor) const {
    if (together) return torch::_foreach_addcdiv_(to, above, below, factor);
    for (std::size_t i = 0; i < to.size(); ++i) to[i].addcdiv_(above[i], below[i], factor);
  }
  [[nodiscard]] Tensors roots(const Tensors& of) const {
    if (together) return torch::_foreach_sqrt(of);
    Tensors result;
    for (const Tensor& t : of) result.push_back(t.sqrt());
    return result;
  }
  [[nodiscard]] Tensors products(const Tensors& of, double factor) const {
    if (together) return torch::_foreach_mul(of, factor);
    Tensors result;
    for (const Tensor& t : of) result.push_back(t * factor);
    return result;
  }
};

}  // namespace

template <class T>
double adam_update(const kernels::AdamRule& rule, const kernels::AdamTensor<T>& tensor, std::size_t count) {
  constexpr std::size_t kPiece = kernels::kAdamPiece;
  const std::size_t pieces = (count + kPiece - 1) / kPiece;
  if (pieces <= kGrainPieces || at::get_num_threads() == 1) {
    return kernels::adam_update(rule, tensor, 0, count);
  }
  std::vector<double> sums(pieces);
  parallel_for(pieces, kGrainPieces, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      sums[i] = kernels::adam_update(rule, tensor, i * kPiece, std::min(count, (i + 1) * kPiece));
    }
  });
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

template double adam_update(const kernels::AdamRule&, const kernels::AdamTensor<float>&, std::size_t);
template double adam_update(const kernels::AdamRule&, const kernels::AdamTensor<double>&, std::size_t);

void adam_update(const kernels::AdamRule& rule, AdamTensors& tensors, bool together) {
  if (tensors.parameters.empty()) return;
  const torch::NoGradGuard no_grad;
  const Lists lists{together};
  const double step = static_cast<double>(rule.step), decay = rule.decoupled ? 0 : rule.weight_decay;
  const double root = 1 / std::sqrt(1 - std::pow(rule.beta2, step));
  const double rate = rule.learning_rate / (1 - std::pow(rule.beta1, step));
  Tensors gradients = tensors.gradients;
  if (rule.scale != 1 || decay != 0) gradients = lists.products(gradients, rule.scale);
  if (decay != 0) lists.add_(gradients, tensors.parameters, decay);
  lists.multiply_(tensors.means, rule.beta1);
  lists.add_(tensors.means, gradients, 1 - rule.beta1);
  lists.multiply_(tensors.squares, rule.beta2);
  lists.add_squares_(tensors.squares, gradients, 1 - rule.beta2);
  Tensors sizes = lists.roots(tensors.squares);
  lists.multiply_(sizes, root);
  lists.add_(sizes, rule.epsilon);
  if (rule.decoupled && rule.weight_decay != 0) {
    lists.multiply_(tensors.parameters, 1 - rule.learning_rate * rule.weight_decay);
  }
  lists.add_quotients_(tensors.parameters, tensors.means, sizes, -rate);
  if (tensors.averages.empty()) return;
  lists.multiply_(tensors.averages, rule.average_decay);
  lists.add_(tensors.averages, tensors.parameters, 1 - rule.average_decay);
}

torch::Tensor sum_of_squares(const Tensors& tensors, bool together) {
  const torch::NoGradGuard no_grad;
  if (tensors.empty()) return torch::zeros({}, torch::kDouble);
  Tensors norms;
  if (together) {
    norms = torch::_foreach_norm(tensors);
  } else {
    for (const Tensor& t : tensors) norms.push_back(t.norm());
  }
  return torch::stack(norms).to(torch::kDouble).square().sum();
}

bool takes_lists(const torch::Device& device) { return device.is_cpu() || device.is_cuda(); }

}  // namespace gcan::nn::detail
