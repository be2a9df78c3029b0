#include "gcan/models/gca_mlp.h"
#include "gcan/models/mlp.h"
#include "gcan/models/registry.h"

namespace gcan::models {
namespace {

using Table = std::vector<config::Option>;

Table joined(Table first, const Table& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Layers of a network without residuals: more than this many would not train.
Table sizes(const std::string& width, std::int64_t standard, std::int64_t layers, const std::string& what) {
  return {{width,
           standard,
           width == "width" ? "numbers in a hidden layer" : "multivectors in a hidden layer",
           {},
           1,
           65536},
          {"layers", layers, what, {}, 1, 64}};
}

template <class NetworkClass, class Options>
std::function<NetworkPtr(const config::Options&)> maker(const std::string& title) {
  return [title](const config::Options& options) {
    return std::make_shared<NetworkClass>(title, Options(options));
  };
}

Model mlp(const std::string& name, std::int64_t width, bool velocities) {
  return {name,
          "MLP",
          Kind::tetris,
          "linear layers and ReLU on all coordinates as one vector",
          joined(sizes("width", width, 2, "hidden layers"), scene_options(velocities)),
          maker<Mlp, MlpOptions>("MLP")};
}

Model motor_mlp() {
  return {"motor-mlp",
          "Motor-MLP",
          Kind::tetris,
          "an MLP that gives every predicted point a rotation and a translation",
          joined(sizes("width", 256, 2, "hidden layers"), scene_options()),
          maker<MotorMlp, MlpOptions>("Motor-MLP")};
}

Model gca_mlp(const std::string& name, bool velocities) {
  return {
      name,
      "GCA-MLP",
      Kind::tetris,
      "GCA linear layers and MSiLU, a multivector per point and step",
      joined(joined(sizes("channels", 128, 2, "hidden layers"), gca_options()), scene_options(velocities)),
      maker<GcaMlp, GcaMlpOptions>("GCA-MLP")};
}

}  // namespace

std::vector<Model> tetris_models() {
  return {mlp("mlp", 384, false), motor_mlp(), gca_mlp("gca-mlp", false), mlp("mlp-velocity", 248, true),
          gca_mlp("gca-mlp-velocity", true)};
}

}  // namespace gcan::models
