#include "gcan/nn/detail/message.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "gcan/kernels/message.h"
#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/parallel.h"
#include "gcan/nn/detail/team.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;
using Context = torch::autograd::AutogradContext;
using List = torch::autograd::variable_list;

// The graphs of a single term or of both.
kernels::Graphs graphs_of(const Tensor& x) {
  const auto size = [&](std::int64_t i) { return static_cast<std::size_t>(x.size(i)); };
  if (x.dim() == 3) return {size(0), 1, size(1), size(2)};
  return {size(0), size(1) * size(3), size(4), size(5)};
}

// The number of samples, or of channels, that is worth a thread; each has `others` of the other kind.
std::size_t grain(const kernels::Graphs& g, std::size_t others) {
  constexpr std::size_t kEdges = 1 << 15;
  return kEdges / (others * g.points * g.points + 1) + 1;
}

// 1 for edges, 0 for self loops.
Tensor no_loops(const Tensor& like, std::int64_t points) {
  return 1 - torch::eye(points, torch::TensorOptions(like.device()).dtype(like.scalar_type()));
}

// Autograd functions take no undefined tensors: an empty one means no distances.
Tensor or_empty(const Tensor& x, const Tensor& like) {
  return x.defined() ? x.contiguous() : torch::empty({0}, like.options());
}
bool has_distances(const Tensor& distance) { return distance.defined() && distance.dim() == 3; }

// With tensor operations, for other devices and second derivatives: materialises the gates of all edges,
// one per blade.
Tensor gated_tensors(const Tensor& a, const Tensor& b, const Tensor& weight, const Tensor& bias,
                     const Grades& parts) {
  const NoAutocast in_float;
  const Tensor fa = torch::einsum("ckl,clsi->cksi", {weight, a}) + bias.unsqueeze(-1).unsqueeze(-1);
  const Tensor fb = torch::einsum("ckl,clsj->cksj", {weight, b});
  const Tensor gates = torch::sigmoid(fa.unsqueeze(-1) + fb.unsqueeze(-2)) * no_loops(a, a.size(3));
  const Tensor of_blade = gates.index_select(1, parts.part_of_blade(a.device()));
  return a * of_blade.sum(-1) + torch::matmul(of_blade, b.unsqueeze(-1)).squeeze(-1);
}

Tensor leaky_tensors(const Tensor& a, const Tensor& b, double slope, const Tensor& distance,
                     const Tensor& weight) {
  Tensor z = a.unsqueeze(-1) + b.unsqueeze(-2);
  if (has_distances(distance)) {
    z = z + weight.view({a.size(0), 1, 1, 1}) * distance.transpose(1, 2);
  }
  return (torch::leaky_relu(z, slope) * no_loops(a, a.size(2))).sum(-1);
}

// One of the two terms: (channels, blades, samples, points).
Tensor term(const Tensor& both, std::int64_t number) { return both.select(2, number).flatten(1, 2); }

template <class T>
kernels::GatedSum<T> gated_sum(const Tensor& both, const Tensor& weight, const Tensor& bias,
                               const Grades& parts) {
  return {graphs_of(both),      static_cast<std::size_t>(both.size(3)),
          parts.count,          parts.part_of,
          weight.data_ptr<T>(), bias.data_ptr<T>()};
}

// Calls body(begin, end) for ranges of channels. A channel's result does not depend on the partition.
template <class Body>
void for_channels(const kernels::Graphs& g, const Body& body) {
  constexpr std::size_t kChunksPerThread = 4;
  const auto threads = static_cast<std::size_t>(at::get_num_threads());
  const std::size_t size = std::max(
      grain(g, g.samples), (g.channels + kChunksPerThread * threads - 1) / (kChunksPerThread * threads));
  run_as_team(static_cast<std::int64_t>(threads), static_cast<std::int64_t>((g.channels + size - 1) / size),
              [&](std::int64_t part) {
                const std::size_t begin = static_cast<std::size_t>(part) * size;
                body(begin, std::min(g.channels, begin + size));
              });
}

