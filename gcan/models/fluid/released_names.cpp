#include "gcan/models/fluid/released_names.h"

#include <regex>
#include <set>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/nn/detail/checks.h"

namespace gcan::models {
namespace {

using torch::Tensor;

// Networks have different names for their parts, but the same names for layers.
struct Renaming {
  std::regex pattern;
  std::string replacement;
};

const std::vector<Renaming>& renamings() {
  static const std::vector<Renaming> all = [] {
    const std::pair<const char*, const char*> pairs[] = {
        {R"(^(down|up)\.(\d+)\.(block|res|conv)\.)", "$1.$2."},
        {R"(^middle\.res1\.)", "middle.0."},
        {R"(^middle\.res2\.)", "middle.1."},
        {R"(^image_proj\.)", "conv1."},
        {R"(^final\.)", "conv2."},
        {R"(^encoder\.)", "conv_in1."},
        {R"(^decoder\.)", "conv_out2."},
        {R"(\.bn([12])\.)", ".norm$1."},
        // In our blocks the activation is part of the norm.
        {R"(\.act([12])\.conv\.)", ".norm$1.gate."},
        {R"(^activation\.conv\.)", "norm.gate."},
        {R"(^act([12])\.conv\.)", "act$1."},
    };
    std::vector<Renaming> made;
    for (const auto& [pattern, replacement] : pairs) made.push_back({std::regex(pattern), replacement});
    return made;
  }();
  return all;
}

// Released ResNets group their blocks, "layers.2.1."; ours are numbered consecutively.
StateDict with_flat_blocks(const StateDict& state) {
  static const std::regex block(R"(^layers\.(\d{1,6})\.(\d{1,6})\.(.*)$)");
  std::set<std::pair<int, int>> found;
  std::smatch match;
  for (const auto& [name, value] : state) {
    if (std::regex_match(name, match, block)) found.insert({std::stoi(match[1]), std::stoi(match[2])});
  }
  StateDict result;
  for (const auto& [name, value] : state) {
    std::string flat = name;
    if (std::regex_match(name, match, block)) {
      const auto place = found.find({std::stoi(match[1]), std::stoi(match[2])});
      flat = "layers." + std::to_string(std::distance(found.begin(), place)) + "." + match[3].str();
    }
    result[flat] = value;
  }
  return result;
}

StateDict renamed(const StateDict& state) {
  StateDict result;
  for (const auto& [name, value] : with_flat_blocks(state)) {
    std::string own = name;
    for (const Renaming& r : renamings()) own = std::regex_replace(own, r.pattern, r.replacement);
    result[own] = value;
  }
  return result;
}

// Removes used parameters from the state, which finally contains the superfluous ones.
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
    for (int i = 0; i < count; ++i) parts.push_back(take(stem + std::to_string(i), for_whom));
    return torch::stack(parts, dim);
  }
  // Error unless only constants of the released layers remain.
  void check_empty() const {
    static const std::regex constant(R"((.*\.)?(zero_kernel|g|weight\.[45]))");
    for (const auto& [name, value] : state_) {
      if (std::regex_match(name, constant)) continue;
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
    return source.take(name, name).transpose(0, 1);
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
  throw Error("the released parameter for '" + name + "' has the shape " +
              nn::detail::shape_text(value.sizes()) + ", expected " + nn::detail::shape_text(own.sizes()) +
              "; does it belong to a network of another size?");
}

}  // namespace

void load_released(torch::nn::Module& network, const StateDict& state) {
  const torch::NoGradGuard no_grad;
  constexpr std::size_t kLongest = 1000;  // length of a name: std::regex uses stack for each character
  for (const auto& [name, value] : state)
    if (name.size() > kLongest)
      throw Error("the parameter '" + name.substr(0, 50) + "...' has a name of " +
                  std::to_string(name.size()) + " bytes, longer than in any network");
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
