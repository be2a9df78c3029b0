#include "gcan/deploy/trace.h"

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gcan/base/error.h"

namespace gcan::deploy {
namespace {

using torch::Tensor;
using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Value;

// The network's parameters and buffers themselves, not copies, so that the tracer recognises them.
torch::jit::Module holder(const models::Network& network, const Units& units) {
  torch::jit::Module module("__torch__.gcan.Network");
  const auto name = [](std::string key) {
    std::replace(key.begin(), key.end(), '.', '_');
    return key;
  };
  for (const auto& item : network.named_parameters()) {
    module.register_parameter(name(item.key()), item.value(), /*is_buffer=*/false);
  }
  for (const auto& item : network.named_buffers()) module.register_buffer(name(item.key()), item.value());
  if (units.mean.defined()) {
    module.register_buffer("mean", units.mean);
    module.register_buffer("scale", units.scale);
  }
  return module;
}

Tensor in_units(models::Network& network, const Tensor& x, const Units& units) {
  if (!units.mean.defined()) return network.forward(x);
  return network.forward((x - units.mean) / units.scale) * units.scale + units.mean;
}

std::shared_ptr<Graph> recorded(models::Network& network, torch::jit::Module& module, const Tensor& x,
                                const Units& units) {
  const auto run = [&](torch::jit::Stack inputs) -> torch::jit::Stack {
    return {in_units(network, inputs[0].toTensor(), units)};
  };
  auto traced = torch::jit::tracer::trace({x}, run, [](const Tensor& /*tensor*/) { return std::string(); },
                                          /*strict=*/true, /*force_outplace=*/false, &module, {"x"});
  torch::jit::EliminateDeadCode(traced.first->graph);
  return traced.first->graph;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error("the network cannot be exported for any number of samples: " + what);
}

bool is_whole(const Node& node) {
  return node.kind() == torch::jit::prim::Constant &&
         node.output()->type()->isSubtypeOf(*c10::IntType::get());
}

// Replaces integers that differ between two traces, with `first` and `second` samples, by their expression in
// the number of samples.
class SampleNumbers {
 public:
  SampleNumbers(Graph& graph, std::int64_t first, std::int64_t second)
      : graph_(graph), first_(first), second_(second) {}

  void follow(const Graph& other) {
    auto its = other.nodes().begin();
    std::vector<std::pair<Node*, std::int64_t>> found;
    for (Node* const node : graph_.nodes()) {
      if (its == other.nodes().end() || (*its)->kind() != node->kind()) refuse("its operations depend on it");
      if (is_whole(*node) && node->i(c10::attr::value) != (*its)->i(c10::attr::value)) {
        found.emplace_back(node, (*its)->i(c10::attr::value));
      }
      check_constant(*node, **its);
      ++its;
    }
    for (const auto& [node, value] : found) replace(*node, value);
  }

 private:
  static void check_constant(const Node& own, const Node& its) {
    if (own.kind() != torch::jit::prim::Constant ||
        !own.output()->type()->isSubtypeOf(*c10::TensorType::get()))
      return;
    if (own.kindOf(c10::attr::value) != torch::jit::AttributeKind::t) return;
    const Tensor& a = own.t(c10::attr::value);
    const Tensor& b = its.t(c10::attr::value);
    if (!a.sizes().equals(b.sizes()) || !a.equal(b)) refuse("a constant depends on it");
  }

  void replace(Node& node, std::int64_t other) {
    const std::int64_t value = node.i(c10::attr::value);
    const std::int64_t times = (other - value) / (second_ - first_), rest = value - times * first_;
    if (times * second_ + rest != other) refuse("an integer is not a multiple of it");
    const torch::jit::WithInsertPoint at(&node);
    Value* made = samples();
    if (times != 1) made = graph_.insert(torch::jit::aten::mul, {made, times});
    if (rest != 0) made = graph_.insert(torch::jit::aten::add, {made, rest});
    node.output()->replaceAllUsesWith(made);
  }

  // aten::size(x, 0), at the start of the graph.
  Value* samples() {
    if (samples_ != nullptr) return samples_;
    const torch::jit::WithInsertPoint at(*graph_.nodes().begin());
    samples_ = graph_.insert(torch::jit::aten::size, {graph_.inputs()[1], std::int64_t{0}});
    return samples_;
  }

  Graph& graph_;
  std::int64_t first_, second_;
  Value* samples_ = nullptr;
};

Tensor samples_of(const Tensor& example, std::int64_t count) {
  std::vector<std::int64_t> repeats(static_cast<std::size_t>(example.dim()), 1);
  repeats[0] = (count + example.size(0) - 1) / example.size(0);
  return example.repeat(repeats).narrow(0, 0, count).contiguous();
}

}  // namespace

torch::jit::Module trace(models::Network& network, const Tensor& example, const Units& units) {
  constexpr std::int64_t kFirst = 2, kSecond = 5;  // no other number of a network is a multiple of both
  const torch::NoGradGuard no_grad;
  network.eval();
  torch::jit::Module module = holder(network, units);
  const auto graph = recorded(network, module, samples_of(example, kFirst), units);
  const auto other = recorded(network, module, samples_of(example, kSecond), units);
  SampleNumbers(*graph, kFirst, kSecond).follow(*other);
  torch::jit::EliminateDeadCode(graph);
  const c10::QualifiedName method(*module.type()->name(), "forward");
  auto* const function = module._ivalue()->compilation_unit()->create_function(method, graph);
  module.type()->addMethod(function);
  module.eval();
  // A number of samples that was not traced. For a single call optimisation does not pay.
  const torch::jit::GraphOptimizerEnabledGuard as_it_is(false);
  const Tensor x = samples_of(example, 3);
  const Tensor expected = in_units(network, x, units);
  const Tensor found = module.forward({x}).toTensor();
  if (!found.sizes().equals(expected.sizes()) ||
      !torch::allclose(found, expected, 1e-3, 1e-4 * expected.abs().max().item<double>())) {
    refuse("the traced network computes something else for three samples");
  }
  return module;
}

}  // namespace gcan::deploy
