// Parameters of the released Python networks: names and shapes as a file may have them.

#include "fuzz/fuzz.h"
#include "gcan/models/fluid/released_names.h"
#include "gcan/models/registry.h"

using namespace gcan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const models::NetworkPtr network = [] {
    const models::Model& model = models::find("gca-resnet");
    config::Options options("model", model.options);
    options.set("channels", std::int64_t{2});
    options.set("blocks", std::int64_t{1});
    return model.make(options);
  }();
  // One line is one parameter: its name and its shape, as "conv1.bias 2 3".
  models::StateDict state;
  const std::string text = fuzz::text_of(data, size);
  for (std::size_t at = 0; at < text.size() && state.size() < 100;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t space = std::min(line.find(' '), line.size());
    std::vector<std::int64_t> shape;
    for (std::size_t i = space; i < line.size() && shape.size() < 6; ++i)
      if (line[i] >= '0' && line[i] <= '9') shape.push_back(line[i] - '0');
    state[line.substr(0, space)] = torch::zeros(shape);
    at = end + 1;
  }
  fuzz::refusal_of([&] { models::load_released(*network, state); });
  return 0;
}
