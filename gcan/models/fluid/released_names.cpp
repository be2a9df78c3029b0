#include "gcan/models/fluid/released_names.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/nn/detail/checks.h"

namespace gcan::models {
namespace {

using torch::Tensor;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void replace_all(std::string& name, const std::string& part, const std::string& replacement) {
  for (std::size_t at = 0; (at = name.find(part, at)) != std::string::npos; at += replacement.size())
    name.replace(at, part.size(), replacement);
}

void replace_start(std::string& name, const std::string& start, const std::string& replacement) {
  if (name.starts_with(start)) name.replace(0, start.size(), replacement);
}

// "12" for "12.rest" at the position; empty if there is no such number.
std::string number_at(const std::string& name, std::size_t at) {
  constexpr std::size_t kMostDigits = 6;
  std::size_t end = at;
  while (end < name.size() && is_digit(name[end])) ++end;
  const bool fits = end > at && end - at <= kMostDigits && end < name.size() && name[end] == '.';
  return fits ? name.substr(at, end - at) : "";
}

// Removes "block." of "down.1.block.conv1.weight".
void drop_kind_of_stage(std::string& name) {
  for (const std::string stage : {"down.", "up."}) {
    const std::string number = name.starts_with(stage) ? number_at(name, stage.size()) : "";
    if (number.empty()) continue;
    const std::size_t at = stage.size() + number.size() + 1;
    for (const std::string kind : {"block.", "res.", "conv."})
      if (name.compare(at, kind.size(), kind) == 0) return void(name.erase(at, kind.size()));
  }
}

// Networks have different names for their parts, but the same names for layers.
std::string own_name(std::string name) {
  drop_kind_of_stage(name);
  replace_start(name, "middle.res1.", "middle.0.");
  replace_start(name, "middle.res2.", "middle.1.");
  replace_start(name, "image_proj.", "conv1.");
  replace_start(name, "final.", "conv2.");
  replace_start(name, "encoder.", "conv_in1.");
  replace_start(name, "decoder.", "conv_out2.");
  for (const std::string i : {"1", "2"}) {
    replace_all(name, ".bn" + i + ".", ".norm" + i + ".");
    // In our blocks the activation is part of the norm.
    replace_all(name, ".act" + i + ".conv.", ".norm" + i + ".gate.");
    replace_start(name, "act" + i + ".conv.", "act" + i + ".");
  }
  replace_start(name, "activation.conv.", "norm.gate.");
  return name;
}

// The numbers 2 and 1 of "layers.2.1.conv1.weight", and "conv1.weight".
struct BlockName {
  int group = 0, block = 0;
  std::string rest;
};

std::optional<BlockName> block_name(const std::string& name) {
  const std::string start = "layers.";
  if (!name.starts_with(start)) return std::nullopt;
  const std::string group = number_at(name, start.size());
  if (group.empty()) return std::nullopt;
  const std::size_t second = start.size() + group.size() + 1;
  const std::string block = number_at(name, second);
  if (block.empty()) return std::nullopt;
  return BlockName{std::stoi(group), std::stoi(block), name.substr(second + block.size() + 1)};
}

// Released ResNets group their blocks, "layers.2.1."; ours are numbered consecutively.
StateDict with_flat_blocks(const StateDict& state) {
  std::set<std::pair<int, int>> found;
  for (const auto& [name, value] : state)
    if (const auto block = block_name(name)) found.insert({block->group, block->block});
  StateDict result;
  for (const auto& [name, value] : state) {
    const auto block = block_name(name);
    if (!block) {
      result[name] = value;
      continue;
    }
    const auto place = found.find({block->group, block->block});
    result["layers." + std::to_string(std::distance(found.begin(), place)) + "." + block->rest] = value;
  }
  return result;
}

StateDict renamed(const StateDict& state) {
  StateDict result;
  for (const auto& [name, value] : with_flat_blocks(state)) result[own_name(name)] = value;
  return result;
}

// Constants of the released layers, which ours do not store.
bool is_constant(const std::string& name) {
  const std::size_t dot = name.rfind('.') + 1;
  const std::string leaf = name.substr(dot);
  return leaf == "zero_kernel" || leaf == "g" ||
         ((leaf == "4" || leaf == "5") && (name == "weight." + leaf || name.ends_with(".weight." + leaf)));
}

[[noreturn]] void fail_on_shape(const std::string& name, const Tensor& value, const std::string& expected) {
  throw Error("the released parameter for '" + name + "' has the shape " +
              nn::detail::shape_text(value.sizes()) + ", expected " + expected +
              "; does it belong to a network of another size?");
}

// Removes parameters from the state, which leaves the superfluous ones.
class Source {
 public:
  explicit Source(const StateDict& state) : state_(renamed(state)) {}

