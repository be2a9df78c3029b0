#include "gcan/models/fluid/resnet.h"
#include "gcan/models/fluid/unet.h"
#include "gcan/models/registry.h"

namespace gcan::models {
namespace {

struct Maker {
  const char* name;  // in the catalog
  Family family;
  NetworkPtr (*make)(const Maker&, const std::string& title, const config::Options&);
};

template <class Options>
void set_family_options(Options& options, const Maker& maker, const config::Options& values) {
  if constexpr (requires { options.rotation(); }) options.rotation(maker.family == Family::rotational);
  if constexpr (requires { options.released(); }) {
    options.released(values.text("variant") != "paper");
    if (values.text("activation") == "sum") options.aggregation(nn::Aggregation::sum);
    if (values.text("activation") == "mean") options.aggregation(nn::Aggregation::mean);
  }
}

template <class Impl, class Options>
NetworkPtr make(const Maker& maker, const std::string& title, const config::Options& values) {
  const auto padding = [&](const char* name) {
    return values.text(name) == "circular" ? nn::Padding::circular : nn::Padding::zeros;
  };
  Options options;
  options.title(title)
      .channels(values.integer("channels"))
      .fields(values.text("fields"))
      .history(values.integer("history"))
      .future(values.integer("future"))
      .norm(values.flag("norm"))
      .padding_mode({padding("padding_y"), padding("padding_x")})
      .bfloat16(values.text("precision") == "bfloat16")
      .recompute(values.flag("recompute"))
      .checkpoint(values.flag("checkpoint"));
  if constexpr (requires { options.blocks(); }) options.blocks(values.integer("blocks"));
  set_family_options(options, maker, values);
  return std::make_shared<Impl>(options);
}

constexpr Maker kMakers[] = {
    {"resnet", Family::plain, make<ResNet2dImpl, ResNet2dOptions>},
    {"cresnet", Family::clifford, make<CliffordResNet2dImpl, CliffordResNet2dOptions>},
    {"cresnet-rot", Family::rotational, make<CliffordResNet2dImpl, CliffordResNet2dOptions>},
    {"gca-resnet", Family::gca, make<GcaResNet2dImpl, GcaResNet2dOptions>},
    {"unet", Family::plain, make<UNet2dImpl, UNet2dOptions>},
    {"cunet", Family::clifford, make<CliffordUNet2dImpl, CliffordUNet2dOptions>},
    {"cunet-rot", Family::rotational, make<CliffordUNet2dImpl, CliffordUNet2dOptions>},
    {"gca-unet", Family::gca, make<GcaUNet2dImpl, GcaUNet2dOptions>},
};

}  // namespace

std::vector<Model> fluid_models() {
  std::vector<Model> models;
  for (const Maker& maker : kMakers) {
    const NetworkEntry& entry = catalog_entry(maker.name);
    models.push_back({entry, [maker, title = entry.title](const config::Options& values) {
                        return maker.make(maker, title, values);
                      }});
  }
  return models;
}

}  // namespace gcan::models
