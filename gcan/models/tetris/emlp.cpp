#include "gcan/models/tetris/emlp.h"

#include <algorithm>
#include <cmath>

namespace gcan::models {
namespace {

using torch::Tensor;

// The tensors of one rank: (N, 3^rank, copies).
Tensor of_rank(const Representation& representation, int rank, const Tensor& x) {
  const std::int64_t copies = representation.copies_of(rank), size = tensor_size(rank);
  return x.narrow(1, representation.start(rank), copies * size).view({x.size(0), size, copies});
}

// y_u = sum_(v, k) weight_vku X_k x_v with rank-q outputs u, rank-p inputs v and picked tensors X_k of rank
// q + p: x (N, 3^p, V), picked (N, 3^q, 3^p, K), weight (V, K, U); the result is (N, 3^q, U). The weights are
// applied where the tensors are smaller.
Tensor contracted(const Tensor& x, const Tensor& picked, const Tensor& weight) {
  const std::int64_t samples = x.size(0), inputs = x.size(2), out_size = picked.size(1),
                     in_size = picked.size(2);
  const std::int64_t picks = weight.size(1), outputs = weight.size(2);
  if (in_size <= out_size) {
    const Tensor weighted = torch::matmul(x, weight.reshape({inputs, picks * outputs}));
    return torch::bmm(picked.reshape({samples, out_size, in_size * picks}),
                      weighted.view({samples, in_size * picks, outputs}));
  }
  const Tensor moved = torch::bmm(picked.transpose(2, 3).reshape({samples, out_size * picks, in_size}), x);
  return torch::matmul(moved.view({samples, out_size, picks * inputs}),
                       weight.transpose(0, 1).reshape({picks * inputs, outputs}));
}

}  // namespace

// Initialisation as by Finzi: an orthogonal matrix, and a bias in [0, 1 / sqrt(size)).
EquivariantLinearImpl::EquivariantLinearImpl(OrthogonalGroup group, const Representation& in,
                                             const Representation& out)
    : project_weight_(group, out, in), project_bias_(group, out, {{1, 0, 0, 0}, false}) {
  weight = register_parameter("weight", torch::nn::init::orthogonal_(torch::empty({out.size(), in.size()})));
  bias = register_parameter("bias", torch::rand({out.size()}) / std::sqrt(static_cast<double>(out.size())));
}

Tensor EquivariantLinearImpl::forward(const Tensor& x) {
  return torch::linear(x, project_weight_(weight), project_bias_(bias));
}

BilinearImpl::BilinearImpl(const Representation& representation) : representation_(representation) {
  for (int rank = 1; rank <= kMaxRank; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const std::int64_t picks = std::min(representation.copies_of(rank), tensor_size(rank));
    std::int64_t pairs = 0;
    for (int q = 0; q <= rank; ++q) pairs += representation.copies_of(q) * representation.copies_of(rank - q);
    const std::string name = std::to_string(rank);
    pick[r] = register_buffer("pick" + name,
                              torch::randperm(representation.copies_of(rank)).narrow(0, 0, picks).clone());
    weight[r] = register_parameter("weight" + name, torch::randn({pairs * picks}));
  }
}

Tensor BilinearImpl::forward(const Tensor& x) {
  std::array<Tensor, kMaxRank + 1> y;
  for (int rank = 1; rank <= kMaxRank; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const std::int64_t picks = pick[r].numel();
    if (picks == 0) continue;
    const Tensor picked = of_rank(representation_, rank, x).index_select(2, pick[r].to(torch::kLong));
    std::int64_t start = 0;
    for (int q = 0; q <= rank; ++q) {
      const int p = rank - q;
      const std::int64_t outputs = representation_.copies_of(q), inputs = representation_.copies_of(p);
      const Tensor own = weight[r].narrow(0, start, inputs * picks * outputs).view({inputs, picks, outputs});
      start += own.numel();
      const Tensor part = contracted(of_rank(representation_, p, x),
                                     picked.view({x.size(0), tensor_size(q), tensor_size(p), picks}), own);
      Tensor& sum = y[static_cast<std::size_t>(q)];
      sum = sum.defined() ? sum + part : part;
    }
  }
  std::vector<Tensor> ranks;
  for (int q = 0; q <= kMaxRank; ++q) {
    const Tensor& sum = y[static_cast<std::size_t>(q)];
    ranks.push_back(sum.defined() ? sum.flatten(1)
                                  : torch::zeros_like(of_rank(representation_, q, x)).flatten(1));
  }
  return torch::cat(ranks, 1).mul_(0.1);
}

Tensor gated(const Representation& representation, const Tensor& x) {
  const Representation wide = representation.gated();
  const Tensor gates = torch::sigmoid(x.narrow(1, 0, wide.copies_of(0)));
  std::vector<Tensor> ranks;
  std::int64_t gate = 0;
  for (int rank = 0; rank <= kMaxRank; gate += representation.copies_of(rank), ++rank) {
    const std::int64_t copies = representation.copies_of(rank);
    const Tensor tensors = rank == 0 ? x.narrow(1, 0, copies).unsqueeze(1) : of_rank(wide, rank, x);
    ranks.push_back((tensors * gates.narrow(1, gate, copies).unsqueeze(1)).flatten(1));
  }
  return torch::cat(ranks, 1);
}

EmlpImpl::EmlpImpl(const EmlpOptions& options_)
    : CloneableNetwork(options_.title(), options_.scene()),
      options(options_),
      hidden_(Representation::uniform(options_.width())) {
  refuse_velocities();
  Representation in = Representation::vectors(scene().steps_in * scene().points);
  for (std::int64_t i = 0; i < options.layers(); ++i, in = hidden_) {
    const std::string number = std::to_string(i);
    linears_.push_back(
        register_module("linear" + number, EquivariantLinear(options.symmetry(), in, hidden_.gated())));
    bilinears_.push_back(register_module("bilinear" + number, Bilinear(hidden_.gated())));
  }
  linears_.push_back(
      register_module("linear" + std::to_string(options.layers()),
                      EquivariantLinear(options.symmetry(), in,
                                        Representation::vectors(scene().steps_out * scene().points))));
}

Tensor EmlpImpl::predict(const Tensor& x) {
  Tensor h = x.flatten(1);
  for (std::size_t i = 0; i < bilinears_.size(); ++i) {
    h = linears_[i](h);
    h = gated(hidden_, h + bilinears_[i](h));
  }
  return as_scene(linears_.back()(h));
}

}  // namespace gcan::models
