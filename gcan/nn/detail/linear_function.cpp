#include "gcan/nn/detail/linear_function.h"

#include <vector>

#include "gcan/base/error.h"
#include "gcan/nn/detail/action_rows.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/nn/detail/gemm.h"
#include "gcan/nn/detail/linear_parts.h"
#include "gcan/nn/detail/team.h"
#include "gcan/nn/detail/tensor_path.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

// Each row of the kernel costs a product with N rows; its assembly costs about as much as 16 more.
Sharing sharing_of(std::int64_t batch, std::int64_t rows, std::int64_t columns, std::int64_t most) {
  return sharing((batch + 16) * rows * columns, most);
}

// A matrix of samples in memory, samples first or last.
struct SampleMatrix {
  const float* data;
  std::int64_t samples, features;
  bool samples_are_columns;

  SampleMatrix(const Tensor& t, const Samples& layout)
      : data(t.data_ptr<float>()),
        samples(t.size(layout.are_columns ? 1 : 0)),
        features(t.size(layout.are_columns ? 0 : 1)),
        samples_are_columns(layout.are_columns) {}
  [[nodiscard]] std::int64_t stride() const { return samples_are_columns ? samples : features; }
  [[nodiscard]] const float* at(std::int64_t sample, std::int64_t feature) const {
    return data + (samples_are_columns ? feature * samples + sample : sample * features + feature);
  }
};

// y[:, first .. last) = x kernel[first .. last)^T + bias[first .. last), with matrices as if samples were
// rows
void multiply(const SampleMatrix& x, const float* kernel, const float* bias, std::int64_t biased,
              const Tensor& result, const SampleMatrix& y, std::int64_t first, std::int64_t last) {
  float* const to = result.data_ptr<float>() + (y.at(0, first) - y.data);
  const MatrixView rows{kernel + first * x.features, x.features, !x.samples_are_columns};
  const std::int64_t with_bias = std::min(biased, x.samples);
  for (std::int64_t i = first; bias != nullptr && x.samples_are_columns && i < last; ++i) {
    float* const line = to + (i - first) * y.stride();
    std::fill(std::fill_n(line, with_bias, bias[i]), line + x.samples, 0.0F);
  }
  for (std::int64_t n = 0; bias != nullptr && !x.samples_are_columns && n < x.samples; ++n) {
    float* const line = to + n * y.stride();
    n < with_bias ? std::copy(bias + first, bias + last, line) : std::fill_n(line, last - first, 0.0F);
  }
  const float beta = bias != nullptr ? 1.0F : 0.0F;
  if (x.samples_are_columns) {
    gemm(last - first, x.samples, x.features, rows, {x.data, x.stride()}, beta, to, y.stride());
  } else {
    gemm(x.samples, last - first, x.features, {x.data, x.stride()}, rows, beta, to, y.stride());
  }
}

// sums[first .. last) = the bias's weight times the sums over the biased samples of the features of g in
// each first group
void sum_samples(const SampleMatrix& g, const Samples& samples, float* sums, std::int64_t first,
                 std::int64_t last) {
  const std::int64_t count = std::min(samples.biased, g.samples), groups = samples.groups;
  const auto weight = static_cast<float>(samples.bias_weight);
  if (g.samples_are_columns) {
    for (std::int64_t i = first; i < last; ++i) sums[i] = weight * sum_of(g.at(0, i * groups), count);
    return;
  }
  std::fill(sums + first, sums + last, 0.0F);
  for (std::int64_t n = 0; n < count; ++n) {
    const float* const line = g.at(n, 0);
    for (std::int64_t i = first; i < last; ++i) sums[i] += weight * line[i * groups];
  }
}

// kernel_grads[first .. last) = g[:, first .. last)^T x
void multiply_grads(const SampleMatrix& g, const SampleMatrix& x, float* kernel_grads, std::int64_t first,
                    std::int64_t last) {
  gemm(last - first, x.features, x.samples, {g.at(0, first), g.stride(), !g.samples_are_columns},
       {x.data, x.stride(), x.samples_are_columns}, 0.0F, kernel_grads + first * x.features, x.features);
}

// x_grads = g kernel for the samples first .. last
void multiply_back(const SampleMatrix& g, const float* kernel, const Tensor& result, const SampleMatrix& x,
                   std::int64_t first, std::int64_t last) {
  float* const to = result.data_ptr<float>() + (x.at(first, 0) - x.data);
  if (x.samples_are_columns) {
    gemm(x.features, last - first, g.features, {kernel, x.features, true}, {g.at(first, 0), g.stride()}, 0.0F,
         to, x.stride());
  } else {
    gemm(last - first, x.features, g.features, {g.at(first, 0), g.stride()}, {kernel, x.features}, 0.0F, to,
         x.stride());
  }
}

// A result for the kernel of the whole layer.
Tensor empty_result(const Tensor& x, const Tensor& kernel, const Samples& samples) {
  const std::int64_t features = kernel.size(0) * samples.groups;
  return samples.are_columns ? torch::empty({features, x.size(1)}, x.options())
                             : torch::empty({x.size(0), features}, x.options());
}

