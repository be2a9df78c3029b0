#include "gcan/models/fluid/fluid_network.h"

#include "gcan/nn/detail/checks.h"

namespace gcan::models {

using torch::Tensor;

FluidNetwork::FluidNetwork(std::string title, FluidSettings settings, std::int64_t multiple)
    : settings_(std::move(settings)), layers_(*this), title_(std::move(title)), multiple_(multiple) {
  if (settings_.channels < 1 || settings_.history < 1 || settings_.future < 1 || settings_.blocks < 1) {
    throw Error(title_ + " needs at least one channel, one frame in, one frame out and one block");
  }
}

void FluidNetwork::pretty_print(std::ostream& stream) const {
  const auto frames = [](std::int64_t n) { return std::to_string(n) + (n == 1 ? " frame" : " frames"); };
  stream << "gcan::models::" << title_ << "(" << settings_.channels << " channels, "
         << frames(settings_.history) << " of " << settings_.fields.text() << " -> "
         << frames(settings_.future) << ")";
}

std::int64_t FluidNetwork::inputs() const {
  return settings_.history * settings_.fields.channels(settings_.layers);
}

std::int64_t FluidNetwork::outputs() const {
  return settings_.future * settings_.fields.channels(settings_.layers);
}

std::shared_ptr<ResidualBlock> FluidNetwork::block(std::int64_t in, std::int64_t out) const {
  return std::make_shared<ResidualBlock>(settings_.layers, in, out, settings_.memory);
}

void FluidNetwork::check(const Tensor& x) const {
  nn::detail::check_shape(title_, x, {-1, settings_.history, settings_.fields.planes(), -1, -1});
  if (x.numel() == 0) {
    throw Error(title_ + " got an empty tensor " + nn::detail::shape_text(x.sizes()) +
                ", expected at least one sample and one point");
  }
  if (x.size(3) % multiple_ != 0 || x.size(4) % multiple_ != 0) {
    throw Error(title_ + " got a grid of " + std::to_string(x.size(3)) + " x " + std::to_string(x.size(4)) +
                " points, expected multiples of " + std::to_string(multiple_) +
                ": it halves the grid several times");
  }
  const auto own = parameters();
  if (!own.empty() && own.front().scalar_type() != x.scalar_type()) {
    throw Error(title_ + " got a tensor of " + std::string(x.dtype().name()) + ", but its parameters are " +
                std::string(own.front().dtype().name()) + ": convert one of them with to()");
  }
}

Tensor FluidNetwork::forward(const Tensor& x) {
  check(x);
  const Tensor h = settings_.fields.embed(x, settings_.layers);
  return settings_.fields.extract(run(h), settings_.layers);
}

}  // namespace gcan::models
