#include "gcan/operators/plans.h"

#include <bit>
#include <map>
#include <mutex>
#include <numeric>

#include "gcan/base/error.h"

namespace gcan::operators {
namespace {

constexpr std::size_t kHead = 9;
// More plans than any network has. A program that keeps making layers of new sizes clears the cache.
constexpr std::size_t kMostPlans = 4096;

void check_numbers(at::IntArrayRef n) {
  const bool whole = n.size() >= kHead && n[6] >= 0 && n[7] >= 0 && n[8] >= 0 &&
                     n.size() == kHead + static_cast<std::size_t>(n[6] + n[7] + n[8]);
  const bool sound = whole && n[0] >= 0 && n[1] >= 0 && n[2] >= 0 && n[0] + n[1] + n[2] <= 12 && n[3] >= 0 &&
                     n[3] <= static_cast<std::int64_t>(Inverse::regularized) && n[4] >= 1;
  if (!sound) {
    throw Error("the plan of a group action layer has " + std::to_string(n.size()) +
                " numbers that do not fit; expected p, q, r, inverse, groups, transposed, three counts and "
                "their blades");
  }
}

std::vector<Blade> blades_at(at::IntArrayRef n, std::int64_t first, std::int64_t count) {
  std::vector<Blade> blades;
  for (const std::int64_t blade : n.slice(static_cast<std::size_t>(first), static_cast<std::size_t>(count))) {
    blades.push_back(static_cast<Blade>(blade));
  }
  return blades;
}

Algebra algebra_of(at::IntArrayRef n) {
  check_numbers(n);
  return Algebra(static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2]));
}

}  // namespace

Plan::Plan(at::IntArrayRef n)
    : algebra_(algebra_of(n)),
      inverse_(static_cast<Inverse>(n[3])),
      groups_(n[4]),
      transposed_blocks_(n[5] != 0),
      actions_(blades_at(n, kHead, n[6])),
      objects_(blades_at(n, kHead + n[6], n[7])),
      constants_(blades_at(n, kHead + n[6] + n[7], n[8])) {}

std::string Plan::title(const std::string& layer, at::IntArrayRef weight) const {
  std::string text = layer + "(" + algebra_.to_string() + ", " + std::to_string(weight[1] * groups_) +
                     " -> " + std::to_string(weight[0]) + ",";
  for (const Blade blade : objects_) {
    text += " ";
    text += blade <= algebra_.pseudoscalar() ? algebra_.name(blade) : "?";
  }
  return text + ")";
}

nn::detail::ActionKernelPtr kernel_of(at::IntArrayRef numbers, double eps, at::IntArrayRef weight) {
  // Never destroyed: plans hold tensors, and LibTorch may be unloaded first.
  static auto& plans = *new std::map<std::vector<std::int64_t>, nn::detail::ActionKernelPtr>();
  static std::mutex mutex;
  std::vector<std::int64_t> key(numbers.begin(), numbers.end());
  key.insert(key.end(), weight.begin(), weight.end());
  key.push_back(std::bit_cast<std::int64_t>(eps));
  const std::lock_guard lock(mutex);
  if (const auto found = plans.find(key); found != plans.end()) return found->second;
  const Plan plan(numbers);
  if (weight.size() < 2) throw Error("the weights of a group action layer have fewer than two dimensions");
  kernels::PairLayout layout;
  layout.rows = weight[0];
  layout.columns = weight[1];
  const std::vector<std::int64_t> kernel_size(weight.begin() + 2, weight.end());
  layout.positions =
      std::accumulate(kernel_size.begin(), kernel_size.end(), std::int64_t{1}, std::multiplies<>());
  layout.groups = plan.groups_;
  layout.transposed_blocks = plan.transposed_blocks_;
  // Hides the plan's tensors from tracing and fake-tensor modes.
  const c10::impl::ExcludeDispatchKeyGuard real(
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot}));
  const torch::NoGradGuard no_grad;
  auto made = c10::make_intrusive<nn::detail::ActionKernel>(
      SandwichPlan({plan.algebra_, plan.actions_, plan.objects_, plan.objects_, plan.constants_}), layout,
      kernels::ActionInverse{plan.inverse_, eps}, kernel_size);
  if (plans.size() >= kMostPlans) plans.clear();
  plans.emplace(std::move(key), made);
  return made;
}

}  // namespace gcan::operators