// The layer whose kernel and bias give the features of all groups. A row of a kernel consists of one part
// per group, so in memory the matrix of these parts is the kernel.
AssembledKernel of_groups(const AssembledKernel& layer, const Samples& samples) {
  if (samples.groups == 1 && samples.bias_weight == 1) return layer;
  AssembledKernel result{layer.kernel.view({-1, layer.kernel.size(1) / samples.groups}), Tensor()};
  if (!layer.bias.defined()) return result;
  const Tensor others = torch::zeros({layer.bias.numel(), samples.groups - 1}, layer.bias.options());
  result.bias = torch::cat({(layer.bias * samples.bias_weight).unsqueeze(1), others}, 1).flatten();
  return result;
}

struct Fused : torch::autograd::Function<Fused> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& action,
                        const Tensor& weight, const Tensor& delta, const Tensor& bias,
                        const ActionKernelPtr& self, const Samples& samples) {
    const LinearResult made = linear_forward(*self, {x, action, weight, delta, bias}, samples);
    context->save_for_backward({x, action, weight, delta, bias, made.kernel});
    context->saved_data["kernel"] = torch::IValue::make_capsule(self);
    context->saved_data["x_wants"] = x.requires_grad();
    context->saved_data["are_columns"] = samples.are_columns;
    context->saved_data["biased"] = samples.biased;
    context->saved_data["bias_weight"] = samples.bias_weight;
    context->saved_data["groups"] = samples.groups;
    return made.y;
  }

  static variable_list backward(torch::autograd::AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const auto self =
        c10::static_intrusive_pointer_cast<ActionKernel>(context->saved_data["kernel"].toCapsule());
    const Samples samples{context->saved_data["are_columns"].toBool(), context->saved_data["biased"].toInt(),
                          context->saved_data["bias_weight"].toDouble(),
                          context->saved_data["groups"].toInt()};
    variable_list result;
    if (torch::GradMode::is_enabled()) {
      result = differentiable_gradients(self, saved, samples, grads[0]);
    } else {
      result = linear_backward(*self, saved, samples, grads[0].contiguous(),
                               context->saved_data["x_wants"].toBool());
    }
    result.resize(7);
    return result;
  }

 private:
  // The gradients as differentiable tensor operations, for second derivatives.
  static variable_list differentiable_gradients(const ActionKernelPtr& self, const variable_list& saved,
                                                const Samples& samples, const Tensor& g) {
    AssembledKernel made = assemble(self, saved[1], saved[2], saved[3]);
    if (saved[4].numel() > 0) made.bias = made.bias.defined() ? made.bias + saved[4] : saved[4];
    return gradients_of({differentiable_affine(saved[0], made, samples)}, {g},
                        {saved.begin(), saved.begin() + 5}, true);
  }
};

}  // namespace

LinearResult linear_forward(const ActionKernel& self, const variable_list& inputs, const Samples& samples) {
  const Tensor kernel = torch::empty(self.kernel_sizes(), inputs[1].options());
  const Tensor y = empty_result(inputs[0], kernel, samples);
  const SampleMatrix from(inputs[0], samples), to(y, samples);
  const Tensor& bias = inputs[4];
  const auto in = sandwich_inputs<float>(self, inputs[1], inputs[2], inputs[3]);
  const bool shifted = in.delta || bias.numel() > 0;
  // The constants' contribution, followed by the bias of every row of the result.
  const Tensor shift = torch::empty({shifted ? kernel.size(0) + to.features : 0}, y.options());
  float* const shifts = shifted ? shift.data_ptr<float>() : nullptr;
  float* const biases = shifted ? shifts + kernel.size(0) : nullptr;
  const kernels::SandwichOutputs<float> out{kernel.data_ptr<float>(), in.delta ? shifts : nullptr};
  const std::int64_t rows = self.layout().rows, height = kernel.size(0) / rows, groups = samples.groups;
  const Sharing shared = sharing_of(from.samples, kernel.size(0), kernel.size(1), rows);
  std::vector<char> finite(static_cast<std::size_t>(shared.parts));
  run_as_team(shared.threads, shared.parts, [&](std::int64_t part) {
    const auto [first, last] = Range(rows, part, shared.parts);
    finite[static_cast<std::size_t>(part)] = kernels::assemble_sandwich(in, out, first, last) ? 1 : 0;
    for (std::int64_t o = first * height; shifted && o < last * height; ++o) {
      const float constant =
          (bias.numel() > 0 ? bias.data_ptr<float>()[o] : 0.0F) + (in.delta ? shifts[o] : 0.0F);
      std::fill_n(biases + o * groups, groups, 0.0F);
      biases[o * groups] = static_cast<float>(samples.bias_weight) * constant;
    }
    const std::int64_t begin = first * height * groups, end = last * height * groups;
    multiply(from, out.kernel, shifted && any_nonzero(biases, begin, end) ? biases : nullptr, samples.biased,
             y, to, begin, end);
  });
  check_finite(finite);
  return {y, kernel};
}

