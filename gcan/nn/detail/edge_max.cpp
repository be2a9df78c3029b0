#include "gcan/nn/detail/edge_max.h"

#include <vector>

#include "gcan/kernels/edge_max.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/gemm.h"
#include "gcan/nn/detail/linear_function.h"
#include "gcan/nn/detail/team.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

// Points per chunk: with 31 neighbours and 256 features, messages and products then fit the second-level
// cache.
constexpr std::int64_t kPointsAtOnce = 16;

kernels::EdgeSet edge_set(const Tensor& ends, const Tensor& from, const Tensor& weight, const Tensor& starts,
                          double slope) {
  return {from.data_ptr<float>(),
          ends.data_ptr<float>(),
          starts.data_ptr<std::int64_t>(),
          static_cast<std::size_t>(starts.size(1)),
          static_cast<std::size_t>(weight.size(1)),
          static_cast<std::size_t>(weight.size(0)),
          static_cast<float>(slope)};
}

// One part per thread, each of whole scenes, so that no two write to the same point.
std::int64_t part_count(const Edges& edges) {
  return std::min<std::int64_t>(at::get_num_threads(), edges.scenes);
}

// Calls body(part, first point, last point) for all parts.
template <class Body>
void for_parts(const Edges& edges, const Body& body) {
  const std::int64_t parts = part_count(edges);
  const std::int64_t points = edges.starts.size(0) / edges.scenes;
  run_as_team(parts, parts, [&](std::int64_t part) {
    body(part, edges.scenes * part / parts * points, edges.scenes * (part + 1) / parts * points);
  });
}

struct EdgeMax : torch::autograd::Function<EdgeMax> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& ends, const Tensor& from,
                        const Tensor& weight, const Tensor& starts, std::int64_t scenes, double slope) {
    const kernels::EdgeSet set = edge_set(ends, from, weight, starts, slope);
    const std::int64_t outputs = weight.size(0), hidden = weight.size(1), neighbours = starts.size(1);
    Tensor largest = torch::empty({ends.size(0), outputs}, ends.options());
    const Tensor which = torch::empty({ends.size(0), outputs}, torch::kInt32);
    for_parts({starts, scenes}, [&](std::int64_t /*part*/, std::int64_t begin, std::int64_t end) {
      std::vector<float> z(static_cast<std::size_t>(kPointsAtOnce * neighbours * hidden));
      std::vector<float> lines(static_cast<std::size_t>(kPointsAtOnce * neighbours * outputs));
      for (std::int64_t first = begin; first < end; first += kPointsAtOnce) {
        const std::int64_t last = std::min(first + kPointsAtOnce, end), rows = (last - first) * neighbours;
        kernels::edge_hidden(set, static_cast<std::size_t>(first), static_cast<std::size_t>(last), z.data());
        gemm(rows, outputs, hidden, {z.data(), hidden}, {weight.data_ptr<float>(), hidden, true}, 0.0F,
             lines.data(), outputs);
        kernels::edge_maximum(set, static_cast<std::size_t>(last - first), lines.data(),
                              largest.data_ptr<float>() + first * outputs,
                              which.data_ptr<std::int32_t>() + first * outputs);
      }
    });
    context->save_for_backward({ends, from, weight, starts, which});
    context->saved_data["scenes"] = scenes;
    context->saved_data["slope"] = slope;
    return largest;
  }

  static variable_list backward(torch::autograd::AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Edges edges{saved[3], context->saved_data["scenes"].toInt()};
    const double slope = context->saved_data["slope"].toDouble();
    variable_list result;
    if (torch::GradMode::is_enabled()) {
      const Tensor y = edge_max_with_tensors(saved[0], saved[1], saved[2], edges, slope);
      result = gradients_of({y}, grads, {saved[0], saved[1], saved[2]}, true);
    } else {
      result = gradients(saved, edges, slope, grads[0].contiguous());
    }
    result.resize(6);
    return result;
  }

 private:
  static variable_list gradients(const variable_list& saved, const Edges& edges, double slope,
                                 const Tensor& grads) {
    const Tensor &ends = saved[0], &from = saved[1], &weight = saved[2];
    const kernels::EdgeSet set = edge_set(ends, from, weight, edges.starts, slope);
    const Tensor of_ends = torch::zeros_like(ends), of_from = torch::zeros_like(from);
    const Tensor of_weight = torch::zeros({part_count(edges), weight.numel()}, weight.options());
    for_parts(edges, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
      kernels::edge_max_gradient(
          set,
          {grads.data_ptr<float>(), saved[4].data_ptr<std::int32_t>(), weight.data_ptr<float>(),
           of_from.data_ptr<float>(), of_ends.data_ptr<float>(),
           of_weight.data_ptr<float>() + part * weight.numel()},
          static_cast<std::size_t>(first), static_cast<std::size_t>(last));
    });
    return {of_ends, of_from, (of_weight.size(0) == 1 ? of_weight : of_weight.sum(0)).view_as(weight)};
  }
};

}  // namespace

Tensor edge_max(const Tensor& ends, const Tensor& from, const Tensor& weight, const Edges& edges,
                double slope) {
  if (!can_fuse(ends, weight) || !can_fuse(from, weight)) {
    return edge_max_with_tensors(ends, from, weight, edges, slope);
  }
  return EdgeMax::apply(ends.contiguous(), from.contiguous(), weight.contiguous(), edges.starts.contiguous(),
                        edges.scenes, slope);
}

Tensor edge_max_with_tensors(const Tensor& ends, const Tensor& from, const Tensor& weight, const Edges& edges,
                             double slope) {
  const Tensor sums =
      from.index_select(0, edges.starts.flatten()).view({ends.size(0), edges.starts.size(1), ends.size(1)}) +
      ends.unsqueeze(1);
  return torch::matmul(torch::leaky_relu(sums, slope), weight.t()).amax(1);
}

}  // namespace gcan::nn::detail
