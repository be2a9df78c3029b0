#include "gcan/nn/detail/norm_function.h"

#include <ATen/Dispatch.h>

#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/nn/detail/gate_function.h"
#include "gcan/nn/detail/parallel.h"
#include "gcan/nn/msilu.h"

namespace gcan::nn::detail {

namespace {

using kernels::Divisor;
using torch::autograd::variable_list;

// One over the mean norm plus epsilon; 0 if the norm is 0, so that constant features become 0, not NaN.
torch::Tensor inverse_of(const torch::Tensor& mean_norm, double eps) {
  const torch::Tensor divisor = mean_norm + eps;
  const torch::Tensor positive = divisor > 0;
  // The inner where() keeps the unused branch finite, because its gradient is multiplied by 0.
  const torch::Tensor one = torch::ones({}, divisor.options());
  return torch::where(positive, torch::where(positive, divisor, one).reciprocal(), one - one);
}

// One call in the kernels' terms. T is the features' type.
template <class T>
class NormCall {
 public:
  NormCall(const torch::Tensor& x, const NormTensors& tensors, const NormSettings& settings,
           const Grades& gate)
      : x_(x), tensors_(tensors), settings_(settings), features_(x) {
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    norm_.channels = size(features_.channels);
    norm_.channels_per_group = size(features_.channels / settings.groups);
    norm_.blades = size(features_.blades);
    norm_.grades = settings.grades.count;
    norm_.space = size(features_.space);
    norm_.grade_of = settings.grades.part_of;
    norm_.divisor = settings.divisor;
    norm_.weight = tensors.weight.data_ptr<T>();
    norm_.bias = tensors.bias.defined() ? tensors.bias.data_ptr<T>() : nullptr;
    if (tensors.gate_weight.defined()) {
      gate_ = kernel_gate<T>(tensors.gate_weight, tensors.gate_bias, gate.part_of, features_.space);
      gate_used_ = &gate_;
    }
  }
  NormCall(const NormCall&) = delete;
  NormCall& operator=(const NormCall&) = delete;

  // (samples, groups, blades) and (samples, groups, grades). With so few values, loops cost less than the
  // calls of equivalent tensor operations.
  void find_statistics() {
    const std::size_t width = norm_.forward_sums();
    std::vector<double> sums(features_.rows() * width);
    over_rows([&](std::size_t begin, std::size_t end) {
      kernels::norm_sums(norm_, begin, end, data(x_), sums.data());
    });
    mean = group_tensor(norm_.blades);
    inverse = group_tensor(norm_.grades);
    use(mean, inverse);
    std::vector<double> lengths(groups() * norm_.grades);
    for (std::size_t g = 0; g < groups(); ++g) {
      for (std::size_t i = 0; i < width; ++i) {
        const double average = group_sum(sums, width, g, i) / numbers_per_group();
        if (i < norm_.blades) {
          data(mean)[g * norm_.blades + i] = static_cast<T>(average);
        } else {
          lengths[g * norm_.grades + i - norm_.blades] = average;
        }
      }
    }
    if (settings_.divisor == Divisor::mean_centred_norm) find_distances(lengths);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      // Constant features, whose mean norm is 0, become 0, not NaN.
      const double divisor = settings_.divisor == Divisor::one ? 1.0 : lengths[i] + settings_.eps;
      data(inverse)[i] = divisor > 0 ? static_cast<T>(1 / divisor) : T(0);
    }
  }

  void use(const torch::Tensor& known_mean, const torch::Tensor& known_inverse) {
    mean = known_mean;
    inverse = known_inverse;
    norm_.mean = data(mean);
    norm_.inverse = inverse.defined() ? data(inverse) : nullptr;
  }

  torch::Tensor forward() {
    torch::Tensor y = torch::empty_like(x_);
    over_rows([&](std::size_t begin, std::size_t end) {
      kernels::norm_forward(norm_, gate_used_, begin, end, data(x_), data(y));
    });
    return y;
  }

