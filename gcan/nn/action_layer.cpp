#include "gcan/nn/action_layer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gcan/nn/detail/action_kernel.h"
#include "gcan/nn/detail/action_recipe.h"
#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/convolution.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/nn/detail/joined_linear.h"
#include "gcan/nn/detail/linear_function.h"
#include "gcan/nn/detail/tracing.h"

namespace gcan::nn {
namespace {

using torch::Tensor;

std::int64_t count(const std::vector<Blade>& blades) { return static_cast<std::int64_t>(blades.size()); }

void check_channels(const std::string& name, const ActionSettings& s, std::int64_t groups) {
  std::string problem;
  if (s.in_channels < 1 || s.out_channels < 1) {
    problem = " needs at least one input and one output channel";
  } else if (groups < 1 || s.in_channels % groups != 0 || s.out_channels % groups != 0) {
    problem = " needs numbers of channels that its groups divide, not " + std::to_string(groups) + " groups";
  } else if (!(s.eps >= 0) || !std::isfinite(s.eps)) {
    problem = " needs an eps that is finite and not negative, not " + std::to_string(s.eps);
  }
  if (!problem.empty()) throw Error(name + problem);
}

SandwichPlan make_plan(const std::string& name, const ActionSettings& s,
                       const std::vector<Blade>& constants) {
  try {
    return SandwichPlan({s.algebra, s.actions, s.objects, s.objects, constants});
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
}

}  // namespace

ActionSettings::ActionSettings(Algebra algebra_, std::int64_t in, std::int64_t out)
    : algebra(std::move(algebra_)),
      in_channels(in),
      out_channels(out),
      actions(algebra.even_blades()),
      objects(default_objects(algebra)) {}

std::vector<Blade> ActionSettings::chosen_constants() const {
  if (constants) return *constants;
  const Signature s = algebra.signature();
  if (s.r != 1) return {};
  const std::vector<Blade> homogeneous{s.pseudoscalar() ^ 1};
  const bool stored = std::find(objects.begin(), objects.end(), homogeneous[0]) != objects.end();
  // The released layers have a delta on all blades, although it only affects points.
  const bool reaches = released || !sandwich_terms(s, actions, homogeneous, objects).empty();
  return !stored && reaches ? homogeneous : std::vector<Blade>{};
}

std::string action_layer_name(const std::string& layer, const ActionSettings& s) {
  std::string name = layer + "(" + s.algebra.to_string() + ", " + std::to_string(s.in_channels) + " -> " +
                     std::to_string(s.out_channels) + ",";
  for (const Blade blade : s.objects) {
    name += " ";
    name += blade <= s.algebra.pseudoscalar() ? s.algebra.name(blade) : "?";
  }
  if (s.inverse == Inverse::exact) name += ", inverse exact";
  if (s.inverse == Inverse::normalized) name += ", inverse normalized";
  if (s.inverse == Inverse::regularized) name += ", inverse regularized";
  if (s.bias) name += ", bias";
  return name;
}

ActionParameters::ActionParameters() : cache_(std::make_unique<detail::KernelCache>()) {}

ActionParameters::ActionParameters(const ActionParameters& other)
    : Foldable(other),
      action(other.action),
      weight(other.weight),
      delta(other.delta),
      bias(other.bias),
      title_(other.title_),
      kernel_(other.kernel_),
      delta0_(other.delta0_),
      folded_(other.folded_),
      cache_(std::make_unique<detail::KernelCache>()) {}

ActionParameters& ActionParameters::operator=(const ActionParameters& other) {
  if (this == &other) return *this;
  action = other.action;
  weight = other.weight;
  delta = other.delta;
  bias = other.bias;
  title_ = other.title_;
  kernel_ = other.kernel_;
  delta0_ = other.delta0_;
  folded_ = other.folded_;
  cache_->forget();
  return *this;
}

ActionParameters::~ActionParameters() = default;

void ActionParameters::forget_kernel() { cache_->forget(); }

const SandwichPlan& ActionParameters::plan() const { return kernel_->plan(); }

void ActionParameters::create(torch::nn::Module& module, Dictionary& own, const ActionSettings& s,
                              const std::string& name, const std::vector<std::int64_t>& kernel_size,
                              std::int64_t groups, bool rows_are_inputs, bool transposed_blocks) {
  check_channels(name, s, groups);
  const bool was_folded = folded_;
  const AssembledKernel plain{weight, bias};
  const std::vector<Blade> constants = s.chosen_constants();
  kernels::PairLayout layout;
  layout.rows = rows_are_inputs ? s.in_channels : s.out_channels;
  layout.columns = (rows_are_inputs ? s.out_channels : s.in_channels) / groups;
  layout.positions =
      std::accumulate(kernel_size.begin(), kernel_size.end(), std::int64_t{1}, std::multiplies<>());
  layout.groups = groups;
  layout.transposed_blocks = transposed_blocks;
  title_ = name;
  delta0_ = s.delta0;
  folded_ = false;
  cache_->forget();
  kernel_ = c10::make_intrusive<detail::ActionKernel>(make_plan(name, s, constants), layout,
                                                      kernels::ActionInverse{s.inverse, s.eps}, kernel_size);

  std::vector<std::int64_t> sizes{layout.rows, layout.columns};
  sizes.insert(sizes.end(), kernel_size.begin(), kernel_size.end());
  weight = module.register_parameter("weight", torch::empty(sizes));
  sizes.insert(sizes.begin(), count(s.actions));
  action = module.register_parameter("action", torch::empty(sizes));
  const bool with_delta = !constants.empty();
  delta = module.register_parameter(
      "delta", with_delta ? torch::empty({s.in_channels, count(constants)}) : Tensor(), with_delta);
  bias = module.register_parameter(
      "bias", s.bias ? torch::empty({s.out_channels, count(s.objects)}) : Tensor(), s.bias);
  reset_parameters();
  if (was_folded) become_plain(module, own, plain);
}

std::int64_t ActionParameters::blades() const { return count(plan().blades().inputs); }

void ActionParameters::fold_parameters(torch::nn::Module& module, Dictionary& own) {
  if (folded_) return;
  const torch::NoGradGuard no_grad;
  become_plain(module, own, assembled(/*training=*/false));
}

void ActionParameters::become_plain(torch::nn::Module& module, Dictionary& own, const AssembledKernel& made) {
  const torch::NoGradGuard no_grad;
  own.clear();
  folded_ = true;
  cache_->forget();
  action = delta = Tensor();
  weight = module.register_parameter("weight", made.kernel.detach().clone());
  bias = module.register_parameter("bias", made.bias.defined() ? made.bias.detach().clone() : Tensor(),
                                   made.bias.defined());
}

void ActionParameters::reset_parameters() {
  if (folded_) throw Error(title_ + " is folded and has no group actions to reinitialise");
  const torch::NoGradGuard no_grad;
  const Signature s = plan().blades().algebra.signature();
  action.zero_();
  for (std::size_t i = 0; i < plan().blades().actions.size(); ++i) {
    if ((plan().blades().actions[i] & s.null_vectors()) == 0) {
      action[static_cast<std::int64_t>(i)].uniform_(-1, 1);
    }
  }
  const Tensor length = action.square().sum(0, true).sqrt();
  action.div_(torch::where(length > 0, length, torch::ones_like(length)));
  torch::nn::init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (delta.defined()) delta.fill_(delta0_);
  if (bias.defined()) {
    const double bound = 1 / std::sqrt(static_cast<double>(weight[0].numel()));
    bias.uniform_(-bound, bound);
  }
}

Recipe ActionParameters::recipe() const {
  if (!folded_) return detail::action_recipe(kernel_, action, weight, delta, bias, title_);
  Recipe recipe;
  recipe.parameters = {weight};
  if (bias.defined()) recipe.parameters.push_back(bias);
  recipe.make = [made = AssembledKernel{weight, bias}] { return made; };
  recipe.gradients = detail::gradients_of_itself(bias.defined());
  return recipe;
}

Recipe detail::action_recipe(const ActionKernelPtr& kernel, const Tensor& action, const Tensor& weight,
                             const Tensor& delta, const Tensor& bias, const std::string& title) {
  Recipe recipe;
  for (const Tensor& p : {action, weight, delta, bias}) {
    if (p.defined()) recipe.parameters.push_back(p);
  }
  recipe.make = [kernel, a = action, w = weight, d = delta, b = bias, title] {
    try {
      AssembledKernel made = assemble(kernel, a, w, d.defined() ? d : torch::empty({0}, a.options()));
      if (b.defined()) made.bias = made.bias.defined() ? made.bias + b.flatten() : b.flatten();
      return made;
    } catch (const Error& error) {
      throw Error(title + " " + error.what());
    }
  };
  if (!has_kernel(action)) return recipe;
  recipe.gradients = [kernel, a = action, w = weight, d = delta, b = bias](const Tensor& of_kernel,
                                                                           const Tensor& of_bias) {
    std::vector<Tensor> result = assemble_backward(
        *kernel, {a, w, d.defined() ? d : torch::empty({0}, a.options())}, of_kernel, of_bias);
    if (!d.defined()) result.pop_back();
    if (b.defined()) result.push_back(of_bias.reshape(b.sizes()));
    return result;
  };
  return recipe;
}

bool ActionParameters::wants_gradient() const {
  if (!torch::GradMode::is_enabled()) return false;
  for (const Tensor* p : {&action, &weight, &delta, &bias}) {
    if (p->defined() && p->requires_grad()) return true;
  }
  return false;
}

Tensor ActionParameters::delta_or_empty() const {
  return delta.defined() ? delta : torch::empty({0}, action.options());
}

AssembledKernel ActionParameters::assembled(bool training) const {
  if (folded_) return {weight, bias};
  const auto make = recipe().make;
  // Tracing would record a cached kernel as a constant.
  const bool anew = training || wants_gradient() || detail::is_traced();
  return anew ? make() : cache_->get({action, weight, delta, bias}, make);
}

Tensor ActionParameters::through_linear(const Tensor& x, bool training, const Samples& samples) const {
  const bool wanted = wants_gradient(), x_wants = torch::GradMode::is_enabled() && x.requires_grad();
  if (!folded_ && (training || wanted) && detail::can_fuse(x, action)) {
    const Tensor constant = bias.defined() ? bias.flatten() : torch::empty({0}, action.options());
    return named([&] {
      return detail::fused_linear(kernel_, x, action, weight, delta_or_empty(), constant, samples);
    });
  }
  const AssembledKernel made = assembled_for(x, training);
  return wanted || x_wants ? detail::differentiable_affine(x, made, samples)
                           : detail::affine(x, made, samples);
}

detail::LinearLayer ActionParameters::linear_layer() const {
  return {title_,
          kernel_,
          action.contiguous(),
          weight.contiguous(),
          delta_or_empty().contiguous(),
          bias.defined() ? bias.flatten() : torch::empty({0}, action.options())};
}

Tensor ActionParameters::through_both(const Tensor& h, const ActionParameters& inner, const Tensor& s,
                                      bool training, const Samples& of_inner) const {
  const bool assembles = !folded_ && !inner.folded_ && (training || wants_gradient()) &&
                         detail::can_fuse(h, action) && detail::can_fuse(s, inner.action);
  if (!assembles || of_inner.groups != 1) return {};
  const detail::LinearLayer outer = linear_layer(), first = inner.linear_layer();
  if (!detail::joining_pays(outer, first, h.size(1))) return {};
  return detail::joined_linear(outer, h, first, s, of_inner.biased, of_inner.bias_weight);
}

Tensor ActionParameters::run(const Tensor& x, const ConvolutionSettings& settings, bool training,
                             const Preparation& before, const Tensor& add) const {
  const bool rounds = detail::autocast_type(x.device()).has_value();  // input and kernel, whatever they are
  if (wants_gradient() && (rounds || x.scalar_type() == weight.scalar_type())) {
    return detail::convolve(title_, x, settings, recipe(), before, add);
  }
  return detail::convolve_with(title_, before.make ? before.make(x) : x, settings, assembled_for(x, training),
                               add);
}

AssembledKernel ActionParameters::assembled_for(const Tensor& x, bool training) const {
  AssembledKernel made = assembled(training);
  const auto type = x.scalar_type();
  if (type == made.kernel.scalar_type()) return made;
  // Inputs in half precision, as with autocast, use a kernel in half precision.
  if (type != torch::kBFloat16 && type != torch::kHalf) {
    throw Error(title_ + " got a tensor of " + std::string(x.dtype().name()) + ", but its parameters are " +
                std::string(made.kernel.dtype().name()) + ": convert one of them with to()");
  }
  return {made.kernel.to(type), made.bias.defined() ? made.bias.to(type) : Tensor()};
}

}  // namespace gcan::nn
