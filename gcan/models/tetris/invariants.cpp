#include "gcan/models/tetris/invariants.h"

#include <map>
#include <mutex>
#include <utility>

#include "gcan/base/error.h"
#include "gcan/nn/detail/constant.h"

namespace gcan::models {
namespace {

using torch::Tensor;
using Positions = std::vector<int>;

// All ways to pair up an even number of positions.
std::vector<Positions> pairings(const Positions& positions) {
  if (positions.empty()) return {{}};
  std::vector<Positions> all;
  for (std::size_t k = 1; k < positions.size(); ++k) {
    Positions rest;
    for (std::size_t i = 1; i < positions.size(); ++i) {
      if (i != k) rest.push_back(positions[i]);
    }
    for (Positions pairs : pairings(rest)) {
      pairs.insert(pairs.begin(), {positions[0], positions[k]});
      all.push_back(std::move(pairs));
    }
  }
  return all;
}

// The product of an epsilon on the first three positions, if their number is odd, and deltas on the pairs of
// the others.
Tensor product_of(const Positions& positions) {
  const int rank = static_cast<int>(positions.size());
  Tensor tensor = torch::zeros(tensor_size(rank), torch::kDouble);
  auto* const values = tensor.data_ptr<double>();
  std::vector<int> digit(positions.size());
  for (std::int64_t n = 0; n < tensor.numel(); ++n) {
    std::int64_t rest = n;
    for (int i = rank; i-- > 0; rest /= 3) digit[static_cast<std::size_t>(i)] = static_cast<int>(rest % 3);
    const auto at = [&](std::size_t i) { return digit[static_cast<std::size_t>(positions[i])]; };
    double value = 1;
    std::size_t i = 0;
    if (rank % 2 == 1) {
      // epsilon_abc = (a - b)(b - c)(c - a) / 2
      value = (at(0) - at(1)) * (at(1) - at(2)) * (at(2) - at(0)) / 2;
      i = 3;
    }
    for (; i < positions.size(); i += 2) value *= at(i) == at(i + 1) ? 1 : 0;
    values[n] = value;
  }
  return tensor;
}

std::vector<Tensor> spanning_tensors(OrthogonalGroup group, int rank) {
  std::vector<Tensor> all;
  Positions positions(static_cast<std::size_t>(rank));
  for (int i = 0; i < rank; ++i) positions[static_cast<std::size_t>(i)] = i;
  if (rank % 2 == 0) {
    for (const Positions& pairs : pairings(positions)) all.push_back(product_of(pairs));
    return all;
  }
  if (group == OrthogonalGroup::o3) return all;
  for (int a = 0; a < rank; ++a) {
    for (int b = a + 1; b < rank; ++b) {
      for (int c = b + 1; c < rank; ++c) {
        Positions rest;
        for (int i = 0; i < rank; ++i) {
          if (i != a && i != b && i != c) rest.push_back(i);
        }
        for (Positions pairs : pairings(rest)) {
          pairs.insert(pairs.begin(), {a, b, c});
          all.push_back(product_of(pairs));
        }
      }
    }
  }
  return all;
}

Tensor make_basis(OrthogonalGroup group, int rank) {
  const std::vector<Tensor> span = spanning_tensors(group, rank);
  if (span.empty()) return torch::zeros({tensor_size(rank), 0}, torch::kDouble);
  const auto [left, singular, right] = torch::linalg_svd(torch::stack(span, 1), /*full_matrices=*/false);
  // Entries are whole numbers, so that singular values are zero or far from it.
  return left.narrow(1, 0, (singular > 1e-6).sum().item<std::int64_t>()).contiguous();
}

}  // namespace

std::int64_t Representation::start(int rank) const {
  std::int64_t sum = 0;
  for (int r = 0; r < rank; ++r) sum += copies_of(r) * tensor_size(r);
  return sum;
}

std::int64_t Representation::index(int rank, std::int64_t copy, std::int64_t component) const {
  return start(rank) +
         (copy_by_copy ? copy * tensor_size(rank) + component : component * copies_of(rank) + copy);
}

Representation Representation::vectors(std::int64_t count) { return {{0, count, 0, 0}, true}; }

Representation Representation::uniform(std::int64_t size) {
  if (size < 1 || size >= 5 * tensor_size(kMaxRank + 1)) {
    throw Error("a uniform representation has 1 to 404 numbers, not " + std::to_string(size));
  }
  Representation made;
  while (size > 0) {
    int rank = 0;
    while ((rank + 2) * tensor_size(rank + 1) <= size) ++rank;
    for (int r = 0; r <= rank; ++r) made.copies[static_cast<std::size_t>(r)] += tensor_size(rank - r);
    size -= (rank + 1) * tensor_size(rank);
  }
  return made;
}

Representation Representation::gated() const {
  Representation made = *this;
  for (int r = 1; r <= kMaxRank; ++r) made.copies[0] += copies_of(r);
  return made;
}

const Tensor& invariant_tensors(OrthogonalGroup group, int rank) {
  static std::mutex mutex;
  static std::map<std::pair<OrthogonalGroup, int>, Tensor> made;
  const std::lock_guard lock(mutex);
  Tensor& basis = made[{group, rank}];
  if (!basis.defined()) basis = make_basis(group, rank);
  return basis;
}

struct EquivariantProjection::Blocks : torch::CustomClassHolder {
  std::vector<nn::detail::DeviceTensor> where;  // for each rank: (pairs * 3^rank), places in the matrix
  std::vector<nn::detail::DeviceTensor> basis;  // (3^rank, dimension)

