#include "gcan/algebra/exponential.h"

#include <array>
#include <numbers>
#include <optional>

#include "gcan/algebra/small_matrix.h"
#include "gcan/algebra/text.h"

namespace gcan {
namespace {

using detail::Matrix;
using Multivec = MultivectorX<double>;
using std::numbers::pi;

double one_norm(const Multivec& x) {
  double sum = 0;
  for (const auto& term : x.terms()) sum += std::abs(term.coefficient);
  return sum;
}

bool only_grade(const Multivec& x, int k) {
  return x.only([k](Blade b) { return grade(b) == k; });
}

// exp by Taylor's series of x / 2^k, squared k times.
Multivec exp_series(const Multivec& x) {
  const double size = one_norm(x);
  const int halvings = size > 0.5 ? static_cast<int>(std::ceil(std::log2(size / 0.5))) : 0;
  const Multivec small = x * std::ldexp(1.0, -halvings);
  Multivec sum = 1.0 + small;
  Multivec term = small;
  for (int n = 2; n <= 18 && !term.is_zero(); ++n) {
    term = term * small / n;
    sum = sum + term;
  }
  for (int k = 0; k < halvings; ++k) sum = sum * sum;
  return sum;
}

Multivec exp_double(const Multivec& x) {
  const double s = x.scalar();
  const Multivec rest = x - s;
  // A bivector is simple if its outer product with itself is zero.
  // NOLINTNEXTLINE(misc-redundant-expression)
  if (only_grade(rest, 2) && (rest ^ rest).is_zero()) {
    const auto [c, sinc] = detail::cos_and_sinc(scalar_product(rest, rest));
    return std::exp(s) * (c + sinc * rest);
  }
  return std::exp(s) * exp_series(rest);
}

// ---- the logarithm of an orthogonal matrix --------------------------------------------------------------

// The principal square root (Denman and Beavers' iteration, product form).
Matrix matrix_sqrt(const Matrix& a) {
  Matrix m = a;
  Matrix x = a;
  const Matrix one = Matrix::identity(a.rows());
  for (int step = 0; step < 50; ++step) {
    const Matrix m_inverse = detail::inverse(m);
    x = 0.5 * (x * (one + m_inverse));
    m = 0.5 * (one + 0.5 * (m + m_inverse));
    if ((m - one).norm() < 1e-15 * static_cast<double>(a.rows())) break;
  }
  return x;
}

// The principal logarithm of a matrix without eigenvalues near the negative axis: square roots until it is
// near 1, then log a = 2 artanh((a - 1) / (a + 1)), which keeps orthogonal matrices exactly in their group.
Matrix matrix_log(Matrix a) {
  if (a.rows() == 0) return a;
  const Matrix one = Matrix::identity(a.rows());
  int roots = 0;
  for (; roots < 40 && (a - one).norm() > 0.25; ++roots) a = matrix_sqrt(a);
  const Matrix x = (a - one) * detail::inverse(a + one);
  const Matrix square = x * x;
  Matrix power = x;
  Matrix sum = x;
  for (int k = 3; k <= 25; k += 2) {
    power = power * square;
    sum = sum + (1.0 / k) * power;
  }
  return std::ldexp(2.0, roots) * sum;
}

// exp and phi(z) = (e^z - 1) / z of a matrix, from the exponential of [[a, 1], [0, 0]] done by doubling.
struct ExpAndPhi {
  Matrix exp;
  Matrix phi;
};

ExpAndPhi matrix_exp_and_phi(const Matrix& a) {
  const Matrix one = Matrix::identity(a.rows());
  const int halvings = std::max(0, static_cast<int>(std::ceil(std::log2(std::max(a.norm(), 1e-300) / 0.5))));
  const Matrix small = std::ldexp(1.0, -halvings) * a;
  Matrix phi = one;
  Matrix term = one;
  for (int n = 2; n <= 20; ++n) {
    term = (1.0 / n) * (term * small);
    phi = phi + term;
  }
  Matrix exponential = one + small * phi;
  for (int k = 0; k < halvings; ++k) {
    phi = 0.5 * ((exponential + one) * phi);
    exponential = exponential * exponential;
  }
  return {exponential, phi};
}

// sign(a) by Newton's iteration; nothing when an eigenvalue is too near the imaginary axis.
struct SignResult {
  Matrix sign;
  int steps;
};

std::optional<SignResult> matrix_sign(Matrix a) {
  for (int step = 0; step < 30; ++step) {
    const Matrix next = 0.5 * (a + detail::inverse(a));
    const double change = (next - a).norm();
    a = next;
    if (!std::isfinite(change)) return std::nullopt;
    // Convergence is quadratic: the next step is exact to rounding.
    if (change < 1e-8 * a.norm()) return SignResult{0.5 * (a + detail::inverse(a)), step};
  }
  return std::nullopt;
}

// A subspace that a map of a space with metric eta leaves in itself: an orthonormal basis (columns), the
// squares of its vectors, and the matrix that gives coordinates in it.
struct Subspace {
  Matrix basis;
  std::vector<double> squares;
  Matrix coordinates;

