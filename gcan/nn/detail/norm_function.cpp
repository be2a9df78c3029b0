#include "gcan/nn/detail/norm_function.h"

#include <ATen/Dispatch.h>

#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/parallel.h"
#include "gcan/nn/msilu.h"

namespace gcan::nn {

namespace {

using kernels::Divisor;
using torch::autograd::variable_list;

// One over the mean norm plus epsilon; 0 where that is 0, so that a constant becomes 0 and never NaN.
torch::Tensor inverse_of(const torch::Tensor& mean_norm, double eps) {
  const torch::Tensor divisor = mean_norm + eps;
  const torch::Tensor positive = divisor > 0;
  // The inner choice keeps the branch that is not taken finite: its gradient is 0 times it.
  const torch::Tensor one = torch::ones({}, divisor.options());
  return torch::where(positive, torch::where(positive, divisor, one).reciprocal(), one - one);
}

// The numbers of one call in the kernels' terms. T is the features' type.
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

  // (samples, groups, blades) and (samples, groups, grades).
  void find_statistics() {
    const auto blades = features_.blades;
    torch::Tensor sums = row_sums(norm_.forward_sums());
    over_rows([&](std::size_t begin, std::size_t end) {
      kernels::norm_sums(norm_, begin, end, data(x_), sums.data_ptr<double>());
    });
    const torch::Tensor means = sums.sum(2) / numbers_per_group();
    mean = means.narrow(2, 0, blades).to(x_.scalar_type()).contiguous();
    torch::Tensor mean_norm = means.narrow(2, blades, grades());
    use(mean, inverse);
    if (settings_.divisor == Divisor::mean_centred_norm) {
      sums = row_sums(norm_.grades);
      over_rows([&](std::size_t begin, std::size_t end) {
        kernels::norm_distances(norm_, begin, end, data(x_), sums.data_ptr<double>());
      });
      mean_norm = sums.sum(2) / numbers_per_group();
    }
    inverse = settings_.divisor == Divisor::one ? torch::ones_like(mean_norm)
                                                : inverse_of(mean_norm, settings_.eps);
    inverse = inverse.to(x_.scalar_type()).contiguous();
    use(mean, inverse);
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
    const torch::Tensor sums = row_sums(norm_.backward_sums());
    const torch::Tensor gate_sums = row_sums(gate_.sums_per_row());
    over_rows([&](std::size_t begin, std::size_t end) {
      kernels::norm_backward_sums(norm_, gate_used_, begin, end, data(x_), data(dy), sums.data_ptr<double>(),
                                  gate_sums.data_ptr<double>());
    });
    const auto [shift, pull] = shift_and_pull(sums);
    torch::Tensor dx = torch::empty_like(x_);
    over_rows([&](std::size_t begin, std::size_t end) {
      kernels::norm_backward(norm_, gate_used_, begin, end, data(x_), data(dy), data(shift), data(pull),
                             data(dx));
    });
    const auto blades = features_.blades;
    const torch::Tensor products = sums.narrow(3, 2 * blades, grades());
    variable_list result{dx, parameter_gradient((products * inverse.unsqueeze(2)).sum(0), grades())};
    result.push_back(tensors_.bias.defined() ? parameter_gradient(sums.narrow(3, 0, blades).sum(0), blades)
                                             : torch::Tensor());
    if (gate_used_ == nullptr) return {result[0], result[1], result[2], {}, {}};
    const torch::Tensor gates =
        gate_sums.sum(0).to(x_.scalar_type()).view({features_.channels, -1, blades + 1});
    result.push_back(gates.narrow(2, 0, blades));
    result.push_back(gates.select(2, blades));
    return result;
  }

  torch::Tensor mean, inverse;

 private:
  static T* data(const torch::Tensor& tensor) { return tensor.data_ptr<T>(); }
  [[nodiscard]] std::int64_t grades() const { return static_cast<std::int64_t>(norm_.grades); }
  [[nodiscard]] double numbers_per_group() const {
    return static_cast<double>(features_.channels / settings_.groups * features_.space);
  }
  // (samples, groups, channels of the group, width)
  [[nodiscard]] torch::Tensor row_sums(std::size_t width) const {
    return torch::empty({features_.samples, settings_.groups, features_.channels / settings_.groups,
                         static_cast<std::int64_t>(width)},
                        torch::kDouble);
  }
  void over_rows(const std::function<void(std::size_t, std::size_t)>& body) const {
    parallel_for(features_.rows(), features_.grain(), body);
  }
  [[nodiscard]] torch::Tensor parameter_gradient(const torch::Tensor& sum, std::int64_t width) const {
    return sum.reshape({features_.channels, width}).to(x_.scalar_type());
  }