  // The gradients of x, weight, bias, gate weight, gate bias.
  variable_list backward(const torch::Tensor& dy) {
    const std::size_t width = norm_.backward_sums(), gate_width = gate_.sums_per_row();
    std::vector<double> sums(features_.rows() * width), gate_sums(features_.rows() * gate_width);
    over_rows([&](std::size_t begin, std::size_t end) {
      kernels::norm_backward_sums(norm_, gate_used_, begin, end, data(x_), data(dy), sums.data(),
                                  gate_sums.data());
    });
    const auto [shift, pull] = shift_and_pull(sums);
    torch::Tensor dx = torch::empty_like(x_);
    over_rows([&](std::size_t begin, std::size_t end) {
      kernels::norm_backward(norm_, gate_used_, begin, end, data(x_), data(dy), shift.data(), pull.data(),
                             data(dx));
    });
    variable_list result{dx, weight_gradient(sums), {}, {}, {}};
    const auto blades = features_.blades;
    if (tensors_.bias.defined()) {
      result[2] = parameter_gradient({features_.channels, blades}, sums, width, 0);
    }
    if (gate_used_ == nullptr) return result;
    const torch::Tensor gates = parameter_gradient(
        {features_.channels, static_cast<std::int64_t>(gate_.gates), blades + 1}, gate_sums, gate_width, 0);
    result[3] = gates.narrow(2, 0, blades);
    result[4] = gates.select(2, blades);
    return result;
  }

  torch::Tensor mean, inverse;

 private:
  static T* data(const torch::Tensor& tensor) { return tensor.data_ptr<T>(); }
  [[nodiscard]] std::size_t groups() const {
    return static_cast<std::size_t>(features_.samples * settings_.groups);
  }
  [[nodiscard]] double numbers_per_group() const {
    return static_cast<double>(features_.channels / settings_.groups * features_.space);
  }
  [[nodiscard]] torch::Tensor group_tensor(std::size_t width) const {
    return torch::empty({features_.samples, settings_.groups, static_cast<std::int64_t>(width)},
                        torch::TensorOptions(x_.scalar_type()));
  }
  void over_rows(const std::function<void(std::size_t, std::size_t)>& body) const {
    parallel_for(features_.rows(), features_.grain(), body);
  }
  // The sum of entry i over all rows of a group.
  [[nodiscard]] double group_sum(const std::vector<double>& sums, std::size_t width, std::size_t group,
                                 std::size_t i) const {
    double sum = 0;
    for (std::size_t c = 0; c < norm_.channels_per_group; ++c) {
      sum += sums[(group * norm_.channels_per_group + c) * width + i];
    }
    return sum;
  }
  void find_distances(std::vector<double>& lengths) const {
    std::vector<double> sums(features_.rows() * norm_.grades);
    over_rows([&](std::size_t begin, std::size_t end) {
      kernels::norm_distances(norm_, begin, end, data(x_), sums.data());
    });
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      lengths[i] = group_sum(sums, norm_.grades, i / norm_.grades, i % norm_.grades) / numbers_per_group();
    }
  }
  // Sums over the samples the entries of each row from `first` on; `sizes` gives their number per channel.
  [[nodiscard]] torch::Tensor parameter_gradient(torch::IntArrayRef sizes, const std::vector<double>& sums,
                                                 std::size_t width, std::size_t first) const {
    torch::Tensor gradient = torch::empty(sizes, torch::TensorOptions(x_.scalar_type()));
    const std::size_t count = static_cast<std::size_t>(gradient.numel()) / norm_.channels;
    for (std::size_t c = 0; c < norm_.channels; ++c) {
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t row = c; row < features_.rows(); row += norm_.channels) {
          sum += sums[row * width + first + i];
        }
        data(gradient)[c * count + i] = static_cast<T>(sum);
      }
    }
    return gradient;
  }
  [[nodiscard]] torch::Tensor weight_gradient(const std::vector<double>& sums) const {
    std::vector<double> scaled(features_.rows() * norm_.grades);
    for (std::size_t row = 0; row < features_.rows(); ++row) {
      for (std::size_t k = 0; k < norm_.grades; ++k) {
        const double slope = sums[row * norm_.backward_sums() + 2 * norm_.blades + k];
        scaled[row * norm_.grades + k] =
            slope * static_cast<double>(norm_.inverse[row / norm_.channels_per_group * norm_.grades + k]);
      }
    }
    return parameter_gradient({features_.channels, static_cast<std::int64_t>(norm_.grades)}, scaled,
                              norm_.grades, 0);
  }

  // The means' contribution to dx: with h = weight g, M entries per group and D = sum u / |u|,
  //   pull_k = dL/d(mean norm)_k / M = -inverse_k^2 sum(h . (x - mean))_k / M
  //   shift_b = -inverse_k sum(h_b) / M, and -pull_k D_b / M when the norm is that of x - mean.
  [[nodiscard]] std::pair<std::vector<T>, std::vector<T>> shift_and_pull(
      const std::vector<double>& sums) const {
    const std::size_t blades = norm_.blades, grades = norm_.grades, width = norm_.backward_sums();
    std::vector<T> shift(groups() * blades), pull(groups() * grades);
    // The sum over a group of entry i times the weight of grade k.
    const auto weighted = [&](std::size_t g, std::size_t i, std::size_t k) {
      double sum = 0;
      for (std::size_t c = 0; c < norm_.channels_per_group; ++c) {
        const std::size_t row = g * norm_.channels_per_group + c;
        sum += sums[row * width + i] * static_cast<double>(norm_.weight[row % norm_.channels * grades + k]);
      }
      return sum;
    };
    for (std::size_t g = 0; g < groups(); ++g) {
      std::vector<double> pulls(grades, 0.0);
      const auto inverse_of_grade = [&](std::size_t k) {
        return static_cast<double>(norm_.inverse[g * grades + k]);
      };
      for (std::size_t k = 0; k < grades && settings_.divisor != Divisor::one; ++k) {
        pulls[k] =
            -inverse_of_grade(k) * inverse_of_grade(k) * weighted(g, 2 * blades + k, k) / numbers_per_group();
        pull[g * grades + k] = static_cast<T>(pulls[k]);
      }
      for (std::size_t b = 0; b < blades; ++b) {
        const std::size_t k = norm_.grade_of[b];
        const double directions = group_sum(sums, width, g, blades + b);
        shift[g * blades + b] = static_cast<T>(
            (-inverse_of_grade(k) * weighted(g, b, k) - pulls[k] * directions) / numbers_per_group());
      }
    }
    return {std::move(shift), std::move(pull)};
  }

  const torch::Tensor& x_;
  const NormTensors& tensors_;
  const NormSettings& settings_;
  Features features_;
  kernels::Norm<T> norm_;
  kernels::Gate<T> gate_;
  const kernels::Gate<T>* gate_used_ = nullptr;
};