  [[nodiscard]] std::size_t dimension() const { return squares.size(); }
  [[nodiscard]] Matrix restrict(const Matrix& a) const { return coordinates * a * basis; }
  [[nodiscard]] Matrix extend(const Matrix& a) const { return basis * a * coordinates; }
  [[nodiscard]] bool definite() const {
    return std::all_of(squares.begin(), squares.end(), [&](double s) { return s == squares.front(); });
  }
};

// The range of a projector that is self-adjoint with respect to eta.
Subspace range(const Matrix& projector, const Matrix& eta) {
  const auto eigen = detail::symmetric_eigen(projector.transposed() * eta * projector);
  Subspace space;
  std::vector<Matrix> columns;
  for (std::size_t k = 0; k < eigen.values.size(); ++k) {
    const double value = eigen.values[k];
    if (std::abs(value) < 1e-6) continue;
    columns.push_back((1 / std::sqrt(std::abs(value))) * (projector * eigen.vectors.column(k)));
    space.squares.push_back(value > 0 ? 1.0 : -1.0);
  }
  space.basis = Matrix(projector.rows(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) space.basis.set_column(k, columns[k]);
  space.coordinates = Matrix::diagonal(space.squares) * space.basis.transposed() * eta;
  return space;
}

// The subspaces where (a + a^-1) / 2 (on rotation planes, the cosine of the angle) is below and above a
// threshold far from its eigenvalues.
struct Split {
  Subspace below;
  Subspace above;
};

std::optional<Split> split_by_cosine(const Matrix& a, const Matrix& eta,
                                     std::initializer_list<double> thresholds) {
  const Matrix one = Matrix::identity(a.rows());
  const Matrix cosine = 0.5 * (a + eta * a.transposed() * eta);
  std::optional<SignResult> best;
  for (const double threshold : thresholds) {
    auto result = matrix_sign(cosine - threshold * one);
    if (result && (!best || result->steps < best->steps)) best = std::move(result);
  }
  if (!best) return std::nullopt;
  return Split{range(0.5 * (one - best->sign), eta), range(0.5 * (one + best->sign), eta)};
}

// A plane in which an antisymmetric matrix k turns: k u = rate v, k v = -rate u.
struct TurningPlane {
  Matrix u;
  Matrix v;
  double rate;
};

Matrix generator(const TurningPlane& plane) {
  return plane.v * plane.u.transposed() - plane.u * plane.v.transposed();
}

// Orthonormal columns that complete the plane's u and v to a basis.
Matrix complement(const TurningPlane& plane) {
  const std::size_t n = plane.u.rows();
  const Matrix p = Matrix::identity(n) - plane.u * plane.u.transposed() - plane.v * plane.v.transposed();
  const auto eigen = detail::symmetric_eigen(p);
  Matrix rest(n, n - 2);
  for (std::size_t k = 2; k < n; ++k) rest.set_column(k - 2, eigen.vectors.column(k));
  return rest;
}

// The invariant planes of an antisymmetric matrix, fastest first; arbitrary planes where it vanishes. Each is
// found in the complement of the previous ones, so that rounding errors of fast planes do not affect slow
// ones.
std::vector<TurningPlane> turning_planes(Matrix k) {
  std::vector<TurningPlane> planes;
  Matrix embed = Matrix::identity(k.rows());
  while (k.rows() >= 2) {
    const auto eigen = detail::symmetric_eigen(k.transposed() * k);
    TurningPlane plane{eigen.vectors.column(k.rows() - 1), Matrix(k.rows(), 1), 0};
    Matrix image = k * plane.u;
    if (!(image.norm() > 0)) image = eigen.vectors.column(k.rows() - 2);
    plane.rate = (k * plane.u).norm();
    const double overlap = (plane.u.transposed() * image)(0, 0);
    image = image - overlap * plane.u;
    plane.v = (1 / image.norm()) * image;
    planes.push_back({embed * plane.u, embed * plane.v, plane.rate});
    const Matrix rest = complement(plane);
    k = rest.transposed() * k * rest;
    embed = embed * rest;
  }
  return planes;
}

// log of -exp(k) on a subspace of even dimension, with all angles in [-pi, pi].
std::optional<Matrix> log_of_negative(const Matrix& k, const Subspace& space) {
  const std::size_t n = space.dimension();
  Matrix result(n, n);
  if (space.definite()) {
    if (n % 2 != 0) return std::nullopt;
    for (const TurningPlane& plane : turning_planes(0.5 * (k - k.transposed()))) {
      result = result + (plane.rate - pi) * generator(plane);
    }
    return result;
  }
  // Vectors of both signs: half turns in planes of equal squares.
  if (k.norm() > 1e-9) return std::nullopt;
  std::size_t waiting[2] = {n, n};
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t& other = waiting[space.squares[i] > 0 ? 0 : 1];
    if (other == n) {
      other = i;
      continue;
    }
    result(i, other) = pi;
    result(other, i) = -pi;
    other = n;
  }
  if (waiting[0] != n || waiting[1] != n) return std::nullopt;
  return result;
}

// The logarithm of a in SO(p,q) with angles in [-pi, pi]. Planes with angles above and below a threshold are
// treated separately; the threshold is the one of these cosines farthest from the angles of the planes.
std::optional<Matrix> orthogonal_log(const Matrix& a, const Matrix& eta,
                                     std::initializer_list<double> cosines) {
  const auto split = split_by_cosine(a, eta, cosines);
  if (!split) return std::nullopt;
  Matrix result = split->above.extend(matrix_log(split->above.restrict(a)));
  if (split->below.dimension() > 0) {
    const Matrix k = matrix_log((-1.0) * split->below.restrict(a));
    const auto turned = log_of_negative(k, split->below);
    if (!turned) return std::nullopt;
    result = result + split->below.extend(*turned);
  }
  return result;
}

// Candidates for the logarithm of a in SO(p,q). In definite spaces the first is right; otherwise half turns
// and boosts may mix, and not every decomposition works.
std::vector<Matrix> orthogonal_logs(const Matrix& a, const Matrix& eta) {
  if (a.rows() == 0) return {a};
  std::vector<Matrix> candidates;
  const auto add = [&](std::optional<Matrix> candidate) {
    if (candidate) candidates.push_back(std::move(*candidate));
  };
  // Positive vectors come before negative ones.
  const bool definite = eta(0, 0) == eta(a.rows() - 1, a.rows() - 1);
  if (!definite) add(matrix_log(a));
  add(orthogonal_log(a, eta, {-0.5, -0.3, -0.7, -0.1, -0.8, 0.1}));
  if (!definite) {
    for (const double cosine : {-0.999, -0.95, -0.8, -0.3, 0.1, 0.4}) add(orthogonal_log(a, eta, {cosine}));
  }
  return candidates;
}

// ---- from matrices to bivectors -------------------------------------------------------------------------

// A versor's action on vectors: `turn` on the non-null ones, and `shift` from them to the null ones.
struct Action {
  Matrix turn;
  Matrix shift;
  Matrix eta;
};

Action action_of(const Multivec& versor) {
  const Signature s = versor.algebra().signature();
  const auto r = static_cast<std::size_t>(s.r);
  const auto m = static_cast<std::size_t>(s.p + s.q);
  const Outermorphism map = Outermorphism::of(versor);
  const std::vector<double> all = map.matrix(1);
  Action action{Matrix(m, m), Matrix(r, m), Matrix(m, m)};
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < m; ++i) action.turn(i, j) = all[(r + i) * (r + m) + r + j];
    for (std::size_t i = 0; i < r; ++i) action.shift(i, j) = all[i * (r + m) + r + j];
    action.eta(j, j) = s.metric(static_cast<int>(r + j));
  }
  return action;
}

