// Parameters of the released Python networks: names and shapes as they may appear in a file.

#include "fuzz/fuzz.h"
#include "gcan/models/fluid/released_names.h"

using namespace gcan;

namespace {

// A layer with parameters of these shapes.
class Layer : public torch::nn::Module {
 public:
  explicit Layer(const std::vector<std::pair<const char*, std::vector<std::int64_t>>>& shapes) {
    for (const auto& [name, shape] : shapes) register_parameter(name, torch::zeros(shape));
  }
};

// One layer of each kind, with names as in the networks, small enough for a seed to contain all parameters.
class Network : public torch::nn::Module {
 public:
  Network() {
    const auto block = std::make_shared<torch::nn::Module>(), layers = std::make_shared<torch::nn::Module>();
    add("conv1", Layer({{"action", {4, 2}}, {"weight", {2, 1}}, {"bias", {2, 3}}}));
    add("conv2", Layer({{"weight", {1, 1, 4, 1, 1}}, {"scale", {1, 1, 1, 1}}, {"bias", {4, 1}}}));
    block->register_module("norm1",
                           std::make_shared<Layer>(Layer({{"weight", {4, 2, 2}}, {"bias", {4, 2}}})));
    layers->register_module("0", block);
    register_module("layers", layers);
    add("act1", Layer({{"weight", {2, 1}}}));
  }

 private:
  void add(const std::string& name, const Layer& layer) {
    register_module(name, std::make_shared<Layer>(layer));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Network network;
  // One line is one parameter: its name and its shape, as "conv1.bias 2 3".
  models::StateDict state;
  const std::string text = fuzz::text_of(data, size);
  for (std::size_t at = 0; at < text.size() && state.size() < 40;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t space = std::min(line.find(' '), line.size());
    std::vector<std::int64_t> shape;
    for (std::size_t i = space; i < line.size() && shape.size() < 6; ++i)
      if (line[i] >= '0' && line[i] <= '9') shape.push_back(line[i] - '0');
    state[line.substr(0, space)] = torch::zeros({}).expand(shape);  // one number, whatever the shape
    at = end + 1;
  }
  const std::string refusal = fuzz::refusal_of([&] { models::load_released(network, state); });
  fuzz::require(refusal.find("Exception raised from") == std::string::npos, "an error is not LibTorch's");
  return 0;
}
