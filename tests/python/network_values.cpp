// Writes values of small networks of the registry, for comparison with the Python package: network_values
// FOLDER makes a file <name>.safetensors for each, with its weights, an input, the output and the gradients
// of the sum of its squares; its options are text in the file's metadata. network_values FOLDER fourier does
// so for the Clifford Fourier networks, and network_values FOLDER onnx writes each network of the registry as
// ONNX.

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/deploy/onnx.h"
#include "gcan/deploy/trace.h"
#include "gcan/files/durable.h"
#include "gcan/models/fourier/clifford_fourier_net.h"
#include "gcan/models/registry.h"
#include "gcan/train/files/safetensors.h"

namespace {

using gcan::config::Options;
using Settings = std::vector<std::pair<std::string, std::string>>;

Settings small_settings(const gcan::models::Model& model) {
  Settings settings;
  const Options options("model", model.options);
  const auto set = [&](const char* name, const char* value) {
    if (options.has(name)) settings.emplace_back(name, value);
  };
  set("width", "24");
  set("channels", model.kind == gcan::models::Kind::fluid ? "4" : "6");
  set("layers", "2");
  set("blocks", "2");
  set("points", "5");
  set("steps_out", "3");
  set("padding_x", "circular");
  set("delta0", "0.5");
  set("fields", "v,s,s");
  return settings;
}

torch::Tensor input_of(const gcan::models::Model& model, const Options& options) {
  const bool velocities = options.has("velocities") && options.flag("velocities");
  if (model.kind == gcan::models::Kind::tetris) return torch::randn({3, velocities ? 2 : 1, 4, 5, 3});
  return torch::randn({3, 4, 4, 16, 24});
}

void write_onnx(const std::string& folder, const gcan::models::Model& model) {
  Options options("model", model.options);
  for (const auto& [name, value] : small_settings(model)) options.set_text(name, value);
  const auto network = model.make(options);
  const torch::Tensor x = input_of(model, options);
  gcan::nn::fold(*network);
  const std::string path = folder + "/" + model.name;
  const torch::NoGradGuard no_grad;
  try {
    gcan::files::write_durably(path + ".onnx", gcan::deploy::to_onnx(gcan::deploy::trace(*network, x), x));
  } catch (const gcan::Error& error) {
    gcan::files::write_durably(path + ".refused", std::string(error.what()));
  }
  gcan::train::write_safetensors(path + ".values.safetensors",
                                 {{"input", x}, {"output", network->forward(x)}});
}

// With non-initial parameters.
gcan::train::NamedTensors values_of(gcan::models::Network& network, torch::Tensor x) {
  {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : network.parameters()) parameter.add_(torch::randn_like(parameter) * 0.1);
  }
  network.to(torch::kDouble);
  x = x.to(torch::kDouble).requires_grad_();
  const torch::Tensor y = network.forward(x);
  y.square().sum().backward();
  gcan::train::NamedTensors tensors = {
      {"input", x.detach()}, {"output", y.detach()}, {"input_grad", x.grad()}};
  for (const auto& item : network.named_parameters()) {
    tensors.emplace_back("state." + item.key(), item.value().detach());
    if (item.value().grad().defined()) tensors.emplace_back("grad." + item.key(), item.value().grad());
  }
  for (const auto& item : network.named_buffers()) tensors.emplace_back("state." + item.key(), item.value());
  return tensors;
}

void write(const std::string& folder, const std::string& file, const gcan::models::Model& model,
           const Settings& settings) {
  Options options("model", model.options);
  std::map<std::string, std::string> metadata = {{"name", model.name}};
  for (const auto& [name, value] : settings) options.set_text(name, value);
  std::string text;
  for (const auto& option : options.table()) {
    text += option.name + " = " + gcan::config::to_string(options.value(option.name)) + "\n";
  }
  metadata["options"] = text;
  const auto network = model.make(options);
  const auto tensors = values_of(*network, input_of(model, options));
  gcan::train::write_safetensors(folder + "/" + file + ".safetensors", tensors, metadata);
}

// The Clifford Fourier networks as they are and as released, with options that their Python classes take.
void write_fourier(const std::string& folder) {
  using namespace gcan::models;
  for (const bool released : {false, true}) {
    const std::string flag = released ? "true" : "false",
                      end = (released ? "-released" : "") + std::string(".safetensors");
    CliffordFourierNet2d plane(CliffordFourierNet2dOptions()
                                   .channels(4)
                                   .blocks(2)
                                   .modes({3, 2})
                                   .norm(!released)
                                   .groups(2)
                                   .padding(3)
                                   .released(released));
    gcan::train::write_safetensors(
        folder + "/plane" + end, values_of(*plane, torch::randn({2, 4, 3, 8, 6})),
        {{"class", "CliffordFourierNet2d"},
         {"options", R"({"channels": 4, "blocks": 2, "modes": [3, 2], "groups": 2, "padding": 3, "norm": )" +
                         std::string(released ? "false" : "true") + R"(, "released": )" + flag + "}"}});
    CliffordMaxwellNet3d space(
        CliffordMaxwellNet3dOptions().channels(2).blocks(2).modes({2, 1, 2}).future(2).released(released));
    gcan::train::write_safetensors(
        folder + "/space" + end, values_of(*space, torch::randn({2, 2, 6, 5, 4, 6})),
        {{"class", "CliffordMaxwellNet3d"},
         {"options",
          R"({"channels": 2, "blocks": 2, "modes": [2, 1, 2], "future": 2, "released": )" + flag + "}"}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    torch::manual_seed(5);
    if (argc > 2 && std::string(argv[2]) == "fourier") {
      write_fourier(argv[1]);
      return 0;
    }
    for (const auto& model : gcan::models::registry()) {
      if (argc > 2) {
        write_onnx(argv[1], model);
        continue;
      }
      Settings settings = small_settings(model);
      write(argv[1], model.name, model, settings);
      const Options options("model", model.options);
      if (options.has("variant")) {
        settings.insert(settings.end(), {{"variant", "paper"}, {"activation", "mean"}, {"norm", "false"}});
      } else if (options.has("frame")) {
        settings.insert(settings.end(),
                        {{"frame", "paper"}, {"norm", "true"}, {"gate", "grade"}, {"inverse", "normalized"}});
      } else if (options.has("neighbours")) {
        settings.emplace_back("neighbours", "2");
      } else {
        continue;
      }
      write(argv[1], model.name + "-other", model, settings);
    }
  } catch (const gcan::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