  [[nodiscard]] Tensor project(const Tensor& matrix) const;
};

EquivariantProjection::EquivariantProjection(OrthogonalGroup group, const Representation& out,
                                             const Representation& in) {
  auto blocks = c10::make_intrusive<Blocks>();
  for (int rank = 0; rank <= 2 * kMaxRank; ++rank) {
    const Tensor& basis = invariant_tensors(group, rank);
    std::vector<std::int64_t> where;
    for (int q = std::max(0, rank - kMaxRank); q <= std::min(rank, kMaxRank); ++q) {
      const int p = rank - q;
      for (std::int64_t u = 0; u < out.copies_of(q); ++u) {
        for (std::int64_t v = 0; v < in.copies_of(p); ++v) {
          for (std::int64_t n = 0; n < tensor_size(rank); ++n) {
            where.push_back(out.index(q, u, n / tensor_size(p)) * in.size() +
                            in.index(p, v, n % tensor_size(p)));
          }
        }
      }
    }
    if (where.empty() || basis.size(1) == 0) continue;
    blocks->where.emplace_back(torch::tensor(where));
    blocks->basis.emplace_back(basis);
  }
  blocks_ = std::move(blocks);
}

Tensor EquivariantProjection::Blocks::project(const Tensor& matrix) const {
  const torch::Device device = matrix.device();
  const Tensor from = matrix.contiguous().view(-1);
  Tensor to = torch::zeros_like(from);
  for (std::size_t i = 0; i < where.size(); ++i) {
    const Tensor places = where[i].on(device), onto = basis[i].on(device, matrix.scalar_type());
    const Tensor tensors = from.index_select(0, places).view({-1, onto.size(0)});
    to.index_copy_(0, places, torch::mm(torch::mm(tensors, onto), onto.t()).view(-1));
  }
  return to.view(matrix.sizes());
}

struct EquivariantProjection::Function : torch::autograd::Function<Function> {
  using Context = torch::autograd::AutogradContext;
  using List = torch::autograd::variable_list;

  using Holder = c10::intrusive_ptr<torch::CustomClassHolder>;

  static Tensor forward(Context* context, const Tensor& matrix, const Holder& blocks) {
    context->saved_data["blocks"] = c10::IValue::make_capsule(blocks);
    return static_cast<const Blocks&>(*blocks).project(matrix);
  }
  static List backward(Context* context, const List& gradients) {
    const Holder blocks = context->saved_data["blocks"].toCapsule();
    return {apply(gradients[0], blocks), Tensor()};
  }
};

Tensor EquivariantProjection::operator()(const Tensor& matrix) const {
  return Function::apply(matrix, blocks_);
}

}  // namespace gcan::models
