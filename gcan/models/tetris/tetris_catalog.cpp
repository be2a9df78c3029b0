// The networks of the Tetris experiments: names, keys and sizes.

#include "gcan/models/catalog.h"

namespace gcan::models {
namespace {

using Table = std::vector<config::Option>;

Table joined(Table first, const Table& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Networks without residual connections do not train with more layers than this.
Table sizes(const std::string& width, std::int64_t standard, std::int64_t layers, const std::string& what) {
  return {{width,
           standard,
           width == "width" ? "width of the hidden layers" : "multivector channels of the hidden layers",
           {},
           1,
           65536},
          {"layers", layers, what, {}, 1, 64}};
}

Table scene_table() {
  return {{"steps_in", std::int64_t{4}, "input time steps", {}, 1, 1024},
          {"steps_out", std::int64_t{4}, "predicted time steps", {}, 1, 1024},
          {"points", std::int64_t{32}, "points per scene", {}, 1, 4096}};
}

Table scene_table(bool velocities) {
  Table table = scene_table();
  table.push_back({"velocities", velocities, "whether input and output include velocities"});
  return table;
}

Table gca_table() {
  return {
      {"delta0", 0.0,
       "initial value of the learnt weight e123 of the points; 0, as released with the paper, disables "
       "translations"},
      {"inverse", "reverse", "how the inverse of an action is computed", {"reverse", "exact", "normalized"}},
      {"gate",
       "channel",
       "one gate per channel or per grade of a channel; the same without velocities",
       {"channel", "grade"}},
      {"aggregation", "linear", "reduction of a multivector to its gate", {"linear", "sum", "mean"}},
      {"norm", false, "normalisation between the layers"},
      {"frame",
       "same",
       "whether velocities rotate like positions or, as embedded in the paper, in a mirrored way",
       {"same", "paper"}}};
}

const char* const kPasses = "rounds of message passing";

NetworkEntry mlp(const std::string& name, std::int64_t width, bool velocities, std::int64_t parameters) {
  return {name,         "MLP",
          Kind::tetris, "linear layers and ReLU on all coordinates as one vector",
          parameters,   joined(sizes("width", width, 2, "hidden layers"), scene_table(velocities))};
}

NetworkEntry motor_mlp(std::int64_t parameters) {
  return {"motor-mlp",  "Motor-MLP",
          Kind::tetris, "an MLP that predicts a rotation and a translation for every point",
          parameters,   joined(sizes("width", 256, 2, "hidden layers"), scene_table())};
}

NetworkEntry emlp(const std::string& name, const std::string& title, std::int64_t parameters) {
  Table own = sizes("width", 256, 3, "hidden layers");
  own.front().most = 404;
  return {name,         title,
          Kind::tetris, "an MLP that is equivariant under rotations and, for O(3), reflections",
          parameters,   joined(own, scene_table())};
}

NetworkEntry gca_mlp(const std::string& name, bool velocities, std::int64_t parameters) {
  return {name,
          "GCA-MLP",
          Kind::tetris,
          "GCA linear layers and MSiLU, a multivector per point and step",
          parameters,
          joined(joined(sizes("channels", 128, 2, "hidden layers"), gca_table()), scene_table(velocities))};
}

NetworkEntry edge_conv(std::int64_t parameters) {
  Table own = sizes("width", 256, 4, "layers of edge convolution");
  own.push_back({"neighbours",
                 std::int64_t{0},
                 "neighbours of a point, the nearest in feature space; 0: all points",
                 {},
                 0,
                 4095});
  return {"edgeconv",   "EdgeConv",
          Kind::tetris, "dynamic graph convolution: the largest of the messages from all points",
          parameters,   joined(own, scene_table())};
}

NetworkEntry gnn(const std::string& name, const std::string& title, std::int64_t width, bool distances,
                 bool velocities, std::int64_t parameters) {
  Table own = sizes("width", width, 4, kPasses);
  own.push_back({"distances", distances, "whether messages include the distance of their points"});
  return {name,         title,
          Kind::tetris, "message passing between all points, linear layers and LeakyReLU",
          parameters,   joined(own, scene_table(velocities))};
}

NetworkEntry gca_gnn(const std::string& name, const std::string& title, std::int64_t channels,
                     bool velocities, std::int64_t parameters) {
  return {name,
          title,
          Kind::tetris,
          "message passing between all points, GCA linear layers and MSiLU",
          parameters,
          joined(joined(sizes("channels", channels, 4, kPasses), gca_table()), scene_table(velocities))};
}

}  // namespace

std::vector<NetworkEntry> tetris_catalog() {
  return {mlp("mlp", 384, false, 443520),
          motor_mlp(460416),
          emlp("so3-mlp", "SO(3)-MLP", 445305),
          emlp("o3-mlp", "O(3)-MLP", 445305),
          gca_mlp("gca-mlp", false, 443776),
          edge_conv(794892),
          gnn("gnn-s", "GNN (S)", 136, false, false, 449492),
          gnn("gnn-s-d", "GNN (S, +d)", 136, true, false, 450036),
          gnn("gnn-l", "GNN (L)", 192, false, false, 892620),
          gnn("gnn-l-d", "GNN (L, +d)", 192, true, false, 893388),
          gca_gnn("gca-gnn", "GCA-GNN", 64, false, 892996),
          gca_gnn("gca-gnn-45", "GCA-GNN (45)", 45, false, 443209),
          mlp("mlp-velocity", 248, true, 443696),
          gca_mlp("gca-mlp-velocity", true, 444544),
          gnn("gnn-velocity", "GNN", 192, false, true, 897240),
          gca_gnn("gca-gnn-velocity", "GCA-GNN", 64, true, 894532)};
}

}  // namespace gcan::models
