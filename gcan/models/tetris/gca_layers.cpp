#include "gcan/models/tetris/gca_layers.h"

#include "gcan/nn/detail/constant.h"

namespace gcan::models {
namespace {

std::vector<Blade> object_blades(const Algebra& pga, std::int64_t fields) {
  if (fields == 1) return pga.points();
  const std::vector<Blade> vectors = pga.blades(1);
  std::vector<Blade> blades;
  for (std::size_t i = 0; i < 3; ++i) {
    blades.push_back(pga.points()[i]);
    blades.push_back(vectors[3 - i]);
  }
  return blades;
}

}  // namespace

nn::GcaLinear gca_linear(const GcaSettings& settings, std::int64_t in, std::int64_t out) {
  const Algebra pga = Algebra::pga3d();
  return nn::GcaLinear(nn::GcaLinearOptions(pga, in, out)
                           .objects(pga.points())
                           .inverse(settings.inverse)
                           .delta0(settings.delta0));
}

nn::MSiLU gca_gate(const GcaSettings& settings, std::int64_t channels) {
  const Algebra pga = Algebra::pga3d();
  return nn::MSiLU(nn::MSiLUOptions(pga, channels)
                       .objects(object_blades(pga, settings.fields))
                       .aggregation(settings.aggregation)
                       .gates(settings.gates));
}

nn::GcaNorm gca_norm(const GcaSettings& settings, std::int64_t channels) {
  const Algebra pga = Algebra::pga3d();
  return nn::GcaNorm(
      nn::GcaNormOptions(pga, channels).objects(object_blades(pga, settings.fields)).space(false));
}

torch::Tensor mirror_velocities(const GcaSettings& settings, const torch::Tensor& x) {
  if (settings.fields == 1 || !settings.paper_velocities) return x;
  // (x, y, z) -> (-z, y, -x)
  const torch::Tensor signs = nn::detail::constant({-1.0, 1.0, -1.0}, x.options()).view({1, 3, 1});
  const torch::Tensor velocities = x.select(1, 1).reshape({x.size(0) / 3, 3, x.numel() / (x.size(0) * 2)});
  const torch::Tensor mirrored = (velocities.flip(1) * signs).view(x.select(1, 1).sizes());
  return torch::stack({x.select(1, 0), mirrored}, 1);
}

}  // namespace gcan::models
