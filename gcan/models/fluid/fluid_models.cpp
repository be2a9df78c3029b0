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
  const char* summary;
};

constexpr Entry kEntries[] = {
    {"resnet", "ResNet", Family::plain, false, 144, "residual network of plain convolutions"},
    {"cresnet", "CResNet", Family::clifford, false, 64,
     "residual network of Clifford convolutions in G(2,0,0)"},
    {"cresnet-rot", "CResNet_rot", Family::rotational, false, 64,
     "residual network of rotational Clifford convolutions in G(0,2,0)"},
    {"gca-resnet", "GCA-ResNet", Family::gca, false, 64,
     "residual network of group action convolutions in G(3,0,0)"},
    {"unet", "UNet", Family::plain, true, 72, "UNet of plain convolutions"},
    {"cunet", "CUNet", Family::clifford, true, 32, "UNet of Clifford convolutions in G(2,0,0)"},
    {"cunet-rot", "CUNet_rot", Family::rotational, true, 32,
     "UNet of rotational Clifford convolutions in G(0,2,0)"},
    {"gca-unet", "GCA-UNet", Family::gca, true, 32, "UNet of group action convolutions in G(3,0,0)"},
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
       "make norms and activations again in the backward pass instead of keeping them"},
      {"checkpoint", false, "run whole blocks again in the backward pass instead of keeping their insides"},
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

FluidSettings settings_of(const Entry& entry, const config::Options& options) {
  FluidSettings settings(entry.family);
  settings.channels = options.whole("channels");
  settings.fields = Fields(options.text("fields"));
  settings.history = options.whole("history");
  settings.future = options.whole("future");
  settings.memory = {options.flag("recompute"), options.flag("checkpoint")};
  if (!entry.unet) settings.blocks = options.whole("blocks");
  LayerSettings& layers = settings.layers;
  const auto padding = [&](const char* name) {
    return options.text(name) == "circular" ? nn::Padding::circular : nn::Padding::zeros;
  };
  layers.padding = {padding("padding_y"), padding("padding_x")};
  layers.norm = options.flag("norm");
  layers.bfloat16 = options.text("precision") == "bfloat16";
  if (entry.family != Family::gca) return settings;
  if (options.text("variant") == "paper") layers.variant = Variant::paper;
  if (options.text("activation") == "sum") layers.gates = nn::Aggregation::sum;
  if (options.text("activation") == "mean") layers.gates = nn::Aggregation::mean;
  return settings;
}

}  // namespace

std::vector<Model> fluid_models() {
  std::vector<Model> models;
  for (const Entry& entry : kEntries) {
    const auto make = [entry](const config::Options& options) -> NetworkPtr {
      const FluidSettings settings = settings_of(entry, options);
      if (entry.unet) return std::make_shared<UNet>(entry.title, settings);
      return std::make_shared<ResNet>(entry.title, settings);
    };
    models.push_back({entry.name, entry.title, Kind::fluid, entry.summary, options_of(entry), make});
  }
  return models;
}

}  // namespace gcan::models
