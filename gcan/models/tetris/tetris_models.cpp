#include "gcan/models/registry.h"
#include "gcan/models/tetris/edge_conv.h"
#include "gcan/models/tetris/emlp.h"
#include "gcan/models/tetris/gca_gnn.h"
#include "gcan/models/tetris/gca_mlp.h"
#include "gcan/models/tetris/gnn.h"
#include "gcan/models/tetris/mlp.h"

namespace gcan::models {
namespace {

Inverse inverse_of(const std::string& name) {
  if (name == "exact") return Inverse::exact;
  return name == "normalized" ? Inverse::normalized : Inverse::reverse;
}

nn::Aggregation aggregation_of(const std::string& name) {
  if (name == "sum") return nn::Aggregation::sum;
  return name == "mean" ? nn::Aggregation::mean : nn::Aggregation::linear;
}

// Sets a network's options from a configuration, as far as the network has them.
template <class Options>
Options options_from(const config::Options& values, const std::string& title) {
  Options options;
  options.title(title)
      .steps_in(values.integer("steps_in"))
      .steps_out(values.integer("steps_out"))
      .points(values.integer("points"))
      .layers(values.integer("layers"));
  if (values.has("velocities")) options.velocities(values.flag("velocities"));
  if constexpr (requires { options.width(); }) options.width(values.integer("width"));
  if constexpr (requires { options.distances(); }) options.distances(values.flag("distances"));
  if constexpr (requires { options.neighbours(); }) options.neighbours(values.integer("neighbours"));
  if constexpr (requires { options.delta0(); }) {
    options.channels(values.integer("channels"))
        .delta0(values.number("delta0"))
        .inverse(inverse_of(values.text("inverse")))
        .gates(values.text("gate") == "grade" ? nn::Gates::per_grade : nn::Gates::per_channel)
        .aggregation(aggregation_of(values.text("aggregation")))
        .norm(values.flag("norm"))
        .paper_velocities(values.text("frame") == "paper");
  }
  return options;
}

template <class Impl, class Options>
Model model(const std::string& name) {
  const NetworkEntry& entry = catalog_entry(name);
  return {entry, [title = entry.title](const config::Options& values) {
            return std::make_shared<Impl>(options_from<Options>(values, title));
          }};
}

Model emlp(const std::string& name, OrthogonalGroup symmetry) {
  const NetworkEntry& entry = catalog_entry(name);
  return {entry, [title = entry.title, symmetry](const config::Options& values) {
            return std::make_shared<EmlpImpl>(options_from<EmlpOptions>(values, title).symmetry(symmetry));
          }};
}

}  // namespace

std::vector<Model> tetris_models() {
  return {model<MlpImpl, MlpOptions>("mlp"),           model<MotorMlpImpl, MotorMlpOptions>("motor-mlp"),
          emlp("so3-mlp", OrthogonalGroup::so3),       emlp("o3-mlp", OrthogonalGroup::o3),
          model<GcaMlpImpl, GcaMlpOptions>("gca-mlp"), model<EdgeConvImpl, EdgeConvOptions>("edgeconv"),
          model<GnnImpl, GnnOptions>("gnn-s"),         model<GnnImpl, GnnOptions>("gnn-s-d"),
          model<GnnImpl, GnnOptions>("gnn-l"),         model<GnnImpl, GnnOptions>("gnn-l-d"),
          model<GcaGnnImpl, GcaGnnOptions>("gca-gnn"), model<GcaGnnImpl, GcaGnnOptions>("gca-gnn-45"),
          model<MlpImpl, MlpOptions>("mlp-velocity"),  model<GcaMlpImpl, GcaMlpOptions>("gca-mlp-velocity"),
          model<GnnImpl, GnnOptions>("gnn-velocity"),  model<GcaGnnImpl, GcaGnnOptions>("gca-gnn-velocity")};
}

}  // namespace gcan::models
