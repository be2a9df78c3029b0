#include "gcan/models/fluid/resnet.h"
#include "gcan/models/fluid/unet.h"
#include "gcan/models/registry.h"

namespace gcan::models {
namespace {

struct Entry {
  const char* name;
  const char* title;
  Family family;
  bool unet;
  std::int64_t channels;  // as in the paper
  NetworkPtr (*make)(const Entry&, const config::Options&);
  const char* summary;
};

template <class Options>
void set_family_options(Options& options, const Entry& entry, const config::Options& values) {
  if constexpr (requires { options.rotation(); }) options.rotation(entry.family == Family::rotational);
  if constexpr (requires { options.released(); }) {
    options.released(values.text("variant") != "paper");
    if (values.text("activation") == "sum") options.aggregation(nn::Aggregation::sum);
    if (values.text("activation") == "mean") options.aggregation(nn::Aggregation::mean);
  }
}

template <class Impl, class Options>
NetworkPtr make(const Entry& entry, const config::Options& values) {
  const auto padding = [&](const char* name) {
    return values.text(name) == "circular" ? nn::Padding::circular : nn::Padding::zeros;
  };
  Options options;
  options.title(entry.title)
      .channels(values.whole("channels"))
      .fields(values.text("fields"))
      .history(values.whole("history"))
      .future(values.whole("future"))
      .norm(values.flag("norm"))
      .padding_mode({padding("padding_y"), padding("padding_x")})
      .bfloat16(values.text("precision") == "bfloat16")
      .recompute(values.flag("recompute"))
      .checkpoint(values.flag("checkpoint"));
  if constexpr (requires { options.blocks(); }) options.blocks(values.whole("blocks"));
  set_family_options(options, entry, values);
  return std::make_shared<Impl>(options);
}

constexpr Entry kEntries[] = {
    {"resnet", "ResNet", Family::plain, false, 144, make<ResNet2dImpl, ResNet2dOptions>,
     "residual network of plain convolutions"},
    {"cresnet", "CResNet", Family::clifford, false, 64, make<CliffordResNet2dImpl, CliffordResNet2dOptions>,
     "residual network of Clifford convolutions in G(2,0,0)"},
    {"cresnet-rot", "CResNet_rot", Family::rotational, false, 64,
     make<CliffordResNet2dImpl, CliffordResNet2dOptions>,
     "residual network of rotational Clifford convolutions in G(0,2,0)"},
    {"gca-resnet", "GCA-ResNet", Family::gca, false, 64, make<GcaResNet2dImpl, GcaResNet2dOptions>,
     "residual network of group action convolutions in G(3,0,0)"},
    {"unet", "UNet", Family::plain, true, 72, make<UNet2dImpl, UNet2dOptions>, "UNet of plain convolutions"},
    {"cunet", "CUNet", Family::clifford, true, 32, make<CliffordUNet2dImpl, CliffordUNet2dOptions>,
     "UNet of Clifford convolutions in G(2,0,0)"},
    {"cunet-rot", "CUNet_rot", Family::rotational, true, 32, make<CliffordUNet2dImpl, CliffordUNet2dOptions>,
     "UNet of rotational Clifford convolutions in G(0,2,0)"},
    {"gca-unet", "GCA-UNet", Family::gca, true, 32, make<GcaUNet2dImpl, GcaUNet2dOptions>,
     "UNet of group action convolutions in G(3,0,0)"},
};

std::vector<config::Option> options_of(const Entry& entry) {
  const std::vector<std::string> paddings = {"zeros", "circular"};
  std::vector<config::Option> options = {
      {"channels", entry.channels, "hidden channels (of a UNet: at full resolution)", {}, 1, 4096},
      {"fields", "s,v", "the fields of a frame in their order, s for a scalar and v for a vector field"},
      {"history", std::int64_t{4}, "frames that the network sees", {}, 1, 1024},
      {"future", std::int64_t{1}, "frames that it predicts", {}, 1, 1024},
      {"norm", true, "whether blocks normalise"},
      {"padding_y", "zeros", "what lies beyond the first and last row (the poles)", paddings},
      {"padding_x", "zeros", "what lies beyond the first and last column: circular for longitude", paddings},
      {"precision", "float32", "of convolutions; parameters stay float32", {"float32", "bfloat16"}},
      {"recompute", entry.family == Family::gca,
       "recompute norms and activations in the backward pass instead of storing them"},
      {"checkpoint", false,
       "recompute whole blocks in the backward pass instead of storing their activations"},
  };
  if (!entry.unet) options.push_back({"blocks", std::int64_t{8}, "residual blocks", {}, 1, 1024});
  if (entry.family != Family::gca) return options;
  options.push_back({"variant",
                     "released",
                     "the layers as released by the authors or as in the paper's text",
                     {"released", "paper"}});
  options.push_back({"activation", "linear", "how a gate sees its multivector", {"linear", "sum", "mean"}});
  return options;
}

}  // namespace

std::vector<Model> fluid_models() {
  std::vector<Model> models;
  for (const Entry& entry : kEntries) {
    const auto make_network = [entry](const config::Options& values) { return entry.make(entry, values); };
    models.push_back({entry.name, entry.title, Kind::fluid, entry.summary, options_of(entry), make_network});
  }
  return models;
}

}  // namespace gcan::models