struct GatedMessages : torch::autograd::Function<GatedMessages> {
  static Tensor forward(Context* context, const Tensor& both, const Tensor& weight, const Tensor& bias,
                        const Grades& parts) {
    context->save_for_backward({both, weight, bias});
    context->saved_data["parts"] = to_ivalue(parts);
    const Tensor y =
        torch::empty({both.size(0), both.size(1) * both.size(3), both.size(4), both.size(5)}, both.options());
    AT_DISPATCH_FLOATING_TYPES(both.scalar_type(), "gated_messages", [&] {
      const auto sum = gated_sum<scalar_t>(both, weight, bias, parts);
      for_channels(sum.graphs, [&](std::size_t begin, std::size_t end) {
        kernels::gated_sum_forward(sum, begin, end, both.data_ptr<scalar_t>(), y.data_ptr<scalar_t>());
      });
    });
    return y;
  }

  static List backward(Context* context, const List& gradients) {
    const List saved = context->get_saved_variables();
    const Grades parts = to_grades(context->saved_data["parts"]);
    if (torch::GradMode::is_enabled()) {
      List result = differentiable_gradients(
          [&](const List& in) { return gated_tensors(term(in[0], 0), term(in[0], 1), in[1], in[2], parts); },
          saved, gradients[0]);
      result.emplace_back();
      return result;
    }
    const auto &both = saved[0], &weight = saved[1], &bias = saved[2];
    const Tensor dy = gradients[0].contiguous(), dboth = torch::empty_like(both);
    const Tensor sums = torch::empty({both.size(4), both.size(0), weight.size(1), weight.size(2) + 1},
                                     torch::dtype(torch::kDouble));
    AT_DISPATCH_FLOATING_TYPES(both.scalar_type(), "gated_messages", [&] {
      const auto sum = gated_sum<scalar_t>(both, weight, bias, parts);
      for_channels(sum.graphs, [&](std::size_t begin, std::size_t end) {
        kernels::gated_sum_backward(sum, begin, end, both.data_ptr<scalar_t>(), dy.data_ptr<scalar_t>(),
                                    dboth.data_ptr<scalar_t>(), sums.data_ptr<double>());
      });
    });
    const Tensor total = sums.sum(0).to(both.scalar_type());
    return {dboth, total.narrow(2, 0, weight.size(2)), total.select(2, weight.size(2)), Tensor()};
  }
};

template <class T>
kernels::LeakySum<T> leaky_sum(const Tensor& a, double slope, const Tensor& distance, const Tensor& weight) {
  const bool far = has_distances(distance);
  return {graphs_of(a), static_cast<T>(slope), far ? distance.data_ptr<T>() : nullptr,
          far ? weight.data_ptr<T>() : nullptr};
}

struct LeakyMessages : torch::autograd::Function<LeakyMessages> {
  static Tensor forward(Context* context, const Tensor& a, const Tensor& b, const Tensor& distance,
                        const Tensor& weight, double slope) {
    context->save_for_backward({a, b, distance, weight});
    context->saved_data["slope"] = slope;
    const Tensor y = torch::empty_like(a);
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "leaky_messages", [&] {
      const auto sum = leaky_sum<scalar_t>(a, slope, distance, weight);
      parallel_for(sum.graphs.samples, grain(sum.graphs, sum.graphs.channels),
                   [&](std::size_t begin, std::size_t end) {
                     kernels::leaky_sum_forward(sum, begin, end, a.data_ptr<scalar_t>(),
                                                b.data_ptr<scalar_t>(), y.data_ptr<scalar_t>());
                   });
    });
    return y;
  }

  static List backward(Context* context, const List& gradients) {
    const List saved = context->get_saved_variables();
    const double slope = context->saved_data["slope"].toDouble();
    if (torch::GradMode::is_enabled()) return differentiable(saved, slope, gradients[0]);
    const auto &a = saved[0], &b = saved[1], &distance = saved[2], &weight = saved[3];
    const bool far = has_distances(distance);
    const Tensor dy = gradients[0].contiguous();
    const Tensor da = torch::empty_like(a), db = torch::empty_like(b);
    const Tensor sums = torch::empty({a.size(1), far ? a.size(0) : 0}, torch::dtype(torch::kDouble));
    const Tensor ddistance = far && distance.requires_grad() ? torch::empty_like(distance) : Tensor();
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "leaky_messages", [&] {
      const auto sum = leaky_sum<scalar_t>(a, slope, distance, weight);
      parallel_for(sum.graphs.samples, grain(sum.graphs, sum.graphs.channels),
                   [&](std::size_t begin, std::size_t end) {
                     kernels::leaky_sum_backward(
                         sum, begin, end, a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(),
                         dy.data_ptr<scalar_t>(), da.data_ptr<scalar_t>(), db.data_ptr<scalar_t>(),
                         sums.data_ptr<double>(),
                         ddistance.defined() ? ddistance.data_ptr<scalar_t>() : nullptr);
                   });
    });
    return {da, db, ddistance, far ? sums.sum(0).to(a.scalar_type()) : Tensor(), Tensor()};
  }

  static List differentiable(const List& saved, double slope, const Tensor& dy) {
    List result = differentiable_gradients(
        [&](const List& in) { return leaky_tensors(in[0], in[1], slope, in[2], in[3]); }, saved, dy);
    result.emplace_back();
    return result;
  }
};

