#include "gcan/nn/detail/joined_linear.h"

#include <algorithm>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/nn/detail/action_rows.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/gemm.h"
#include "gcan/nn/detail/linear_function.h"
#include "gcan/nn/detail/linear_parts.h"
#include "gcan/nn/detail/team.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

// Both layers' parameters, in the order action, weight, delta, bias.
constexpr std::size_t kParameters = 4;
enum Input : std::size_t { kH, kS, kOuter, kInner = kOuter + kParameters, kInputs = kInner + kParameters };
// Saved after the inputs.
enum Result : std::size_t { kOuterKernel = kInputs, kInnerKernel, kProduct, kInnerShift };

struct Sizes {
  std::int64_t columns, of_h, of_s, between, outputs;
  Sizes(const Tensor& h, const Tensor& s, const ActionKernel& outer, const ActionKernel& inner)
      : columns(h.size(1)),
        of_h(h.size(0)),
        of_s(s.size(0)),
        between(inner.kernel_sizes()[0]),
        outputs(outer.kernel_sizes()[0]) {}
  [[nodiscard]] std::int64_t width() const { return of_h + between; }  // of outer's kernel
};

// One layer during the forward pass: its kernel, and its bias with the constants' contribution.
struct Assembly {
  kernels::SandwichInputs<float> in;
  Tensor kernel, bias, shift;
  std::int64_t rows, height;

  Assembly(const ActionKernel& self, const Tensor* parameters)
      : in(sandwich_inputs<float>(self, parameters[0], parameters[1], parameters[2])),
        kernel(torch::empty(self.kernel_sizes(), parameters[0].options())),
        bias(parameters[3]),
        shift(torch::zeros({kernel.size(0)}, kernel.options())),
        rows(self.layout().rows),
        height(kernel.size(0) / rows) {}

  // Returns whether the parameters are finite.
  [[nodiscard]] bool run(std::int64_t first, std::int64_t last) const {
    float* const shifts = shift.data_ptr<float>();
    const bool finite =
        kernels::assemble_sandwich(in, {kernel.data_ptr<float>(), in.delta ? shifts : nullptr}, first, last);
    if (bias.numel() == 0) return finite;
    const float* const own = bias.data_ptr<float>();
    for (std::int64_t o = first * height; o < last * height; ++o) shifts[o] += own[o];
    return finite;
  }
};

// One layer during the backward pass: the gradients of its parameters.
struct Differentiation {
  kernels::SandwichInputs<float> in;
  Tensor kernel, shift, action, weight, deltas;
  std::int64_t rows, height;

  Differentiation(const ActionKernel& self, const Tensor* parameters, std::int64_t parts)
      : in(sandwich_inputs<float>(self, parameters[0], parameters[1], parameters[2])),
        kernel(torch::empty(self.kernel_sizes(), parameters[0].options())),
        shift(torch::empty({kernel.size(0)}, kernel.options())),
        action(torch::empty_like(parameters[0])),
        weight(torch::empty_like(parameters[1])),
        deltas(torch::zeros({parts, parameters[2].numel()}, kernel.options())),
        rows(self.layout().rows),
        height(kernel.size(0) / rows) {}

  void run(std::int64_t part, std::int64_t first, std::int64_t last) const {
    float* const of_delta = in.delta ? deltas.data_ptr<float>() + part * deltas.size(1) : nullptr;
    kernels::sandwich_gradient(in,
                               {kernel.data_ptr<float>(), in.delta ? shift.data_ptr<float>() : nullptr,
                                action.data_ptr<float>(), weight.data_ptr<float>(), of_delta},
                               first, last);
  }
  // As the parameters are ordered.
  void add_to(variable_list& result, const Tensor* parameters) const {
    result.insert(result.end(), {action, weight});
    result.push_back(in.delta ? deltas.sum(0).view_as(parameters[2]) : Tensor());
    result.push_back(parameters[3].numel() > 0 ? shift : Tensor());
  }
};

Sharing sharing_of(const Sizes& sizes, std::int64_t rows) {
  return sharing(sizes.columns * sizes.outputs * (sizes.of_h + sizes.of_s), rows);
}

