#pragma once

// What the group action layers T(x) = sum_i w_i a_i x_i a_i^-1 have in common, linear and convolutional:
// their options, their parameters and the kernel made of them.

#include <optional>
#include <string>
#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/nn/detail/convolution.h"
#include "gcan/nn/detail/linear_function.h"

namespace gcan::nn {

// Options of all group action layers; their setters are in ActionOptions.
struct ActionSettings {
  Algebra algebra;
  std::int64_t in_channels;
  std::int64_t out_channels;
  std::vector<Blade> actions;
  std::vector<Blade> objects;
  std::optional<std::vector<Blade>> constants = std::nullopt;
  Inverse inverse = Inverse::reverse;
  double epsilon = 1e-4;
  bool bias = false;
  double delta0 = 1;
  bool compat = false;

  ActionSettings(Algebra algebra, std::int64_t in_channels, std::int64_t out_channels);
  // The constant blades that hold: those set, or else the homogeneous weight of points (e123 in G(3,0,1)) if
  // it is no object and its image reaches the objects.
  [[nodiscard]] std::vector<Blade> chosen_constants() const;
};

// The setters, each beside its getter, as in LibTorch's options; Derived is the layer's own option class.
template <class Derived>
class ActionOptions {
 public:
  [[nodiscard]] const ActionSettings& settings() const { return settings_; }

  // Blades of the actions, all even (Spin, the default: all even blades) or all odd (Pin).
  Derived& actions(std::vector<Blade> blades) { return set(&ActionSettings::actions, std::move(blades)); }
  // Blades of the features; the points' in a projective algebra (r = 1), else the vectors.
  Derived& objects(std::vector<Blade> blades) { return set(&ActionSettings::objects, std::move(blades)); }
  // Blades that every object of a channel has with one learnable value, `delta`: see
  // ActionSettings::chosen_constants for the default.
  Derived& constants(std::vector<Blade> blades) {
    return set(&ActionSettings::constants, std::optional(std::move(blades)));
  }
  // What stands for a^-1; the paper takes the reverse.
  Derived& inverse(Inverse inverse) { return set(&ActionSettings::inverse, inverse); }
  // For the inverses `normalized` and `regularized`.
  Derived& epsilon(double epsilon) { return set(&ActionSettings::epsilon, epsilon); }
  // A learnable bias per output channel and blade. It keeps k-vectors k-vectors, but singles out a direction.
  Derived& bias(bool bias) { return set(&ActionSettings::bias, bias); }
  // Start value of delta. Translations start at zero, and the gradient of each of the two is proportional to
  // the other: with delta0 = 0, as released with the paper, both stay zero for ever.
  Derived& delta0(double delta0) { return set(&ActionSettings::delta0, delta0); }

 protected:
  explicit ActionOptions(ActionSettings settings) : settings_(std::move(settings)) {}
  template <class T>
  Derived& set(T ActionSettings::*member, T value) {
    settings_.*member = std::move(value);
    return static_cast<Derived&>(*this);
  }
  ActionSettings settings_;
};

// The parameters and their kernel: a base of the modules, beside torch::nn::Cloneable.
class ActionParameters {
 public:
  // (action blades, out, in / groups, kernel...); blades first, so that SIMD runs along the channels. For
  // transposed convolutions (action blades, in, out / groups, kernel...), as LibTorch orders their weights.
  torch::Tensor action;
  // One number per action: (out, in / groups, kernel...) or (in, out / groups, kernel...).
  torch::Tensor weight;
  // (in, constants): the values of the constant blades; undefined without.
  torch::Tensor delta;
  // (out, blades); undefined without.
  torch::Tensor bias;

  // Draws new start values. Actions: the blades without null vectors uniform, normalised to length 1; the
  // others, translations, zero. Weights: Kaiming-uniform with a = sqrt(5), like LibTorch's layers.
  void reset_parameters();

  // The kernel and bias of the ordinary layer that computes the same function on (N, channels * blades,
  // space...). In evaluation and where no gradient is wanted it is kept until a parameter changes.
  [[nodiscard]] AssembledKernel assembled(bool training) const;
  // Assembles anew at the next call: needed after parameters were changed through raw pointers or `data()`.
  void forget_kernel() { cache_.forget(); }

 protected:
  ActionParameters() = default;

  // Registers the parameters with `module`; `name` is for errors.
  void create(torch::nn::Module& module, const ActionSettings& settings, const std::string& name,
              const std::vector<std::int64_t>& kernel_size = {}, std::int64_t groups = 1,
              bool rows_are_inputs = false, bool transposed_blocks = false);

  // The kernel for an input of this type; Error when the types do not go together.
  [[nodiscard]] AssembledKernel assembled_for(const torch::Tensor& x, bool training) const;
  // x (N, in * blades) through the linear layer of these parameters, to (N, out * blades).
  [[nodiscard]] torch::Tensor through_linear(const torch::Tensor& x, bool training,
                                             const Samples& samples = {}) const;
  // The convolution of (N, in, blades, space...) with the kernel, which autograd makes again when it needs
  // it.
  [[nodiscard]] torch::Tensor run(const torch::Tensor& x, const ConvolutionSettings& settings, bool training,
                                  const Preparation& before = {}) const;
  // Makes the kernel of these parameters, whether or not the layer still lives.
  [[nodiscard]] Recipe recipe() const;
  [[nodiscard]] const SandwichPlan& plan() const { return kernel_->plan(); }
  // Number of blades of an object.
  [[nodiscard]] std::int64_t blades() const;
  // "GcaLinear(G(3,0,1), 128 -> 128, e012 e013 e023)"
  [[nodiscard]] const std::string& title() const { return title_; }

 private:
  // Whether a gradient is to flow into a parameter.
  [[nodiscard]] bool wants_gradient() const;
  [[nodiscard]] torch::Tensor delta_or_empty() const;
  // Runs the work; its Error gets the layer's name in front.
  template <class Work>
  [[nodiscard]] auto named(const Work& work) const {
    try {
      return work();
    } catch (const Error& error) {
      throw Error(title_ + " " + error.what());
    }
  }

  std::string title_;
  ActionKernelPtr kernel_;
  double delta0_ = 1;
  mutable KernelCache cache_;
};

// "GcaLinear(G(3,0,1), 128 -> 128, e012 e013 e023, ...": the settings that differ from the defaults follow.
std::string action_layer_name(const std::string& layer, const ActionSettings& settings);

}  // namespace gcan::nn