void check_nodes(const char* function, const Tensor& a, const Tensor& b, torch::IntArrayRef expected) {
  check_shape(function, a, expected);
  check_shape(function, b, a.sizes());
}

}  // namespace

Tensor gated_messages(const MSiLU& gate, const Tensor& a, const Tensor& b) {
  if (!has_kernel(a)) return gated_messages_with_tensors(gate, a, b);
  check_nodes("gated_messages", a, b,
              {gate->options.channels(), static_cast<std::int64_t>(gate->options.objects().size()), -1, -1});
  return gated_messages(gate, torch::stack({a, b}, 1).unsqueeze(1));
}

Tensor gated_messages(const MSiLU& gate, const Tensor& both) {
  const auto blades = static_cast<std::int64_t>(gate->options.objects().size());
  const std::int64_t together = both.defined() && both.dim() == 6 && both.size(3) > 0 ? both.size(3) : 1;
  check_shape("gated_messages", both, {gate->options.channels(), blades / together, 2, together, -1, -1});
  if (!has_kernel(both)) return gated_messages_with_tensors(gate, term(both, 0), term(both, 1));
  const auto like = torch::TensorOptions(both.device()).dtype(both.scalar_type());
  return GatedMessages::apply(both.contiguous(), gate->gate_weight(like).contiguous(),
                              gate->gate_bias(like).contiguous(), gate->gate_parts());
}

Tensor gated_messages_with_tensors(const MSiLU& gate, const Tensor& a, const Tensor& b) {
  check_nodes("gated_messages", a, b,
              {gate->options.channels(), static_cast<std::int64_t>(gate->options.objects().size()), -1, -1});
  const auto like = torch::TensorOptions(a.device()).dtype(compute_type(a));
  return gated_tensors(a.to(like), b.to(like), gate->gate_weight(like), gate->gate_bias(like),
                       gate->gate_parts())
      .to(a.scalar_type());
}

Tensor leaky_messages(const Tensor& a, const Tensor& b, double slope, const Tensor& distance,
                      const Tensor& weight) {
  if (!has_kernel(a)) return leaky_messages_with_tensors(a, b, slope, distance, weight);
  check_nodes("leaky_messages", a, b, {-1, -1, -1});
  if (!(slope >= 0 && slope <= 1)) {
    throw Error("leaky_messages got a slope of " + std::to_string(slope) + ", expected one from 0 to 1");
  }
  if (distance.defined()) {
    check_shape("leaky_messages", distance, {a.size(1), a.size(2), a.size(2)});
    check_shape("leaky_messages", weight, {a.size(0)});
  }
  return LeakyMessages::apply(a.contiguous(), b.contiguous(), or_empty(distance, a), or_empty(weight, a),
                              slope);
}

Tensor leaky_messages_with_tensors(const Tensor& a, const Tensor& b, double slope, const Tensor& distance,
                                   const Tensor& weight) {
  return leaky_tensors(a, b, slope, distance, weight);
}

}  // namespace gcan::nn::detail