// Autograd functions of LibTorch 1.13 take no undefined tensors: an empty one stands in.
torch::Tensor or_none(const torch::Tensor& tensor) { return tensor.numel() > 0 ? tensor : torch::Tensor(); }

// Non-tensor data that a call saves for the backward pass.
struct NormForms : torch::CustomClassHolder {
  NormForms(NormSettings norm, Grades gate_parts) : settings(std::move(norm)), gate(std::move(gate_parts)) {}
  NormSettings settings;
  Grades gate;
};

struct NormFunction : torch::autograd::Function<NormFunction> {
  using Context = torch::autograd::AutogradContext;

  static torch::Tensor forward(Context* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& bias, const torch::Tensor& gate_weight,
                               const torch::Tensor& gate_bias, const NormSettings& settings,
                               const Grades& gate) {
    const NormTensors tensors{weight, or_none(bias), or_none(gate_weight), or_none(gate_bias)};
    const NormResult made = norm_forward(x, tensors, settings, gate);
    context->save_for_backward({x, weight, bias, gate_weight, gate_bias, made.mean, made.inverse});
    context->saved_data["forms"] =
        torch::IValue::make_capsule(c10::make_intrusive<NormForms>(settings, gate));
    return made.y;
  }

  static variable_list backward(Context* context, const variable_list& gradients) {
    variable_list saved = context->get_saved_variables();
    const auto forms =
        c10::static_intrusive_pointer_cast<NormForms>(context->saved_data["forms"].toCapsule());
    const NormSettings& settings = forms->settings;
    const Grades& gate = forms->gate;
    const torch::Tensor mean = saved[5], inverse = saved[6];
    saved.resize(5);
    for (std::size_t i = 2; i < 5; ++i) saved[i] = or_none(saved[i]);
    const torch::Tensor dy = gradients[0].contiguous();
    variable_list result;
    if (torch::GradMode::is_enabled()) {
      const auto function = [&](const variable_list& in) {
        return norm_with_tensors(in[0], {in[1], in[2], in[3], in[4]}, settings, gate);
      };
      result = differentiable_gradients(function, saved, dy);
    } else {
      const NormTensors tensors{saved[1], saved[2], saved[3], saved[4]};
      result = norm_backward(dy, saved[0], tensors, {{}, mean, inverse}, settings, gate);
    }
    result.resize(7);  // the settings and the gate's parts have no gradient
    return result;
  }
};

}  // namespace