// The bivector b with b x - x b = turn x + shift x for vectors x: [e_ij, e_j] = 2 e_i e_j^2.
Multivec bivector_of(const Algebra& algebra, const Matrix& turn, const Matrix& shift) {
  const Signature s = algebra.signature();
  const auto r = static_cast<std::size_t>(s.r);
  std::vector<Multivec::Term> terms;
  for (std::size_t j = 0; j < turn.cols(); ++j) {
    const double half = 0.5 * s.metric(static_cast<int>(r + j));
    const Blade ej = Blade{1} << (r + j);
    for (std::size_t i = 0; i < j; ++i) terms.push_back({(Blade{1} << (r + i)) | ej, half * turn(i, j)});
    for (std::size_t i = 0; i < r; ++i) terms.push_back({(Blade{1} << i) | ej, half * shift(i, j)});
  }
  return {algebra, std::move(terms)};
}

// The bivector whose exponential acts as exp(turn) on the non-null vectors and adds the given shift: exp
// [[turn, 0], [y, 0]] = [[exp turn, 0], [y phi(turn), 1]].
Multivec bivector_with_shift(const Algebra& algebra, const Matrix& turn, const Matrix& shift) {
  const Matrix phi = matrix_exp_and_phi(turn).phi;
  const Matrix y = detail::solve(phi.transposed(), shift.transposed(), 1e-9).transposed();
  return bivector_of(algebra, turn, y);
}

