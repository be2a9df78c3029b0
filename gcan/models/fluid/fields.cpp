#include "gcan/models/fluid/fields.h"

#include <algorithm>
#include <numeric>

#include "gcan/base/error.h"
#include "gcan/config/options.h"
#include "gcan/nn/detail/constant.h"

namespace gcan::models {

using torch::Tensor;

Fields::Fields(const std::string& text) : text_(text) {
  for (std::string part : config::comma_parts(text)) {
    std::erase(part, ' ');
    if (part != "s" && part != "v") {
      scalars_.clear();
      vectors_.clear();
      break;
    }
    (part == "s" ? scalars_ : vectors_).push_back(planes_);
    planes_ += part == "s" ? 1 : 2;
  }
  if (scalars_.empty() && vectors_.empty()) {
    throw Error(
        "model.fields expects a comma-separated list of s (scalar field) and v (vector field), such as "
        "\"s,v\", not \"" +
        text + "\"");
  }
}

std::int64_t Fields::channels(const LayerSettings& settings) const {
  if (settings.family == Family::plain) return planes_;
  return static_cast<std::int64_t>(std::max(scalars_.size(), vectors_.size()));
}

std::vector<std::int64_t> Fields::places(const LayerSettings& settings) const {
  std::vector<std::int64_t> result(static_cast<std::size_t>(planes_));
  if (settings.family == Family::plain) {
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
  const auto blade_at = [&](Blade blade) {
    return std::find(settings.objects.begin(), settings.objects.end(), blade) - settings.objects.begin();
  };
  const std::vector<Blade> axes = settings.algebra.blades(1);
  const bool gca = settings.family == Family::gca;
  const std::int64_t scalar = blade_at(gca ? axes[0] : Blade{0});
  const std::int64_t first = blade_at(axes[gca ? 1 : 0]), second = blade_at(axes[gca ? 2 : 1]);
  const auto channel = [&](std::size_t i) { return static_cast<std::int64_t>(i) * settings.blades(); };
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    result[static_cast<std::size_t>(scalars_[i])] = channel(i) + scalar;
  }
  for (std::size_t i = 0; i < vectors_.size(); ++i) {
    result[static_cast<std::size_t>(vectors_[i])] = channel(i) + first;
    result[static_cast<std::size_t>(vectors_[i]) + 1] = channel(i) + second;
  }
  return result;
}

Tensor Fields::embed(const Tensor& x, const LayerSettings& settings) const {
  const std::int64_t elements = channels(settings) * settings.blades();
  const auto to = places(settings);
  Tensor planes = x;
  if (elements != planes_ || !std::is_sorted(to.begin(), to.end())) {
    // The source plane of each feature; the index after the last plane stands for zero.
    std::vector<std::int64_t> from(static_cast<std::size_t>(elements), planes_);
    for (std::size_t p = 0; p < to.size(); ++p) {
      from[static_cast<std::size_t>(to[p])] = static_cast<std::int64_t>(p);
    }
    const Tensor index = nn::detail::constant(from, x.device());
    planes = torch::cat({x, torch::zeros_like(x.narrow(2, 0, 1))}, 2).index_select(2, index);
  }
  return planes.reshape({x.size(0), x.size(1) * channels(settings), settings.blades(), x.size(3), x.size(4)});
}

Tensor Fields::extract(const Tensor& y, const LayerSettings& settings) const {
  const std::int64_t elements = channels(settings) * settings.blades();
  const Tensor planes = y.reshape({y.size(0), -1, elements, y.size(3), y.size(4)});
  const auto from = places(settings);
  if (elements == planes_ && std::is_sorted(from.begin(), from.end())) return planes;
  return planes.index_select(2, nn::detail::constant(from, y.device()));
}

}  // namespace gcan::models