NormResult norm_forward(const torch::Tensor& x, const NormTensors& tensors, const NormSettings& settings,
                        const Grades& gate) {
  NormResult made;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "GcaNorm", [&] {
    NormCall<scalar_t> call(x, tensors, settings, gate);
    call.find_statistics();
    made = {call.forward(), call.mean, call.inverse};
  });
  return made;
}

variable_list norm_backward(const torch::Tensor& dy, const torch::Tensor& x, const NormTensors& tensors,
                            const NormResult& made, const NormSettings& settings, const Grades& gate) {
  variable_list result;
  AT_DISPATCH_FLOATING_TYPES(dy.scalar_type(), "GcaNorm", [&] {
    NormCall<scalar_t> call(x, tensors, settings, gate);
    call.use(made.mean, made.inverse);
    result = call.backward(dy);
  });
  return result;
}

bool has_norm_kernel(const torch::Tensor& x, const NormSettings& settings) {
  // The kernel vectorises over space: below a vector's length it has no advantage.
  return has_kernel(x) && settings.space && Features(x).space >= 16;
}

torch::Tensor norm_by_kernel(const torch::Tensor& x, const NormTensors& tensors, const NormSettings& settings,
                             const Grades& gate) {
  const auto given = [&](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor : torch::empty({0}, x.options());
  };
  return NormFunction::apply(x.contiguous(), tensors.weight, given(tensors.bias), given(tensors.gate_weight),
                             given(tensors.gate_bias), settings, gate);
}

torch::Tensor norm_with_tensors(const torch::Tensor& features, const NormTensors& tensors,
                                const NormSettings& settings, const Grades& gate) {
  const NoAutocast in_float;
  const torch::Tensor x = flat_space(features);
  const Features f(x);
  const torch::Tensor part = settings.grades.part_of_blade(x.device());
  const torch::Tensor grouped =
      x.reshape({f.samples, settings.groups, f.channels / settings.groups, f.blades, f.space});
  const std::vector<std::int64_t> over =
      settings.space ? std::vector<std::int64_t>{2, 4} : std::vector<std::int64_t>{2};
  torch::Tensor y = grouped - grouped.mean(over, true);
  if (settings.divisor != Divisor::one) {
    const torch::Tensor measured = settings.divisor == Divisor::mean_norm ? grouped : y;
    std::vector<torch::Tensor> norms;
    for (std::size_t k = 0; k < settings.grades.count; ++k) {
      const torch::Tensor grade = measured.index_select(3, settings.grades.positions(k, x.device()));
      norms.push_back(grade.norm(2, {3}, true).mean(over, true));
    }
    y = y * inverse_of(torch::cat(norms, 3), settings.eps).index_select(3, part);
  }
  y = y.reshape(x.sizes()) * tensors.weight.index_select(1, part).unsqueeze(-1);
  if (tensors.bias.defined()) y = y + tensors.bias.unsqueeze(-1);
  if (tensors.gate_weight.defined()) y = gate_with_tensors(y, tensors.gate_weight, tensors.gate_bias, gate);
  return y.view(features.sizes());
}

}  // namespace gcan::nn::detail