void check(const LinearLayer& layer, const std::vector<char>& finite) {
  try {
    check_finite(finite);
  } catch (const Error& error) {
    throw Error(layer.title + " " + error.what());
  }
}

struct Joined : torch::autograd::Function<Joined> {
  // The layers' parameters are inputs of their own.
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& h, const Tensor& s,
                        const Tensor& outer_action, const Tensor& outer_weight, const Tensor& outer_delta,
                        const Tensor& outer_bias, const Tensor& inner_action, const Tensor& inner_weight,
                        const Tensor& inner_delta, const Tensor& inner_bias, const LinearLayer& outer,
                        const LinearLayer& inner, std::int64_t biased, double inner_bias_weight) {
    variable_list kept{h,           s,          outer_action, outer_weight,
                       outer_delta, outer_bias, inner_action, inner_weight,
                       inner_delta, inner_bias};
    const Tensor y = multiply(kept, outer, inner, biased, inner_bias_weight);
    context->save_for_backward(kept);
    context->saved_data["outer"] = torch::IValue::make_capsule(outer.kernel);
    context->saved_data["inner"] = torch::IValue::make_capsule(inner.kernel);
    context->saved_data["biased"] = biased;
    context->saved_data["inner_bias_weight"] = inner_bias_weight;
    context->saved_data["h_wants"] = h.requires_grad();
    context->saved_data["s_wants"] = s.requires_grad();
    return y;
  }

  static variable_list backward(torch::autograd::AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const auto layer = [&](const char* name) {
      return c10::static_intrusive_pointer_cast<ActionKernel>(context->saved_data[name].toCapsule());
    };
    const auto outer = layer("outer"), inner = layer("inner");
    const Samples of_inner{true, context->saved_data["biased"].toInt(),
                           context->saved_data["inner_bias_weight"].toDouble()};
    variable_list result;
    if (torch::GradMode::is_enabled()) {
      result = differentiable_gradients(outer, inner, saved, of_inner, grads[0]);
    } else {
      result = gradients(*outer, *inner, saved, of_inner, grads[0].contiguous(),
                         {context->saved_data["h_wants"].toBool(), context->saved_data["s_wants"].toBool()});
    }
    result.resize(kInputs + 4);
    return result;
  }

 private:
  // Appends the results that the backward pass needs to the inputs.
  static Tensor multiply(variable_list& kept, const LinearLayer& outer, const LinearLayer& inner,
                         std::int64_t biased, double inner_bias_weight) {
    const Sizes n(kept[kH], kept[kS], *outer.kernel, *inner.kernel);
    const Assembly first(*inner.kernel, &kept[kInner]), last(*outer.kernel, &kept[kOuter]);
    const Sharing of_first = sharing_of(n, first.rows), of_last = sharing_of(n, last.rows);
    std::vector<char> finite(static_cast<std::size_t>(of_first.parts));
    run_as_team(of_first.threads, of_first.parts, [&](std::int64_t part) {
      const auto [begin, end] = Range(first.rows, part, of_first.parts);
      finite[static_cast<std::size_t>(part)] = first.run(begin, end) ? 1 : 0;
    });
    check(inner, finite);
    first.shift.mul_(inner_bias_weight);

    const Tensor product = torch::empty({n.outputs, n.of_s}, kept[kH].options());
    const Tensor y = torch::empty({n.outputs, n.columns}, kept[kH].options());
    finite.assign(static_cast<std::size_t>(of_last.parts), 0);
    run_as_team(of_last.threads, of_last.parts, [&](std::int64_t part) {
      const auto [begin, end] = Range(last.rows, part, of_last.parts);
      finite[static_cast<std::size_t>(part)] = last.run(begin, end) ? 1 : 0;
      multiply_rows(n, kept, first, last, biased, product, y, {begin * last.height, end * last.height});
    });
    check(outer, finite);
    kept.insert(kept.end(), {last.kernel, first.kernel, product, first.shift});
    return y;
  }

  struct Rows {
    std::int64_t first, last;
  };
  static void multiply_rows(const Sizes& n, const variable_list& kept, const Assembly& inner,
                            const Assembly& outer, std::int64_t biased, const Tensor& product,
                            const Tensor& y, const Rows& rows) {
    const std::int64_t count = rows.last - rows.first, width = n.width();
    const float* const kernel = outer.kernel.data_ptr<float>() + rows.first * width;
    float* const of_s = product.data_ptr<float>() + rows.first * n.of_s;
    float* const shift = outer.shift.data_ptr<float>() + rows.first;
    float* const to = y.data_ptr<float>() + rows.first * n.columns;
    gemm(count, n.of_s, n.between, {kernel + n.of_h, width}, {inner.kernel.data_ptr<float>(), n.of_s}, 0.0F,
         of_s, n.of_s);
    gemm(count, 1, n.between, {kernel + n.of_h, width}, {inner.shift.data_ptr<float>(), 1}, 1.0F, shift, 1);
    const bool shifts = any_nonzero(shift, 0, count);
    const std::int64_t with_bias = std::min(biased, n.columns);
    for (std::int64_t i = 0; shifts && i < count; ++i) {
      float* const line = to + i * n.columns;
      std::fill(std::fill_n(line, with_bias, shift[i]), line + n.columns, 0.0F);
    }
    gemm(count, n.columns, n.of_h, {kernel, width}, {kept[kH].data_ptr<float>(), n.columns},
         shifts ? 1.0F : 0.0F, to, n.columns);
    gemm(count, n.columns, n.of_s, {of_s, n.of_s}, {kept[kS].data_ptr<float>(), n.columns}, 1.0F, to,
         n.columns);
  }

  struct Wanted {
    bool h, s;
  };
  static variable_list gradients(const ActionKernel& outer, const ActionKernel& inner,
                                 const variable_list& saved, const Samples& of_inner, const Tensor& grads,
                                 const Wanted& wanted) {
    const Sizes n(saved[kH], saved[kS], outer, inner);
    const Sharing of_outer = sharing_of(n, outer.layout().rows),
                  of_first = sharing_of(n, inner.layout().rows);
    const Differentiation last(outer, &saved[kOuter], of_outer.parts);
    const Differentiation first(inner, &saved[kInner], of_first.parts);
    const Tensor product = torch::empty_like(saved[kProduct]);
    const Tensor h = wanted.h ? torch::empty_like(saved[kH]) : Tensor();
    const Tensor s = wanted.s ? torch::empty_like(saved[kS]) : Tensor();
    run_as_team(of_outer.threads, 2 * of_outer.parts, [&](std::int64_t part) {
      if (part < of_outer.parts) {
        const auto [begin, end] = Range(n.columns, part, of_outer.parts);
        return differentiate_inputs(n, saved, grads, h, s, {begin, end});
      }
      const auto [begin, end] = Range(last.rows, part - of_outer.parts, of_outer.parts);
      differentiate_rows(n, saved, of_inner.biased, grads, product, last,
                         {begin * last.height, end * last.height});
      last.run(part - of_outer.parts, begin, end);
    });
    run_as_team(of_first.threads, of_first.parts, [&](std::int64_t part) {
      const auto [begin, end] = Range(first.rows, part, of_first.parts);
      differentiate_inner(n, saved, static_cast<float>(of_inner.bias_weight), product, last.shift, first,
                          {begin * first.height, end * first.height});
      first.run(part, begin, end);
    });
    variable_list result{h, s};
    last.add_to(result, &saved[kOuter]);
    first.add_to(result, &saved[kInner]);
    return result;
  }

  // Gradients of some columns of h and s.
  static void differentiate_inputs(const Sizes& n, const variable_list& saved, const Tensor& grads,
                                   const Tensor& h, const Tensor& s, const Rows& columns) {
    const std::int64_t count = columns.last - columns.first;
    if (count == 0) return;
    const MatrixView g{grads.data_ptr<float>() + columns.first, n.columns};
    if (h.defined()) {
      gemm(n.of_h, count, n.outputs, {saved[kOuterKernel].data_ptr<float>(), n.width(), true}, g, 0.0F,
           h.data_ptr<float>() + columns.first, n.columns);
    }
    if (s.defined()) {
      gemm(n.of_s, count, n.outputs, {saved[kProduct].data_ptr<float>(), n.of_s, true}, g, 0.0F,
           s.data_ptr<float>() + columns.first, n.columns);
    }
  }

  // Gradients of some rows of the kernels' product and of outer's kernel and bias.
  static void differentiate_rows(const Sizes& n, const variable_list& saved, std::int64_t biased,
                                 const Tensor& grads, const Tensor& product, const Differentiation& outer,
                                 const Rows& rows) {
    const std::int64_t count = rows.last - rows.first, width = n.width();
    const float* const g = grads.data_ptr<float>() + rows.first * n.columns;
    float* const kernel = outer.kernel.data_ptr<float>() + rows.first * width;
    float* const of_product = product.data_ptr<float>() + rows.first * n.of_s;
    float* const shift = outer.shift.data_ptr<float>() + rows.first;
    gemm(count, n.of_h, n.columns, {g, n.columns}, {saved[kH].data_ptr<float>(), n.columns, true}, 0.0F,
         kernel, width);
    gemm(count, n.of_s, n.columns, {g, n.columns}, {saved[kS].data_ptr<float>(), n.columns, true}, 0.0F,
         of_product, n.of_s);
    gemm(count, n.between, n.of_s, {of_product, n.of_s},
         {saved[kInnerKernel].data_ptr<float>(), n.of_s, true}, 0.0F, kernel + n.of_h, width);
    for (std::int64_t i = 0; i < count; ++i) {
      shift[i] = sum_of(g + i * n.columns, std::min(biased, n.columns));
    }
    gemm(count, n.between, 1, {shift, 1}, {saved[kInnerShift].data_ptr<float>(), n.between}, 1.0F,
         kernel + n.of_h, width);
  }

  // Gradients of some rows of inner's kernel and bias.
  static void differentiate_inner(const Sizes& n, const variable_list& saved, float bias_weight,
                                  const Tensor& product, const Tensor& outer_shift,
                                  const Differentiation& inner, const Rows& rows) {
    const std::int64_t count = rows.last - rows.first;
    const MatrixView kernel{saved[kOuterKernel].data_ptr<float>() + n.of_h + rows.first, n.width(), true};
    float* const shift = inner.shift.data_ptr<float>() + rows.first;
    gemm(count, n.of_s, n.outputs, kernel, {product.data_ptr<float>(), n.of_s}, 0.0F,
         inner.kernel.data_ptr<float>() + rows.first * n.of_s, n.of_s);
    gemm(count, 1, n.outputs, kernel, {outer_shift.data_ptr<float>(), 1}, 0.0F, shift, 1);
    std::for_each(shift, shift + count, [=](float& x) { x *= bias_weight; });
  }

  // The gradients as differentiable tensor operations, for second derivatives.
  static variable_list differentiable_gradients(const ActionKernelPtr& outer, const ActionKernelPtr& inner,
                                                const variable_list& saved, const Samples& of_inner,
                                                const Tensor& grads) {
    const auto layer = [](const ActionKernelPtr& self, const Tensor* p) {
      AssembledKernel made = assemble(self, p[0], p[1], p[2]);
      if (p[3].numel() > 0) made.bias = made.bias.defined() ? made.bias + p[3] : p[3];
      return made;
    };
    const Tensor m = differentiable_affine(saved[kS], layer(inner, &saved[kInner]), of_inner);
    const Tensor y = differentiable_affine(torch::cat({saved[kH], m}), layer(outer, &saved[kOuter]),
                                           Samples{true, of_inner.biased});
    return gradients_of({y}, {grads}, {saved.begin(), saved.begin() + kInputs}, true);
  }
};

}  // namespace

bool joining_pays(const LinearLayer& outer, const LinearLayer& inner, std::int64_t columns) {
  const std::int64_t outputs = outer.kernel->kernel_sizes()[0], between = inner.kernel->kernel_sizes()[0];
  const std::int64_t of_s = inner.kernel->kernel_sizes()[1];
  return outputs * of_s * (columns + between) < columns * between * (of_s + outputs);
}

Tensor joined_linear(const LinearLayer& outer, const Tensor& h, const LinearLayer& inner, const Tensor& s,
                     std::int64_t biased, double inner_bias_weight) {
  return Joined::apply(h.contiguous(), s.contiguous(), outer.action, outer.weight, outer.delta, outer.bias,
                       inner.action, inner.weight, inner.delta, inner.bias, outer, inner, biased,
                       inner_bias_weight);
}

}  // namespace gcan::nn::detail
