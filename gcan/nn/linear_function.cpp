#include "gcan/nn/linear_function.h"

#include <ATen/Parallel.h>

#include <vector>

#include "gcan/algebra/error.h"
#include "gcan/nn/action_rows.h"
#include "gcan/nn/gemm.h"

namespace gcan::nn {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

// Fewer multiplications than this are not worth another thread.
constexpr std::int64_t kMultiplicationsPerTask = 1 << 20;

// Every row of the kernel costs the product with N rows, and its assembly about as much as 16 more.
std::int64_t task_count(std::int64_t batch, std::int64_t rows, std::int64_t columns, std::int64_t parts) {
  const std::int64_t worthwhile = (batch + 16) * rows * columns / kMultiplicationsPerTask;
  return std::max<std::int64_t>(1, std::min<std::int64_t>({worthwhile, at::get_num_threads(), parts}));
}

// y[:, first .. last) = x kernel[first .. last)^T + bias[first .. last)
void multiply(const Tensor& x, const float* kernel, const float* bias, const Tensor& y, std::int64_t first,
              std::int64_t last) {
  const std::int64_t batch = x.size(0), in = x.size(1), out = y.size(1);
  float* const to = y.data_ptr<float>();
  if (bias != nullptr) {
    for (std::int64_t n = 0; n < batch; ++n) std::copy(bias + first, bias + last, to + n * out + first);
  }
  gemm(batch, last - first, in, {x.data_ptr<float>(), in}, {kernel + first * in, in, true},
       bias != nullptr ? 1.0F : 0.0F, to + first, out);
}

// sums[first .. last) = the sums of the columns first .. last of g
void sum_columns(const Tensor& g, float* sums, std::int64_t first, std::int64_t last) {
  const float* const from = g.data_ptr<float>();
  std::fill(sums + first, sums + last, 0.0F);
  for (std::int64_t n = 0; n < g.size(0); ++n) {
    for (std::int64_t o = first; o < last; ++o) sums[o] += from[n * g.size(1) + o];
  }
}

struct Fused : torch::autograd::Function<Fused> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& action,
                        const Tensor& weight, const Tensor& delta, const Tensor& bias,
                        const ActionKernelPtr& self) {
    const Tensor kernel = torch::empty(self->kernel_sizes(), action.options());
    context->save_for_backward({x, action, weight, delta, bias, kernel});
    context->saved_data["kernel"] = torch::IValue::make_capsule(self);
    context->saved_data["x_wants"] = x.requires_grad();
    const Tensor y = torch::empty({x.size(0), kernel.size(0)}, x.options());
    const bool shifted = delta.numel() > 0 || bias.numel() > 0;
    const Tensor shift = torch::empty({shifted ? kernel.size(0) : 0}, x.options());
    assemble_and_multiply(*self, {x, action, weight, delta, bias}, kernel, shift, y);
    return y;
  }

  static variable_list backward(torch::autograd::AutogradContext* context, variable_list slopes) {
    const variable_list saved = context->get_saved_variables();
    const auto self =
        c10::static_intrusive_pointer_cast<ActionKernel>(context->saved_data["kernel"].toCapsule());
    if (torch::GradMode::is_enabled()) return differentiable_gradients(self, saved, slopes[0]);
    return gradients(*self, saved, slopes[0].contiguous(), context->saved_data["x_wants"].toBool());
  }

 private:
  static void assemble_and_multiply(const ActionKernel& self, const variable_list& inputs,
                                    const Tensor& kernel, const Tensor& shift, const Tensor& y) {
    const Tensor &x = inputs[0], &bias = inputs[4];
    const auto in = sandwich_inputs<float>(self, inputs[1], inputs[2], inputs[3]);
    float* const shifts = shift.numel() > 0 ? shift.data_ptr<float>() : nullptr;
    const kernels::SandwichOutputs<float> out{kernel.data_ptr<float>(), in.delta ? shifts : nullptr};
    const std::int64_t rows = self.layout().rows, height = kernel.size(0) / rows;
    const std::int64_t tasks = task_count(x.size(0), kernel.size(0), kernel.size(1), rows);
    std::vector<char> finite(static_cast<std::size_t>(tasks));
    for_row_ranges(rows, tasks, [&](std::int64_t t, std::int64_t first, std::int64_t last) {
      finite[static_cast<std::size_t>(t)] = kernels::assemble_sandwich(in, out, first, last) ? 1 : 0;
      if (bias.numel() > 0) {
        const float* const constant = bias.data_ptr<float>();
        for (std::int64_t o = first * height; o < last * height; ++o) {
          shifts[o] = constant[o] + (in.delta ? shifts[o] : 0.0F);
        }
      }
      multiply(x, out.kernel, shifts, y, first * height, last * height);
    });
    check_finite(finite);
  }

  static variable_list gradients(const ActionKernel& self, const variable_list& saved, const Tensor& g,
                                 bool x_wants) {
    const Tensor &x = saved[0], &action = saved[1], &weight = saved[2], &delta = saved[3], &kernel = saved[5];
    const auto in = sandwich_inputs<float>(self, action, weight, delta);
    const bool has_bias = saved[4].numel() > 0, shifted = in.delta || has_bias;
    const std::int64_t batch = x.size(0), columns = kernel.size(1), width = kernel.size(0);
    const std::int64_t rows = self.layout().rows, height = width / rows;
    const std::int64_t tasks = task_count(2 * batch, width, columns, rows);
    const Tensor x_slopes = x_wants ? torch::empty_like(x) : Tensor();
    const Tensor kernel_slopes = torch::empty_like(kernel);
    const Tensor action_slopes = torch::empty_like(action), weight_slopes = torch::empty_like(weight);
    const Tensor shift_slopes = torch::empty({shifted ? width : 0}, x.options());
    const Tensor delta_slopes = torch::zeros({tasks, delta.numel()}, x.options());
    float* const shifts = shifted ? shift_slopes.data_ptr<float>() : nullptr;
    for_row_ranges(rows, tasks, [&](std::int64_t t, std::int64_t first, std::int64_t last) {
      const std::int64_t from = first * height, to = last * height;
      const float* const slope = g.data_ptr<float>();
      float* const block = kernel_slopes.data_ptr<float>();
      gemm(to - from, columns, batch, {slope + from, width, true}, {x.data_ptr<float>(), columns}, 0.0F,
           block + from * columns, columns);
      if (shifted) sum_columns(g, shifts, from, to);
      kernels::sandwich_gradient(in,
                                 {block, in.delta ? shifts : nullptr, action_slopes.data_ptr<float>(),
                                  weight_slopes.data_ptr<float>(),
                                  in.delta ? delta_slopes.data_ptr<float>() + t * delta.numel() : nullptr},
                                 first, last);
      if (!x_wants) return;
      const std::int64_t n = batch * t / tasks, end = batch * (t + 1) / tasks;
      gemm(end - n, columns, width, {slope + n * width, width}, {kernel.data_ptr<float>(), columns}, 0.0F,
           x_slopes.data_ptr<float>() + n * columns, columns);
    });
    return {x_slopes,
            action_slopes,
            weight_slopes,
            in.delta ? (tasks == 1 ? delta_slopes : delta_slopes.sum(0)).view_as(delta) : Tensor(),
            has_bias ? shift_slopes : Tensor(),
            Tensor()};
  }

  // The gradients as functions that autograd can differentiate again.
  static variable_list differentiable_gradients(const ActionKernelPtr& self, const variable_list& saved,
                                                const Tensor& g) {
    const AssembledKernel made = assemble(self, saved[1], saved[2], saved[3]);
    Tensor y = saved[0].matmul(made.kernel.t());
    if (made.bias.defined()) y = y + made.bias;
    if (saved[4].numel() > 0) y = y + saved[4];
    variable_list wanted, result(6);
    for (std::size_t i = 0; i < 5; ++i) {
      if (saved[i].requires_grad()) wanted.push_back(saved[i]);
    }
    const auto found = torch::autograd::grad({y}, wanted, {g}, true, true, true);
    for (std::size_t i = 0, k = 0; i < 5; ++i) {
      if (saved[i].requires_grad()) result[i] = found[k++];
    }
    return result;
  }
};

}  // namespace