variable_list linear_backward(const ActionKernel& self, const variable_list& saved, const Samples& samples,
                              const Tensor& grads, bool x_wants) {
  const Tensor &action = saved[1], &weight = saved[2], &delta = saved[3], &kernel = saved[5];
  const SampleMatrix x(saved[0], samples), g(grads, samples);
  const auto in = sandwich_inputs<float>(self, action, weight, delta);
  const bool has_bias = saved[4].numel() > 0, shifted = in.delta || has_bias;
  const std::int64_t rows = self.layout().rows, height = kernel.size(0) / rows, groups = samples.groups;
  const Sharing shared = sharing_of(2 * x.samples, g.features, x.features, rows);
  const Tensor x_grads = x_wants ? torch::empty_like(saved[0]) : Tensor();
  const Tensor kernel_grads = torch::empty_like(kernel);
  const Tensor action_grads = torch::empty_like(action), weight_grads = torch::empty_like(weight);
  const Tensor shift_grads = torch::empty({shifted ? kernel.size(0) : 0}, kernel.options());
  const Tensor delta_grads = torch::zeros({shared.parts, delta.numel()}, kernel.options());
  float* const shifts = shifted ? shift_grads.data_ptr<float>() : nullptr;
  const auto differentiate_parameters = [&](std::int64_t part) {
    const auto [first, last] = Range(rows, part, shared.parts);
    float* const block = kernel_grads.data_ptr<float>();
    multiply_grads(g, x, block, first * height * groups, last * height * groups);
    if (shifted) sum_samples(g, samples, shifts, first * height, last * height);
    kernels::sandwich_gradient(
        in,
        {block, in.delta ? shifts : nullptr, action_grads.data_ptr<float>(), weight_grads.data_ptr<float>(),
         in.delta ? delta_grads.data_ptr<float>() + part * delta.numel() : nullptr},
        first, last);
  };
  const auto differentiate_inputs = [&](std::int64_t part) {
    const auto [first, last] = Range(x.samples, part, shared.parts);
    if (first < last) multiply_back(g, kernel.data_ptr<float>(), x_grads, x, first, last);
  };
  // Input gradients first: an optimiser that runs within the backward pass then finds the parameters and
  // their gradients in the caches.
  const std::int64_t input_parts = x_wants ? shared.parts : 0;
  run_as_team(shared.threads, input_parts + shared.parts, [&](std::int64_t part) {
    part < input_parts ? differentiate_inputs(part) : differentiate_parameters(part - input_parts);
  });
  return {x_grads, action_grads, weight_grads,
          in.delta ? (shared.parts == 1 ? delta_grads : delta_grads.sum(0)).view_as(delta) : Tensor(),
          has_bias ? shift_grads : Tensor()};
}

bool can_fuse(const Tensor& x, const Tensor& parameter) {
  const auto fits = [](const Tensor& t) { return t.device().is_cpu() && t.scalar_type() == torch::kFloat; };
  return has_gemm() && fits(x) && fits(parameter) && x.numel() > 0 && !wants_tensors();
}

Tensor fused_linear(const ActionKernelPtr& self, const Tensor& x, const Tensor& action, const Tensor& weight,
                    const Tensor& delta, const Tensor& bias, const Samples& samples) {
  return Fused::apply(x.contiguous(), action.contiguous(), weight.contiguous(), delta.contiguous(),
                      bias.contiguous(), self, samples);
}

Tensor differentiable_affine(const Tensor& x, const AssembledKernel& layer, const Samples& samples) {
  const AssembledKernel made = of_groups(layer, samples);
  const std::int64_t dimension = samples.are_columns ? 1 : 0, count = x.size(dimension);
  if (!samples.are_columns && samples.biased >= count) return torch::linear(x, made.kernel, made.bias);
  const bool for_all = made.bias.defined() && samples.biased >= count;
  if (for_all) return torch::addmm(made.bias.unsqueeze(1), made.kernel, x);  // samples in rows return above
  const Tensor y = samples.are_columns ? made.kernel.mm(x) : x.mm(made.kernel.t());
  if (!made.bias.defined()) return y;
  const Tensor bias = made.bias.unsqueeze(dimension);
  return torch::cat({y.narrow(dimension, 0, samples.biased) + bias,
                     y.narrow(dimension, samples.biased, count - samples.biased)},
                    dimension);
}

Tensor affine(const Tensor& x, const AssembledKernel& layer, const Samples& samples) {
  if (!can_fuse(x, layer.kernel)) return differentiable_affine(x, layer, samples);
  const AssembledKernel made = of_groups(layer, samples);
  const Tensor input = x.contiguous();
  const Tensor y = empty_result(x, layer.kernel, samples);
  const SampleMatrix from(input, samples), to(y, samples);
  const float* const kernel = made.kernel.data_ptr<float>();
  const float* const bias = made.bias.defined() ? made.bias.data_ptr<float>() : nullptr;
  const Sharing shared = sharing_of(from.samples, to.features, from.features, to.features);
  run_as_team(shared.threads, shared.parts, [&](std::int64_t part) {
    const auto [first, last] = Range(to.features, part, shared.parts);
    multiply(from, kernel, bias, samples.biased, y, to, first, last);
  });
  return y;
}

}  // namespace gcan::nn::detail