// Generators of a full turn (2 pi) that commute with `turn` and do not change `shift`, in order of
// preference: a versor and its negative differ by one.
std::vector<Matrix> full_turns(const Action& action, const Matrix& turn) {
  const std::size_t m = turn.rows();
  std::vector<Matrix> candidates;
  const auto add_fastest = [&](const Subspace& space) {
    if (space.dimension() < 2 || !space.definite()) return;
    const Matrix k = space.restrict(turn);
    const auto planes = turning_planes(0.5 * (k - k.transposed()));
    if (planes.front().rate > 0) candidates.push_back((-2 * pi) * space.extend(generator(planes.front())));
  };
  add_fastest(range(Matrix::identity(m), action.eta));
  // Rotation planes, without boosts and fixed vectors (cosine at least 1) and planes of the other sign.
  for (const double threshold :
       {1 - 1e-7, 1 - 1e-5, 0.999, 0.97, 0.9, 0.7, 0.5, 0.3, 0.1, -0.1, -0.3, -0.5, -0.7, -0.9}) {
    if (const auto split = split_by_cosine(action.turn, action.eta, {threshold})) add_fastest(split->below);
  }
  // Planes of fixed vectors: the null space of turn and shift.
  const auto eigen =
      detail::symmetric_eigen(turn.transposed() * turn + action.shift.transposed() * action.shift);
  const double bound = 1e-18 * (1 + turn.norm() * turn.norm() + action.shift.norm() * action.shift.norm());
  std::size_t fixed = 0;
  while (fixed < m && eigen.values[fixed] < bound) ++fixed;
  Matrix basis(m, fixed);
  for (std::size_t k = 0; k < fixed; ++k) basis.set_column(k, eigen.vectors.column(k));
  const auto gram = detail::symmetric_eigen(basis.transposed() * action.eta * basis);
  const auto add_plane = [&](std::size_t i, std::size_t j) {
    const double scale = 1 / std::sqrt(std::abs(gram.values[i] * gram.values[j]));
    const TurningPlane plane{basis * gram.vectors.column(i), basis * gram.vectors.column(j), 0};
    candidates.push_back((2 * pi * scale) * (generator(plane) * action.eta));
  };
  if (fixed >= 2 && gram.values[fixed - 2] > 1e-9) add_plane(fixed - 2, fixed - 1);
  if (fixed >= 2 && gram.values[1] < -1e-9) add_plane(0, 1);
  return candidates;
}

Error no_logarithm(const Multivec& versor) {
  return Error("no logarithm was found for the versor " + to_string(versor, 6) + " of " +
               versor.algebra().to_string() + ": it is not the exponential of a bivector");
}

