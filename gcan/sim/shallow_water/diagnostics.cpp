#include "gcan/sim/shallow_water/diagnostics.h"

#include <cmath>
#include <cstddef>

namespace gcan::sim::shallow_water {

double area_mean(const GaussLegendre& rule, const std::vector<double>& field) {
  const std::size_t longitudes = field.size() / rule.nodes.size();
  double sum = 0;
  for (std::size_t row = 0; row < rule.nodes.size(); ++row) {
    double circle = 0;
    for (std::size_t i = 0; i < longitudes; ++i) circle += field[row * longitudes + i];
    sum += rule.weights[row] * circle;
  }
  return sum / (2 * static_cast<double>(longitudes));
}

template <typename T>
Budget budget(const Model<T>& model, const GridFields& fields) {
  const Planet& planet = model.options().planet;
  const GaussLegendre& rule = model.transform().rule();
  const std::size_t longitudes = fields.eta.size() / rule.nodes.size();
  std::vector<double> energy(fields.eta.size());
  std::vector<double> enstrophy(fields.eta.size());
  for (std::size_t i = 0; i < energy.size(); ++i) {
    const double ground = model.orography()[i];
    const double surface = fields.eta[i] + planet.mean_depth;
    const double depth = surface - ground;
    const double absolute = fields.vorticity[i] + 2 * planet.rotation * rule.nodes[i / longitudes];
    energy[i] = 0.5 * depth * (fields.u[i] * fields.u[i] + fields.v[i] * fields.v[i]) +
                0.5 * planet.gravity * (surface * surface - ground * ground);
    enstrophy[i] = 0.5 * absolute * absolute / depth;
  }
  return {area_mean(rule, fields.eta), area_mean(rule, energy), area_mean(rule, enstrophy)};
}

double relative_l2(const GaussLegendre& rule, const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference(a.size());
  std::vector<double> square(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference[i] = (a[i] - b[i]) * (a[i] - b[i]);
    square[i] = b[i] * b[i];
  }
  return std::sqrt(area_mean(rule, difference) / area_mean(rule, square));
}

template Budget budget<float>(const Model<float>&, const GridFields&);
template Budget budget<double>(const Model<double>&, const GridFields&);

}  // namespace gcan::sim::shallow_water
