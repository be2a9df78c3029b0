#include "gcan/models/registry.h"
#include "gcan/models/tetris/edge_conv.h"
#include "gcan/models/tetris/emlp.h"
#include "gcan/models/tetris/gca_gnn.h"
#include "gcan/models/tetris/gca_mlp.h"
#include "gcan/models/tetris/gnn.h"
#include "gcan/models/tetris/mlp.h"

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

Model emlp(const std::string& name, const std::string& title, OrthogonalGroup group) {
  Table own = sizes("width", 256, 3, "hidden layers");
  own.front().most = 404;
  return {name,
          title,
          Kind::tetris,
          "an MLP that commutes with turning, and for O(3) mirroring, the scene",
          joined(own, scene_options()),
          [title, group](const config::Options& options) {
            return std::make_shared<Emlp>(title, EmlpOptions(group, options));
          }};
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

const char* const kPasses = "rounds of message passing";

Model edge_conv() {
  Table own = sizes("width", 256, 4, "layers of edge convolution");
  own.push_back({"neighbours",
                 std::int64_t{0},
                 "points that a point hears, the nearest in the space of the features; 0 for all",
                 {},
                 0,
                 4095});
  return {"edgeconv",
          "EdgeConv",
          Kind::tetris,
          "dynamic graph convolution: the largest of the messages from all points",
          joined(own, scene_options()),
          maker<EdgeConv, EdgeConvOptions>("EdgeConv")};
}

Model gnn(const std::string& name, const std::string& title, std::int64_t width, bool distances,
          bool velocities) {
  Table own = sizes("width", width, 4, kPasses);
  own.push_back({"distances", distances, "whether messages know the distance of their points"});
  return {name,
          title,
          Kind::tetris,
          "message passing between all points, linear layers and LeakyReLU",
          joined(own, scene_options(velocities)),
          maker<Gnn, GnnOptions>(title)};
}

Model gca_gnn(const std::string& name, const std::string& title, std::int64_t channels, bool velocities) {
  return {name,
          title,
          Kind::tetris,
          "message passing between all points, GCA linear layers and MSiLU",
          joined(joined(sizes("channels", channels, 4, kPasses), gca_options()), scene_options(velocities)),
          maker<GcaGnn, GcaGnnOptions>(title)};
}

}  // namespace

std::vector<Model> tetris_models() {
  return {mlp("mlp", 384, false),
          motor_mlp(),
          emlp("so3-mlp", "SO(3)-MLP", OrthogonalGroup::so3),
          emlp("o3-mlp", "O(3)-MLP", OrthogonalGroup::o3),
          gca_mlp("gca-mlp", false),
          edge_conv(),
          gnn("gnn-s", "GNN (S)", 136, false, false),
          gnn("gnn-s-d", "GNN (S, +d)", 136, true, false),
          gnn("gnn-l", "GNN (L)", 192, false, false),
          gnn("gnn-l-d", "GNN (L, +d)", 192, true, false),
          gca_gnn("gca-gnn", "GCA-GNN", 64, false),
          gca_gnn("gca-gnn-45", "GCA-GNN (45)", 45, false),
          mlp("mlp-velocity", 248, true),
          gca_mlp("gca-mlp-velocity", true),
          gnn("gnn-velocity", "GNN", 192, false, true),
          gca_gnn("gca-gnn-velocity", "GCA-GNN", 64, true)};
}

}  // namespace gcan::models