bool can_fuse(const Tensor& x, const Tensor& parameter) {
  const auto fits = [](const Tensor& t) { return t.device().is_cpu() && t.scalar_type() == torch::kFloat; };
  return has_gemm() && fits(x) && fits(parameter) && x.numel() > 0;
}

Tensor fused_linear(const ActionKernelPtr& self, const Tensor& x, const Tensor& action, const Tensor& weight,
                    const Tensor& delta, const Tensor& bias) {
  return Fused::apply(x.contiguous(), action.contiguous(), weight.contiguous(), delta.contiguous(),
                      bias.contiguous(), self);
}

Tensor affine(const Tensor& x, const AssembledKernel& made) {
  if (!can_fuse(x, made.kernel)) return torch::linear(x, made.kernel, made.bias);
  const Tensor from = x.contiguous(), y = torch::empty({x.size(0), made.kernel.size(0)}, x.options());
  const float* const kernel = made.kernel.data_ptr<float>();
  const float* const bias = made.bias.defined() ? made.bias.data_ptr<float>() : nullptr;
  for_row_ranges(y.size(1), task_count(x.size(0), y.size(1), x.size(1), y.size(1)),
                 [&](std::int64_t /*task*/, std::int64_t first, std::int64_t last) {
                   multiply(from, kernel, bias, y, first, last);
                 });
  return y;
}

}  // namespace gcan::nn
