#include "gcan/nn/norm.h"

#include <sstream>
#include <utility>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/norm_function.h"

namespace gcan::nn {

GcaNormImpl::GcaNormImpl(GcaNormOptions given)
    : options(std::move(given)),
      settings_(std::make_shared<detail::NormSettings>(
          detail::NormSettings{detail::Grades(options.objects()), options.groups(), options.space(),
                               options.divisor(), options.eps()})) {
  reset();
}

void GcaNormImpl::reset() {
  detail::check_objects("GcaNorm", options.algebra(), options.objects(), options.channels());
  if (options.groups() < 1 || options.channels() % options.groups() != 0) {
    throw Error("GcaNorm got " + std::to_string(options.groups()) + " groups for " +
                std::to_string(options.channels()) +
                " channels, expected a number that divides the channels");
  }
  if (!(options.eps() >= 0)) throw Error("GcaNorm got a negative eps, expected 0 or more");
  if (options.scale() != NormScale::none) {
    const bool per_grade = options.scale() == NormScale::per_grade;
    const auto count = per_grade ? static_cast<std::int64_t>(settings_->grades.count) : options.channels();
    weight = register_parameter("weight", torch::ones({count}));
  }
  if (options.bias()) {
    const auto blades = static_cast<std::int64_t>(options.objects().size());
    bias = register_parameter("bias", torch::zeros({options.channels(), blades}));
  }
}

void GcaNormImpl::pretty_print(std::ostream& stream) const {
  constexpr const char* kDivisors[] = {"centring only", "mean norm", "mean norm of the centred"};
  constexpr const char* kScales[] = {"no factors", "a factor per grade", "a factor per channel"};
  stream << "GcaNorm(" << options.algebra().to_string() << ", " << options.channels() << " channels of "
         << detail::objects_text(options.algebra(), options.objects()) << ", " << options.groups()
         << (options.groups() == 1 ? " group" : " groups") << (options.space() ? "" : " at each position")
         << ", " << kDivisors[static_cast<int>(options.divisor())] << ", "
         << kScales[static_cast<int>(options.scale())] << (options.bias() ? ", bias" : "")
         << ", eps=" << options.eps() << ")";
}

void GcaNormImpl::check(const torch::Tensor& x) const {
  const auto name = [this] {
    std::ostringstream text;
    pretty_print(text);
    return text.str();
  };
  detail::check_features(name, x, options.channels(), options.objects().size(),
                         weight.defined() ? weight : bias);
}

detail::NormTensors GcaNormImpl::tensors(const torch::TensorOptions& like) const {
  const auto grades = static_cast<std::int64_t>(settings_->grades.count);
  detail::NormTensors result;
  if (options.scale() == NormScale::none) {
    result.weight = torch::ones({options.channels(), grades}, like);
  } else {
    const torch::Tensor factors = weight.unsqueeze(options.scale() == NormScale::per_grade ? 0 : 1);
    const bool fits = factors.size(0) == options.channels() && factors.size(1) == grades;
    result.weight = (fits ? factors : factors.expand({options.channels(), grades})).to(like).contiguous();
  }
  if (bias.defined()) result.bias = bias.to(like).contiguous();
  return result;
}

torch::Tensor GcaNormImpl::forward(const torch::Tensor& x) {
  check(x);
  if (!detail::has_norm_kernel(x, *settings_)) return forward_with_tensors(x);
  const auto like = torch::TensorOptions(x.device()).dtype(x.scalar_type());
  return detail::norm_by_kernel(x, tensors(like), *settings_, settings_->grades);
}

torch::Tensor GcaNormImpl::forward_with_tensors(const torch::Tensor& x) const {
  check(x);
  const auto like = torch::TensorOptions(x.device()).dtype(detail::compute_type(x));
  return detail::norm_with_tensors(x.to(like), tensors(like), *settings_, settings_->grades)
      .to(x.scalar_type());
}

}  // namespace gcan::nn
