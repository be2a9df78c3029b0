// Cases for CMakeLists.txt: only case 0 may compile.
#include "gcan/algebra/pga2d.h"
#include "gcan/algebra/pga3d.h"

using namespace gcan;

int main() {
  constexpr Signature g3{3, 0, 0};
  [[maybe_unused]] const KVector<g3, 1> vector({1, 2, 3});
  [[maybe_unused]] const KVector<kPga3d, 1> plane({1, 2, 3, 4});
#if CASE == 0
  [[maybe_unused]] const FullMultivector<g3> wider = vector * vector + vector.get<"e1">() * blade<g3, "e31">;
  [[maybe_unused]] const auto turned = sandwich(vector, vector);
#elif CASE == 1
  vector* plane;
#elif CASE == 2
  vector + plane;
#elif CASE == 3
  vector.get<"e12">();
#elif CASE == 4
  vector.get<"e4">();
#elif CASE == 5
  auto e4 = blade<g3, "e4">;
#elif CASE == 6
  const KVector<g3, 1> product = vector * vector;
#elif CASE == 7
  sandwich(vector + 1, vector);
#elif CASE == 8
  pga3d::Motor<>()(pga2d::Point<>(1, 2));
#elif CASE == 9
  log(vector);
#elif CASE == 10
  FullMultivector<Signature{9, 0, 0}> x;
#endif
}