// b plus the bivectors of null vectors only (they commute with everything) that exp(b) lacks.
Multivec with_null_bivectors(const Multivec& b, const Multivec& versor) {
  const Signature s = b.algebra().signature();
  if (s.r < 2) return b;
  const Multivec rest = exp_double(-b) * versor;
  return b +
         rest.where([&](Blade x) { return grade(x) == 2 && (x & ~s.null_vectors()) == 0; }) / rest.scalar();
}

// The matrix of x -> b x - x b on the bivectors.
Matrix commutator_matrix(const Multivec& b, const std::vector<Blade>& blades) {
  Matrix result(blades.size(), blades.size());
  for (std::size_t j = 0; j < blades.size(); ++j) {
    const Multivec image = 2.0 * commutator(b, Multivec(b.algebra(), {{blades[j], 1.0}}));
    for (std::size_t i = 0; i < blades.size(); ++i) result(i, j) = image.coefficient(blades[i]);
  }
  return result;
}

// Newton's method for exp(b) = versor. With exp(b + h) = exp(b) (1 + phi(-ad b) h + ...), the bivector part d
// of exp(-b) versor - 1 asks for phi(-ad b) h = d.
Multivec refined(Multivec b, const Multivec& versor, double goal) {
  const std::vector<Blade> blades = b.algebra().blades(2);
  double error = (exp_double(b) - versor).coefficient_norm();
  for (int step = 0; step < 10 && error > goal; ++step) {
    const Multivec d = grade(exp_double(-b) * versor, 2);
    Matrix right(blades.size(), 1);
    for (std::size_t i = 0; i < blades.size(); ++i) right(i, 0) = d.coefficient(blades[i]);
    const Matrix phi = matrix_exp_and_phi((-1.0) * commutator_matrix(b, blades)).phi;
    const Matrix h = detail::solve(phi, right, 1e-9);
    std::vector<Multivec::Term> terms;
    for (std::size_t i = 0; i < blades.size(); ++i) terms.push_back({blades[i], h(i, 0)});
    const Multivec next = b + Multivec(b.algebra(), std::move(terms));
    const double next_error = (exp_double(next) - versor).coefficient_norm();
    if (!(next_error < error)) break;
    b = next;
    error = next_error;
  }
  return b;
}

// The bivector of a unit even versor.
Multivec log_unit(const Multivec& versor, double tolerance) {
  const Algebra& algebra = versor.algebra();
  const Action action = action_of(versor);
  const double size = 1 + versor.coefficient_norm();
  std::optional<Multivec> found;
  const auto attempt = [&](const Matrix& turn) {
    Multivec b = with_null_bivectors(bivector_with_shift(algebra, turn, action.shift), versor);
    // Too far away for Newton's method: the other sign, or another branch.
    if (!((exp_double(b) - versor).coefficient_norm() <= 0.1 * size)) return false;
    b = refined(std::move(b), versor, 1e-14 * size);
    if (!((exp_double(b) - versor).coefficient_norm() <= tolerance * size)) return false;
    found = std::move(b);
    return true;
  };
  for (const Matrix& turn : orthogonal_logs(action.turn, action.eta)) {
    if (attempt(turn)) return *found;
    for (const Matrix& full_turn : full_turns(action, turn)) {
      if (attempt(turn + full_turn)) return *found;
    }
  }
  throw no_logarithm(versor);
}

// The bivector of a unit versor cosine + b with simple b; nothing if the axis is undetermined (a full turn)
// or not in b (minus a boost or a translator).
std::optional<Multivec> log_simple(const Multivec& versor) {
  const double cosine = versor.scalar();
  const Multivec b = versor - cosine;
  if (!only_grade(b, 2)) return std::nullopt;
  const double square = scalar_product(b, b);
  const double root = std::sqrt(std::abs(square));
  if (square < 0) return b * (std::atan2(root, cosine) / root);
  if (cosine < 0) return std::nullopt;
  return square > 0 ? b * (std::asinh(root) / root) : b / cosine;
}