  [[nodiscard]] bool has(const std::string& name) const { return state_.count(name) > 0; }
  Tensor take(const std::string& name, const std::string& for_whom) {
    const auto found = state_.find(name);
    if (found == state_.end()) {
      throw Error("the released parameters have no '" + name + "', which " + for_whom +
                  " needs; does it belong to another network, or one without norms?");
    }
    const Tensor value = found->second;
    state_.erase(found);
    return value;
  }
  // "<stem>0", "<stem>1", ... as one tensor.
  Tensor stacked(const std::string& stem, int count, std::int64_t dim, const std::string& for_whom) {
    std::vector<Tensor> parts;
    for (int i = 0; i < count; ++i) {
      const Tensor& part = parts.emplace_back(take(stem + std::to_string(i), for_whom));
      if (part.dim() < dim) fail_on_shape(for_whom, part, "at least " + std::to_string(dim) + " axes");
      if (part.sizes() != parts[0].sizes())
        fail_on_shape(for_whom, part, nn::detail::shape_text(parts[0].sizes()));
    }
    return torch::stack(parts, dim);
  }
  // Error unless only constants of the released layers remain.
  void check_empty() const {
    for (const auto& [name, value] : state_) {
      if (is_constant(name)) continue;
      throw Error("the released parameter '" + name +
                  "' does not belong to this network; does it belong to another one?");
    }
  }

 private:
  StateDict state_;
};

// The kind of layer of the parameters "<stem>weight", "<stem>bias", ..., from their names.
enum class Owner { gca_convolution, clifford_convolution, clifford_norm, other };

Owner owner_of(const torch::OrderedDict<std::string, Tensor>& own, const std::string& stem) {
  if (own.contains(stem + "action")) return Owner::gca_convolution;
  const Tensor* weight = own.find(stem + "weight");
  if (weight == nullptr) return Owner::other;
  if (weight->dim() == 5) return Owner::clifford_convolution;
  const bool matrices = weight->dim() == 3 && weight->size(1) == weight->size(2) && weight->size(1) > 1;
  return matrices ? Owner::clifford_norm : Owner::other;
}

// The value of our parameter; `stem` is its name up to the last dot.
Tensor value_of(Source& source, Owner owner, const std::string& stem, const std::string& leaf) {
  const std::string name = stem + leaf;
  if (owner == Owner::gca_convolution) {
    if (leaf == "weight") return source.take(stem + "scale_param", name);
    if (leaf == "bias") return source.stacked(stem + "bias.", 3, 1, name);
    // The released layers store the quaternion (q0, q1, q2, q3) = (a0, -a23, a13, -a12) of an action.
    const Tensor q = source.stacked(stem + "weights.", 4, 0, name);
    return torch::stack({q[0], -q[3], q[2], -q[1]});
  }
  if (owner == Owner::clifford_convolution) {
    if (leaf == "weight") return source.stacked(stem + "weight.", 4, 2, name);
    if (leaf == "scale") return source.take(stem + "scale_param", name);
    const Tensor bias = source.take(name, name);
    if (bias.dim() != 2) fail_on_shape(name, bias, "2 axes");
    return bias.t();
  }
  if (owner == Owner::clifford_norm) return source.take(name, name).movedim(-1, 0);
  // Norms are inside the layer that also has the gate: "norm1.norm.weight".
  const bool inner = stem == "norm.norm." || stem.ends_with(".norm.");
  return source.take(inner ? stem.substr(0, stem.size() - 5) + leaf : name, name);
}

// Released gates have dimensions of size 1 in between.
Tensor fitted(const std::string& name, const Tensor& value, const Tensor& own) {
  if (value.sizes() == own.sizes()) return value;
  if (value.squeeze().sizes() == own.squeeze().sizes()) return value.reshape(own.sizes());
  fail_on_shape(name, value, nn::detail::shape_text(own.sizes()));
}

}  // namespace

void load_released(torch::nn::Module& network, const StateDict& state) {
  const torch::NoGradGuard no_grad;
  Source source(state);
  std::vector<std::pair<Tensor, Tensor>> copies;
  const auto own = network.named_parameters();
  for (const auto& item : own) {
    const std::string& name = item.key();
    const std::size_t dot = name.rfind('.') + 1;
    const std::string stem = name.substr(0, dot);
    const Tensor value = value_of(source, owner_of(own, stem), stem, name.substr(dot));
    copies.emplace_back(item.value(), fitted(name, value, item.value()));
  }
  source.check_empty();
  for (auto& [parameter, value] : copies) parameter.copy_(value);
}

}  // namespace gcan::models
