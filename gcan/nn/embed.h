#pragma once

// Conversion between coordinates and multivectors for each kind of geometric object.

#include <ostream>
#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/torch.h"

namespace gcan::nn {

// The kind of object. Projective objects need G(2,0,1) or G(3,0,1), points and directions any G(n,0,1).
enum class Object {
  scalar,     // one number: the blade 1
  vector,     // the basis vectors that are not null
  point,      // x, y, z
  direction,  // x, y, z: a point at infinity, invariant under translations
  line,       // in space: its direction, then its moment (point x direction); in the plane a x + b y + c = 0
  plane,      // a x + b y + c z + d = 0
  motor,  // in space: a quaternion w, x, y, z and a translation; in the plane cos and sin of half the angle
          // and a translation. The rotation comes first.
};

// The coordinates of a point (x, y, z) on e012, e013, e023. Only `meet`, the intersection of the planes x, y
// and z = const, transforms consistently with lines, planes and vectors; the others are from the paper's text
// and give the same networks for positions only.
enum class PointLayout {
  meet,            // -z, y, -x
  paper,           // z, y, x
  paper_reversed,  // x, y, z
};

// Options of Embed and Extract.
struct EmbedOptions {
  EmbedOptions(const Algebra& algebra, Object object) : algebra_(algebra), object_(object) {}
  TORCH_ARG(Algebra, algebra);
  TORCH_ARG(Object, object);
  // Whether points and directions have the blade of the homogeneous weight (e123), which is 1 for points and
  // 0 for directions. Group action layers have their own weight: turn this off in front of them.
  TORCH_ARG(bool, weight) = true;
  TORCH_ARG(PointLayout, layout) = PointLayout::meet;
  // The dimension of the coordinates and of the blades.
  TORCH_ARG(std::int64_t, dim) = 2;
};

// Coordinates to blades: (N, channels, coordinates, space...) -> (N, channels, blades, space...).
//
//   auto embed = gcan::nn::Embed(gcan::Algebra::pga3d(), gcan::nn::Object::point);
//   embed(torch::randn({64, 32, 3}));          // (64, 32, 4) on e012, e013, e023, e123
class EmbedImpl : public torch::nn::Cloneable<EmbedImpl> {
 public:
  EmbedImpl(const Algebra& algebra, Object object) : EmbedImpl(EmbedOptions(algebra, object)) {}
  explicit EmbedImpl(const EmbedOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& coordinates);

  [[nodiscard]] const std::vector<Blade>& blades() const { return blades_; }
  // How many coordinates the object has.
  [[nodiscard]] std::int64_t coordinates() const { return coordinates_; }

  EmbedOptions options;

 private:
  std::vector<Blade> blades_;
  std::int64_t coordinates_ = 0;
};
TORCH_MODULE(Embed);

// Blades to coordinates, the inverse of Embed. Points with a weight are divided by it; the translation of a
// motor is that of the motor scaled to size 1.
//
//   auto extract = gcan::nn::Extract(gcan::Algebra::pga3d(), gcan::nn::Object::point);
//   extract(embed(x));                         // x
class ExtractImpl : public torch::nn::Cloneable<ExtractImpl> {
 public:
  ExtractImpl(const Algebra& algebra, Object object) : ExtractImpl(EmbedOptions(algebra, object)) {}
  explicit ExtractImpl(const EmbedOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& values);

  [[nodiscard]] const std::vector<Blade>& blades() const { return blades_; }

  EmbedOptions options;

 private:
  std::vector<Blade> blades_;
};
TORCH_MODULE(Extract);

}  // namespace gcan::nn
