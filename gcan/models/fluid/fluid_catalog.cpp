// The networks of the fluid experiments: names, keys and sizes.

#include "gcan/models/catalog.h"

namespace gcan::models {
namespace {

struct Row {
  const char* name;
  const char* title;
  bool gca, unet;
  std::int64_t channels;  // as in the paper
  std::int64_t parameters;
  const char* summary;
};

constexpr Row kRows[] = {
    {"resnet", "ResNet", false, false, 144, 3036963, "residual network of plain convolutions"},
    {"cresnet", "CResNet", false, false, 64, 2385408,
     "residual network of Clifford convolutions in G(2,0,0)"},
    {"cresnet-rot", "CResNet_rot", false, false, 64, 2975552,
     "residual network of rotational Clifford convolutions in G(0,2,0)"},
    {"gca-resnet", "GCA-ResNet", true, false, 64, 3003456,
     "residual network of group action convolutions in G(3,0,0)"},
    {"unet", "UNet", false, true, 72, 58796355, "UNet of plain convolutions"},
    {"cunet", "CUNet", false, true, 32, 46580100, "UNet of Clifford convolutions in G(2,0,0)"},
    {"cunet-rot", "CUNet_rot", false, true, 32, 58184484,
     "UNet of rotational Clifford convolutions in G(0,2,0)"},
    {"gca-unet", "GCA-UNet", true, true, 32, 58091040, "UNet of group action convolutions in G(3,0,0)"},
};

std::vector<config::Option> options_of(const Row& row) {
  const std::vector<std::string> paddings = {"zeros", "circular"};
  std::vector<config::Option> options = {
      {"channels", row.channels, "hidden channels (for a UNet at full resolution)", {}, 1, 4096},
      {"fields", "s,v", "the fields of a frame in order, s for a scalar and v for a vector field"},
      {"history", std::int64_t{4}, "input frames", {}, 1, 1024},
      {"future", std::int64_t{1}, "predicted frames", {}, 1, 1024},
      {"norm", true, "whether blocks normalise"},
      {"padding_y", "zeros", "padding beyond the first and last row (the poles)", paddings},
      {"padding_x", "zeros", "padding beyond the first and last column: circular for longitude", paddings},
      {"precision",
       "float32",
       "number format of convolutions; parameters stay float32",
       {"float32", "bfloat16"}},
      {"recompute", row.gca, "recompute norms and activations in the backward pass instead of storing them"},
      {"checkpoint", false,
       "recompute whole blocks in the backward pass instead of storing their activations"},
  };
  if (!row.unet) options.push_back({"blocks", std::int64_t{8}, "residual blocks", {}, 1, 1024});
  if (!row.gca) return options;
  options.push_back({"variant",
                     "released",
                     "the layers as released by the authors or as in the paper's text",
                     {"released", "paper"}});
  options.push_back(
      {"activation", "linear", "reduction of a multivector to its gate", {"linear", "sum", "mean"}});
  return options;
}

}  // namespace

std::vector<NetworkEntry> fluid_catalog() {
  std::vector<NetworkEntry> entries;
  for (const Row& row : kRows) {
    entries.push_back({row.name, row.title, Kind::fluid, row.summary, row.parameters, options_of(row)});
  }
  return entries;
}

}  // namespace gcan::models
