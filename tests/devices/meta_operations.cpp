#include "tests/devices/meta_operations.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "gcan/torch.h"

namespace gcan::test {
namespace {

using c10::IValue;
using torch::Tensor;

Tensor zeros_of(const Tensor& t) {
  return t.defined() && t.is_meta()
             ? at::empty_strided(t.sizes(), t.strides(), torch::TensorOptions(t.scalar_type())).zero_()
             : t;
}

Tensor meta_of(const Tensor& t) {
  return t.defined() && t.device().is_cpu()
             ? at::empty_strided(t.sizes(), t.strides(),
                                 torch::TensorOptions(torch::kMeta).dtype(t.scalar_type()))
             : t;
}

template <class Change>
IValue changed(const IValue& value, const Change& change) {
  if (value.isTensor()) return change(value.toTensor());
  if (value.isTensorList()) {
    c10::List<Tensor> list;
    for (const Tensor& t : value.toTensorVector()) list.push_back(change(t));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<c10::optional<Tensor>> list;
    for (const c10::optional<Tensor>& t : value.toOptionalTensorVector()) {
      list.push_back(t ? c10::optional<Tensor>(change(*t)) : c10::nullopt);
    }
    return list;
  }
  return value;
}

void on_zeros(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const std::size_t count = op.schema().arguments().size(), first = stack->size() - count;
  const std::vector<IValue> given(stack->begin() + static_cast<std::ptrdiff_t>(first), stack->end());
  for (std::size_t i = first; i < stack->size(); ++i) {
    (*stack)[i] = changed((*stack)[i], zeros_of);
    // The device of the result.
    if ((*stack)[i].isDevice() && (*stack)[i].toDevice().is_meta()) (*stack)[i] = torch::Device(torch::kCPU);
  }
  op.callBoxed(stack);
  const auto& returns = op.schema().returns();
  for (std::size_t r = 0; r < returns.size(); ++r) {
    IValue& value = (*stack)[stack->size() - returns.size() + r];
    const auto* alias = returns[r].alias_info();
    if (alias == nullptr) {
      value = changed(value, meta_of);
      continue;
    }
    // The argument that was written.
    for (std::size_t a = 0; a < count; ++a) {
      const auto* own = op.schema().arguments()[a].alias_info();
      if (own == nullptr || own->beforeSets() != alias->beforeSets()) continue;
      if (value.isTensor() && value.toTensor().sizes() != given[a].toTensor().sizes()) {
        given[a].toTensor().unsafeGetTensorImpl()->set_sizes_contiguous(value.toTensor().sizes());
      }
      value = given[a];
      break;
    }
  }
}

bool reads_numbers(const std::string& name) {
  constexpr std::array<std::string_view, 9> kNames{"aten::_local_scalar_dense",
                                                   "aten::equal",
                                                   "aten::nonzero",
                                                   "aten::masked_select",
                                                   "aten::is_nonzero",
                                                   "aten::_unique2",
                                                   "aten::_to_cpu",
                                                   "aten::set_",
                                                   "aten::resize_"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

void complete_meta_operations() {
  static const bool once = [] {
    // For the whole process.
    static auto& library =
        *new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::Meta, __FILE__, __LINE__);
    auto& dispatcher = c10::Dispatcher::singleton();
    const auto add = [&](const c10::OperatorName& name) {
      library.impl((name.name + (name.overload_name.empty() ? "" : "." + name.overload_name)).c_str(),
                   torch::CppFunction::makeFromBoxedFunction<&on_zeros>());
    };
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
      const auto op = dispatcher.findOp(name);
      if (!op || !op->hasSchema() || name.name.rfind("aten::", 0) != 0 || reads_numbers(name.name)) continue;
      const bool here = op->hasKernelForDispatchKey(c10::DispatchKey::CPU);
      if (here && !op->hasKernelForDispatchKey(c10::DispatchKey::Meta)) add(name);
    }
    // They have a kernel for all devices, which only supports the CPU and GPUs.
    for (const char* name : {"aten::convolution", "aten::convolution_backward"}) add({name, ""});
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace gcan::test