  // What the means contribute to dx: with h = weight g, M numbers per group and D = sum u / |u|,
  //   pull_k = dL/d(mean norm)_k / M = -inverse_k^2 sum(h . (x - mean))_k / M
  //   shift_b = -inverse_k sum(h_b) / M, and -pull_k D_b / M when the norm is that of x - mean.
  [[nodiscard]] std::pair<torch::Tensor, torch::Tensor> shift_and_pull(const torch::Tensor& sums) const {
    const auto blades = features_.blades;
    const torch::Tensor part = settings_.grades.part_of_blade(torch::kCPU);
    const torch::Tensor weight = tensors_.weight.to(torch::kDouble).view({1, settings_.groups, -1, grades()});
    const torch::Tensor inverse_64 = inverse.to(torch::kDouble);
    const torch::Tensor h = (sums.narrow(3, 0, blades) * weight.index_select(3, part)).sum(2);
    torch::Tensor shift = -inverse_64.index_select(2, part) * h / numbers_per_group();
    torch::Tensor pull = torch::zeros_like(inverse_64);
    if (settings_.divisor != Divisor::one) {
      const torch::Tensor products = (sums.narrow(3, 2 * blades, grades()) * weight).sum(2);
      pull = -inverse_64.square() * products / numbers_per_group();
      const torch::Tensor directions = sums.narrow(3, blades, blades).sum(2);
      shift = shift - pull.index_select(2, part) * directions / numbers_per_group();
    }
    return {shift.to(x_.scalar_type()).contiguous(), pull.to(x_.scalar_type()).contiguous()};
  }

  const torch::Tensor& x_;
  const NormTensors& tensors_;
  const NormSettings& settings_;
  Features features_;
  kernels::Norm<T> norm_;
  kernels::Gate<T> gate_;
  const kernels::Gate<T>* gate_used_ = nullptr;
};

// An autograd function takes no undefined tensor in LibTorch 1.13: an empty one stands for it.
torch::Tensor or_empty(const torch::Tensor& tensor, const torch::Tensor& like) {
  return tensor.defined() ? tensor : torch::empty({0}, like.options());
}
torch::Tensor or_none(const torch::Tensor& tensor) { return tensor.numel() > 0 ? tensor : torch::Tensor(); }

struct NormFunction : torch::autograd::Function<NormFunction> {
  using Context = torch::autograd::AutogradContext;

  static torch::Tensor forward(Context* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& bias, const torch::Tensor& gate_weight,
                               const torch::Tensor& gate_bias, const NormSettings& settings,
                               const Grades& gate) {
    const NormTensors tensors{weight, or_none(bias), or_none(gate_weight), or_none(gate_bias)};
    torch::Tensor y;
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "GcaNorm", [&] {
      NormCall<scalar_t> call(x, tensors, settings, gate);
      call.find_statistics();
      y = call.forward();
      context->save_for_backward({x, weight, bias, gate_weight, gate_bias, call.mean, call.inverse});
    });
    context->saved_data["grades"] = to_ivalue(settings.grades);
    context->saved_data["groups"] = settings.groups;
    context->saved_data["divisor"] = static_cast<std::int64_t>(settings.divisor);
    context->saved_data["eps"] = settings.eps;
    context->saved_data["gate"] = to_ivalue(gate);
    return y;
  }

  static variable_list backward(Context* context, const variable_list& gradients) {
    variable_list saved = context->get_saved_variables();
    auto& data = context->saved_data;
    const NormSettings settings{to_grades(data["grades"]), data["groups"].toInt(), true,
                                static_cast<Divisor>(data["divisor"].toInt()), data["eps"].toDouble()};
    const Grades gate = to_grades(data["gate"]);
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
      AT_DISPATCH_FLOATING_TYPES(dy.scalar_type(), "GcaNorm", [&] {
        NormCall<scalar_t> call(saved[0], tensors, settings, gate);
        call.use(mean, inverse);
        result = call.backward(dy);
      });
    }
    result.resize(7);  // the settings and the gate's parts have no gradient
    return result;
  }
};

}  // namespace

bool has_norm_kernel(const torch::Tensor& x, const NormSettings& settings) {
  // The kernel's vectors run over space: below a vector's length it has no advantage.
  return has_kernel(x) && settings.space && Features(x).space >= 16;
}

torch::Tensor norm_by_kernel(const torch::Tensor& x, const NormTensors& tensors, const NormSettings& settings,
                             const Grades& gate) {
  const auto given = [&](const torch::Tensor& tensor) { return or_empty(tensor, x); };
  return NormFunction::apply(x.contiguous(), tensors.weight, given(tensors.bias), given(tensors.gate_weight),
                             given(tensors.gate_bias), settings, gate);
}

torch::Tensor norm_with_tensors(const torch::Tensor& x, const NormTensors& tensors,
                                const NormSettings& settings, const Grades& gate) {
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
  if (!tensors.gate_weight.defined()) return y;
  return gate_with_tensors(y, tensors.gate_weight, tensors.gate_bias, gate);
}

}  // namespace gcan::nn