Multivec log_double(const Multivec& versor, double tolerance) {
  if (!versor.only([](Blade b) { return !is_odd(grade(b)); })) {
    throw Error("only even versors have a logarithm, and " + to_string(versor, 6) + " has odd grades");
  }
  const Multivec square = (~versor * versor).where([](Blade b) { return reverse_sign(b) > 0; });
  const double s = square.scalar();
  if (!(s > 0)) throw no_logarithm(versor);
  const Multivec unit = normalized(versor);
  const auto simple = log_simple(unit);
  const Multivec b = simple ? *simple : log_unit(unit, tolerance);
  // ~v v = s (1 + d): log v = log(s) / 2 + log(1 + d) / 2 + b, where d has null vectors and so is nilpotent.
  const Signature signature = versor.algebra().signature();
  const double size = versor.coefficient_norm();
  const double dust = 64 * std::numeric_limits<double>::epsilon() * size * size / s;
  const Multivec d = (square / s).where([&](Blade x) { return (x & signature.null_vectors()) != 0; });
  Multivec half_log(versor.algebra(), std::abs(s - 1) > dust ? 0.5 * std::log(s) : 0);
  if (d.coefficient_norm() > dust) {
    Multivec power = d;
    for (int k = 1; k <= signature.r; ++k) {
      half_log = half_log + (is_odd(k) ? 0.5 : -0.5) / k * power;
      power = power * d;
    }
  }
  return half_log + b;
}

// Denman and Beavers' iteration in the algebra: the root whose matrix has eigenvalues in the right half
// plane.
Multivec sqrt_principal(const Multivec& x) {
  const auto failed = [&] {
    return Error("no square root was found for " + to_string(x, 6) + " of " + x.algebra().to_string());
  };
  Multivec y = x;
  Multivec z(x.algebra(), 1.0);
  try {
    for (int step = 0; step < 60; ++step) {
      const Multivec next = 0.5 * (y + inverse(z));
      z = 0.5 * (z + inverse(y));
      const double change = (next - y).coefficient_norm();
      y = next;
      if (change <= 1e-15 * y.coefficient_norm()) break;
    }
  } catch (const Error&) {
    throw failed();
  }
  if (!((y * y - x).coefficient_norm() <= 1e-10 * x.coefficient_norm())) throw failed();
  return y;
}

Multivec sqrt_double(const Multivec& x, double tolerance) {
  if (x.is_zero()) return x;
  const bool even = x.only([](Blade b) { return !is_odd(grade(b)); });
  const double size = x.coefficient_norm();
  const Multivec square = ~x * x;
  const Signature s = x.algebra().signature();
  const Multivec not_study = square.where([&](Blade b) { return b != 0 && (b & s.null_vectors()) == 0; });
  if (even && square.scalar() > 0 && not_study.coefficient_norm() <= 1e-12 * size * size) {
    return exp_double(0.5 * log_double(x, tolerance));
  }
  return sqrt_principal(x);
}

template <class T>
inline constexpr double kTolerance = std::is_same_v<T, float> ? 1e-4 : 1e-9;

void require_finite(const Multivec& x, const char* function) {
  for (const auto& term : x.terms()) {
    if (!std::isfinite(term.coefficient)) {
      throw Error(std::string(function) + " overflows or was given a number that is not finite");
    }
  }
}

}  // namespace

template <class T>
MultivectorX<T> exp(const MultivectorX<T>& x) {
  const Multivec input = x.template cast<double>();
  require_finite(input, "exp");
  const Multivec result = exp_double(input);
  require_finite(result, "exp");
  return result.template cast<T>();
}

template <class T>
MultivectorX<T> log(const MultivectorX<T>& versor) {
  const Multivec input = versor.template cast<double>();
  require_finite(input, "log");
  return log_double(input, kTolerance<T>).template cast<T>();
}

template <class T>
MultivectorX<T> sqrt(const MultivectorX<T>& x) {
  const Multivec input = x.template cast<double>();
  require_finite(input, "sqrt");
  return sqrt_double(input, kTolerance<T>).template cast<T>();
}

template MultivectorX<float> exp(const MultivectorX<float>&);
template MultivectorX<double> exp(const MultivectorX<double>&);
template MultivectorX<float> log(const MultivectorX<float>&);
template MultivectorX<double> log(const MultivectorX<double>&);
template MultivectorX<float> sqrt(const MultivectorX<float>&);
template MultivectorX<double> sqrt(const MultivectorX<double>&);

}  // namespace gcan
