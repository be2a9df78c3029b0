#pragma once

// The common base of linear and convolutional group action layers, T(x) = sum_i w_i a_i x_i a_i^-1: options,
// parameters and the assembled kernel.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/algebra/sandwich_plan.h"
#include "gcan/nn/fold.h"
#include "gcan/nn/objects.h"
#include "gcan/nn/plain_kernel.h"

namespace gcan::nn {

namespace detail {
class ActionKernel;
class KernelCache;
struct LinearLayer;
}  // namespace detail

// The values of ActionOptions.
struct ActionSettings {
  Algebra algebra;
  std::int64_t in_channels;
  std::int64_t out_channels;
  std::vector<Blade> actions;
  std::vector<Blade> objects;
  std::optional<std::vector<Blade>> constants = std::nullopt;
  Inverse inverse = Inverse::reverse;
  double eps = 1e-4;
  bool bias = false;
  double delta0 = 1;
  bool released = false;

  ActionSettings(Algebra algebra, std::int64_t in_channels, std::int64_t out_channels);
  // The constant blades: those set, by default the homogeneous weight of points (e123 in G(3,0,1)) if it is
  // not an object and its image contributes to the objects.
  [[nodiscard]] std::vector<Blade> chosen_constants() const;
};

// Common options of the group action layers, with setter and getter of one name as in LibTorch; Derived is
// the layer's option class.
template <class Derived>
class ActionOptions {
 public:
  [[nodiscard]] const Algebra& algebra() const { return settings_.algebra; }
  [[nodiscard]] std::int64_t in_channels() const { return settings_.in_channels; }
  [[nodiscard]] std::int64_t out_channels() const { return settings_.out_channels; }

  // Blades of the actions, all even (Spin, the default: all even blades) or all odd (Pin).
  Derived& actions(std::vector<Blade> blades) { return set(&ActionSettings::actions, std::move(blades)); }
  [[nodiscard]] const std::vector<Blade>& actions() const { return settings_.actions; }
  // Blades of the features; see default_objects().
  Derived& objects(std::vector<Blade> blades) { return set(&ActionSettings::objects, std::move(blades)); }
  [[nodiscard]] const std::vector<Blade>& objects() const { return settings_.objects; }
  // Blades that every object of a channel has with one learnable value, `delta`. By default the homogeneous
  // weight of points where it is not an object.
  Derived& constants(std::vector<Blade> blades) {
    return set(&ActionSettings::constants, std::optional(std::move(blades)));
  }
  [[nodiscard]] std::vector<Blade> constants() const { return settings_.chosen_constants(); }
  // How a^-1 is computed; the paper uses the reverse.
  Derived& inverse(Inverse inverse) { return set(&ActionSettings::inverse, inverse); }
  [[nodiscard]] Inverse inverse() const { return settings_.inverse; }
  // For the inverses `normalized` and `regularized`.
  Derived& eps(double eps) { return set(&ActionSettings::eps, eps); }
  [[nodiscard]] double eps() const { return settings_.eps; }
  // A learnable bias per output channel and blade. It maps k-vectors to k-vectors, but is not equivariant.
  Derived& bias(bool bias) { return set(&ActionSettings::bias, bias); }
  [[nodiscard]] bool bias() const { return settings_.bias; }
  // Initial value of delta. Translations start at zero, and the gradients of delta and translations are
  // proportional to each other's value: with delta0 = 0, as released with the paper, both stay zero.
  Derived& delta0(double delta0) { return set(&ActionSettings::delta0, delta0); }
  [[nodiscard]] double delta0() const { return settings_.delta0; }
  // Whether released(true) was called, which each layer's options define.
  [[nodiscard]] bool released() const { return settings_.released; }

  [[nodiscard]] const ActionSettings& settings() const { return settings_; }

 protected:
  explicit ActionOptions(ActionSettings settings) : settings_(std::move(settings)) {}
  template <class T>
  Derived& set(T ActionSettings::*member, T value) {
    settings_.*member = std::move(value);
    return static_cast<Derived&>(*this);
  }
  // The released layers: this inverse, and a delta that starts at zero.
  Derived& set_released(bool released, Inverse inverse) {
    settings_.released = released;
    if (released) {
      settings_.inverse = inverse;
      settings_.eps = 1e-4;
      settings_.delta0 = 0;
    }
    return static_cast<Derived&>(*this);
  }
  ActionSettings settings_;
};

// The parameters and their kernel: a base of the modules, beside torch::nn::Cloneable.
class ActionParameters : public Foldable {
 public:
  ~ActionParameters() override;

