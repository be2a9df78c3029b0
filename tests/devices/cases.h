#pragma once

// Small cases of every layer and network with an input, for the tests of devices.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gcan/models.h"
#include "gcan/models/registry.h"
#include "gcan/nn.h"

namespace gcan::test {

using torch::Tensor;

struct Case {
  std::string name;
  std::shared_ptr<torch::nn::Module> module;
  std::function<Tensor(const Tensor&)> forward;
  Tensor input;
};

template <class Holder>
Case case_of(const std::string& name, Holder module, const Tensor& input) {
  return {name, module.ptr(), [module](const Tensor& x) mutable { return module->forward(x); }, input};
}

// A function of tensors alone.
inline Case case_of(const std::string& name, std::function<Tensor(const Tensor&)> function,
                    const Tensor& input) {
  return {name, std::make_shared<torch::nn::Module>(), std::move(function), input};
}

inline void add_action_layers(std::vector<Case>& cases) {
  using namespace nn;
  const Algebra pga = Algebra::pga3d(), space(3);
  const auto linear = [&](const char* name, const GcaLinearOptions& options, const Tensor& x) {
    cases.push_back(case_of(name, GcaLinear(options), x));
  };
  linear("GcaLinear", GcaLinearOptions(pga, 4, 6).bias(true), torch::randn({5, 4, 3}));
  linear("GcaLinear, exact", GcaLinearOptions(pga, 4, 6).inverse(Inverse::exact), torch::randn({2, 5, 4, 3}));
  linear("GcaLinear, normalized", GcaLinearOptions(space, 3, 3).inverse(Inverse::normalized),
         torch::randn({2, 3, 3}));
  linear("GcaLinear, released", GcaLinearOptions(pga, 4, 6).released(true), torch::randn({5, 4, 3}));
  linear("GcaLinear, lines", GcaLinearOptions(pga, 2, 3).objects(pga.blades(2)), torch::randn({5, 2, 6}));
  linear("GcaLinear, odd", GcaLinearOptions(space, 2, 3).actions(space.blades(1)), torch::randn({5, 2, 3}));
  GcaLinear columns(GcaLinearOptions(pga, 4, 6));
  cases.push_back({"GcaLinear, columns", columns.ptr(),
                   [columns](const Tensor& x) mutable { return columns->forward_columns(x, 3); },
                   torch::randn({12, 5})});
  GcaLinear folded(GcaLinearOptions(pga, 4, 6));
  folded->fold();
  cases.push_back(case_of("GcaLinear, folded", folded, torch::randn({5, 4, 3})));
  cases.push_back(
      case_of("GcaConv1d", GcaConv1d(GcaConv1dOptions(pga, 2, 3, 3).padding(1)), torch::randn({2, 2, 3, 7})));
  cases.push_back(case_of(
      "GcaConv2d",
      GcaConv2d(GcaConv2dOptions(space, 2, 3, 3).padding(1).bias(true).padding_mode(Padding::circular)),
      torch::randn({2, 2, 3, 6, 5})));
  cases.push_back(
      case_of("GcaConv2d, reflect",
              GcaConv2d(GcaConv2dOptions(space, 2, 2, 3).padding(1).padding_mode(Padding::reflect)),
              torch::randn({2, 2, 3, 6, 5})));
  cases.push_back(case_of("GcaConv2d, bfloat16", GcaConv2d(GcaConv2dOptions(space, 2, 2, 3).bfloat16(true)),
                          torch::randn({2, 2, 3, 6, 5})));
  cases.push_back(case_of("GcaConv3d", GcaConv3d(GcaConv3dOptions(space, 2, 2, 2).stride(2)),
                          torch::randn({1, 2, 3, 4, 4, 4})));
  cases.push_back(case_of("GcaConvTranspose2d",
                          GcaConvTranspose2d(GcaConvTranspose2dOptions(space, 2, 3, 4).stride(2).padding(1)),
                          torch::randn({2, 2, 3, 4, 3})));
  cases.push_back(case_of(
      "GroupActionLayer",
      GroupActionLayer(GroupActionLayerOptions(
          4, 3, {2}, [](const Tensor& g, const Tensor& x) { return g.select(-1, 0) * x + g.select(-1, 1); })),
      torch::randn({5, 4})));
}

inline void add_gates_and_norms(std::vector<Case>& cases) {
  using namespace nn;
  const Algebra pga = Algebra::pga3d(), space(3);
  const Tensor field = torch::randn({2, 4, 3, 6, 5}), points = torch::randn({5, 4, 3});
  cases.push_back(case_of("MSiLU", MSiLU(MSiLUOptions(space, 4)), field));
  cases.push_back(
      case_of("MSiLU, mean",
              MSiLU(MSiLUOptions(pga, 4).aggregation(Aggregation::mean).gates(Gates::per_channel)), points));
  cases.push_back(case_of("GcaNorm", GcaNorm(GcaNormOptions(space, 4).groups(2).bias(true)), field));
  cases.push_back(case_of("GcaNorm, at points", GcaNorm(GcaNormOptions(pga, 4).space(false)), points));
  cases.push_back(case_of("GcaNorm, centred",
                          GcaNorm(GcaNormOptions(space, 4).divisor(Divisor::mean_centred_norm)), field));
  cases.push_back(case_of("NormMSiLU", NormMSiLU(NormMSiLUOptions(space, 4)), field));
}

inline void add_clifford_layers(std::vector<Case>& cases) {
  using namespace nn;
  const Algebra plane(2), turns(0, 2), space(3);
  cases.push_back(
      case_of("CliffordLinear", CliffordLinear(CliffordLinearOptions(plane, 3, 2)), torch::randn({5, 3, 4})));
  cases.push_back(case_of("CliffordConv1d", CliffordConv1d(CliffordConv1dOptions(Algebra(1), 2, 3, 3)),
                          torch::randn({2, 2, 2, 7})));
  cases.push_back(case_of(
      "CliffordConv2d",
      CliffordConv2d(CliffordConv2dOptions(plane, 2, 3, 3).padding(1).padding_mode(Padding::circular)),
      torch::randn({2, 2, 4, 6, 5})));
  cases.push_back(case_of("CliffordConv2d, rotation",
                          CliffordConv2d(CliffordConv2dOptions(turns, 2, 2, 3).rotation(true)),
                          torch::randn({2, 2, 4, 6, 5})));
  cases.push_back(case_of("CliffordConv3d", CliffordConv3d(CliffordConv3dOptions(space, 1, 2, 2)),
                          torch::randn({1, 1, 8, 3, 3, 3})));
  cases.push_back(
      case_of("CliffordConvTranspose2d",
              CliffordConvTranspose2d(CliffordConvTranspose2dOptions(plane, 2, 2, 4).stride(2).padding(1)),
              torch::randn({2, 2, 4, 4, 3})));
  cases.push_back(case_of("CliffordBatchNorm", CliffordBatchNorm(CliffordBatchNormOptions(plane, 2)),
                          torch::randn({4, 2, 4, 6})));
  cases.push_back(case_of("CliffordGroupNorm", CliffordGroupNorm(CliffordGroupNormOptions(plane, 2, 4)),
                          torch::randn({2, 4, 4, 6, 5})));
  cases.push_back(case_of("CliffordSpectralConv1d",
                          CliffordSpectralConv1d(CliffordSpectralConv1dOptions(Algebra(0, 1), 2, 3, 3)),
                          torch::randn({2, 2, 2, 8})));
  cases.push_back(case_of("CliffordSpectralConv2d",
                          CliffordSpectralConv2d(CliffordSpectralConv2dOptions(plane, 2, 3, 2)),
                          torch::randn({2, 2, 4, 6, 5})));
  cases.push_back(
      case_of("CliffordSpectralConv3d",
              CliffordSpectralConv3d(CliffordSpectralConv3dOptions(space, 1, 2, 2).released(true)),
              torch::randn({1, 1, 8, 4, 4, 4})));
}

// Functions of multivectors, x (5, 2, blades).
inline void add_algebra(std::vector<Case>& cases) {
  using namespace nn;
  const Algebra pga = Algebra::pga3d(), space(3), four(4);
  const auto bivectors = [](const Algebra& algebra, const Tensor& x) {
    return MultivectorTensor(algebra, algebra.blades(2), x);
  };
  const auto all = [](const Algebra& algebra, const Tensor& x) {
    return MultivectorTensor(algebra, algebra.blades(), x);
  };
  const auto add = [&](const char* name, std::function<Tensor(const Tensor&)> f, std::int64_t blades,
                       std::int64_t samples = 5) {
    cases.push_back(case_of(name, std::move(f), 0.3 * torch::randn({samples, 2, blades})));
  };
  add(
      "product", [=](const Tensor& x) { return (all(space, x) * all(space, x.flip(0))).values(); }, 8);
  add(
      "product, large", [=](const Tensor& x) { return (all(pga, x) ^ all(pga, x)).values(); }, 16, 100);
  add(
      "exp", [=](const Tensor& x) { return exp(bivectors(pga, x)).values(); }, 6);
  add(
      "exp, series", [=](const Tensor& x) { return exp(bivectors(four, 4 * x)).values(); }, 6);
  add(
      "log", [=](const Tensor& x) { return log(exp(bivectors(pga, x))).values(); }, 6);
  add(
      "sandwich",
      [=](const Tensor& x) {
        const MultivectorTensor points(pga, pga.blades(3), x.narrow(2, 0, 4));
        return sandwich(exp(bivectors(pga, x)), points).values();
      },
      6);
  add(
      "dual", [=](const Tensor& x) { return dual(reverse(all(pga, x))).values(); }, 16);
  add(
      "norm", [=](const Tensor& x) { return norm(all(space, x)); }, 8);
  for (const auto& [object, numbers] : std::vector<std::pair<Object, std::int64_t>>{
           {Object::point, 3}, {Object::line, 6}, {Object::motor, 7}}) {
    Embed embed(pga, object);
    Extract extract(EmbedOptions(pga, object));
    add(
        "embed",
        [embed, extract](const Tensor& x) mutable { return extract->forward(embed->forward(x + 1)); },
        numbers);
  }
}

inline std::vector<Case> layer_cases() {
  torch::manual_seed(11);
  std::vector<Case> cases;
  add_action_layers(cases);
  add_gates_and_norms(cases);
  add_clifford_layers(cases);
  add_algebra(cases);
  return cases;
}

// All networks of the registry, and the Clifford Fourier networks.
inline std::vector<Case> network_cases() {
  torch::manual_seed(12);
  std::vector<Case> cases;
  for (const models::Model& model : models::registry()) {
    config::Options values("model", model.options);
    const auto set = [&](const char* name, std::int64_t value) {
      if (values.has(name)) values.set(name, value);
    };
    const bool fluid = model.kind == models::Kind::fluid;
    set("channels", fluid ? 2 : 4);
    set("width", 40);
    set("layers", 2);
    set("points", 6);
    set("blocks", 1);
    set("history", 2);
    set("neighbours", 3);
    const bool velocities = values.has("velocities") && values.flag("velocities");
    const models::NetworkPtr network = model.make(values);
    cases.push_back(
        {model.name, network, [network](const Tensor& x) { return network->forward(x); },
         fluid ? torch::randn({2, 2, 3, 16, 16}) : torch::randn({2, velocities ? 2 : 1, 4, 6, 3})});
  }
  using namespace models;
  cases.push_back(
      case_of("CliffordFourierNet2d",
              CliffordFourierNet2d(
                  CliffordFourierNet2dOptions().channels(4).blocks(1).modes(4).history(2).norm(true)),
              torch::randn({1, 2, 3, 16, 16})));
  cases.push_back(case_of("CliffordMaxwellNet3d",
                          CliffordMaxwellNet3d(CliffordMaxwellNet3dOptions().channels(2).blocks(1).modes(2)),
                          torch::randn({1, 2, 6, 4, 4, 4})));
  return cases;
}

// The output of a case, and the gradients of its input and of its parameters, for a fixed gradient of the
// output; all on the CPU.
inline std::vector<Tensor> run_case(const Case& test, const torch::Device& device = torch::kCPU) {
  const Tensor x = test.input.to(device).detach().requires_grad_();
  const Tensor y = test.forward(x);
  EXPECT_EQ(y.device().type(), device.type()) << test.name;
  torch::manual_seed(5);
  y.backward(torch::randn(y.sizes()).to(y.scalar_type()).to(device));
  const auto here = [&](const Tensor& t) {
    if (!t.defined()) return t;
    EXPECT_EQ(t.device().type(), device.type()) << test.name;
    return device.is_meta() ? t.detach() : t.detach().cpu().clone();
  };
  std::vector<Tensor> results{here(y), here(x.grad())};
  for (Tensor& parameter : test.module->parameters()) {
    results.push_back(here(parameter.grad()));
    parameter.mutable_grad() = Tensor();
  }
  return results;
}

}  // namespace gcan::test