  // (action blades, out, in / groups, kernel...); blades first, so that SIMD runs along the channels. For
  // transposed convolutions (action blades, in, out / groups, kernel...), as LibTorch orders their weights.
  torch::Tensor action;
  // One number per action: (out, in / groups, kernel...) or (in, out / groups, kernel...).
  torch::Tensor weight;
  // (in, constants): the values of the constant blades; undefined without.
  torch::Tensor delta;
  // (out, blades); undefined without. In a folded layer `weight` and `bias` are those of the plain layer, and
  // `action` and `delta` are undefined.
  torch::Tensor bias;

  [[nodiscard]] bool is_folded() const final { return folded_; }

  // Reinitialises the parameters; Error for a folded layer. Actions: blades without null vectors uniform,
  // normalised to length 1; the others, translations, zero. Weights: Kaiming-uniform with a = sqrt(5), like
  // LibTorch's layers.
  void reset_parameters();

  // The kernel and bias of the ordinary layer that computes the same function on (N, channels * blades,
  // space...). Cached until a parameter changes, in evaluation mode and if no gradient is required.
  [[nodiscard]] AssembledKernel assembled(bool training) const;
  // Clears the cached kernel: needed after changing parameters through raw pointers or `data()`.
  void forget_kernel();

 protected:
  ActionParameters();
  // A copy has the same parameters and its own kernel cache.
  ActionParameters(const ActionParameters& other);
  ActionParameters& operator=(const ActionParameters& other);

  using Dictionary = torch::OrderedDict<std::string, torch::Tensor>;

  // Registers the parameters with `module`, whose dictionary of parameters is `own`; `name` is for errors. A
  // copy of a folded layer stays folded.
  void create(torch::nn::Module& module, Dictionary& own, const ActionSettings& settings,
              const std::string& name, const std::vector<std::int64_t>& kernel_size = {},
              std::int64_t groups = 1, bool rows_are_inputs = false, bool transposed_blocks = false);
  void fold_parameters(torch::nn::Module& module, Dictionary& own);

  // The kernel for an input of this type; Error for incompatible types.
  [[nodiscard]] AssembledKernel assembled_for(const torch::Tensor& x, bool training) const;
  // x (N, in * blades) through the linear layer of these parameters, to (N, out * blades).
  [[nodiscard]] torch::Tensor through_linear(const torch::Tensor& x, bool training,
                                             const Samples& samples = {}) const;
  // The columns (h, inner(s)) through the linear layer of these parameters; undefined if multiplying both
  // layers' kernels first does not pay.
  [[nodiscard]] torch::Tensor through_both(const torch::Tensor& h, const ActionParameters& inner,
                                           const torch::Tensor& s, bool training,
                                           const Samples& of_inner) const;
  // The convolution of (N, in, blades, space...) with the kernel, which autograd recomputes when needed.
  [[nodiscard]] torch::Tensor run(const torch::Tensor& x, const ConvolutionSettings& settings, bool training,
                                  const Preparation& before = {}, const torch::Tensor& add = {}) const;
  // Assembles the kernel of these parameters, independent of the layer's lifetime.
  [[nodiscard]] Recipe recipe() const;
  [[nodiscard]] const SandwichPlan& plan() const;
  // Number of blades of an object.
  [[nodiscard]] std::int64_t blades() const;
  // "GcaLinear(G(3,0,1), 128 -> 128, e012 e013 e023)"
  [[nodiscard]] const std::string& title() const { return title_; }

 private:
  // Replaces the parameters by the plain kernel.
  void become_plain(torch::nn::Module& module, Dictionary& own, const AssembledKernel& made);
  // Whether a parameter requires a gradient.
  [[nodiscard]] bool wants_gradient() const;
  [[nodiscard]] torch::Tensor delta_or_empty() const;
  [[nodiscard]] detail::LinearLayer linear_layer() const;
  // Runs the work and prefixes its Error with the layer's name.
  template <class Work>
  [[nodiscard]] auto named(const Work& work) const {
    try {
      return work();
    } catch (const Error& error) {
      throw Error(title_ + " " + error.what());
    }
  }

  std::string title_;
  c10::intrusive_ptr<detail::ActionKernel> kernel_;
  double delta0_ = 1;
  bool folded_ = false;
  std::unique_ptr<detail::KernelCache> cache_;
};

// "GcaLinear(G(3,0,1), 128 -> 128, e012 e013 e023, ...": the settings that differ from the defaults follow.
std::string action_layer_name(const std::string& layer, const ActionSettings& settings);

}  // namespace gcan::nn
