#include "gcan/deploy/onnx.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "gcan/base/error.h"
#include "gcan/deploy/onnx_graph.h"

namespace gcan::deploy {
namespace {

using torch::Tensor;
using torch::jit::Node;
using torch::jit::Value;
using Names = OnnxGraph::Names;
using Numbers = std::vector<std::int64_t>;

// Translates the nodes of a traced graph one by one. Integers that depend on the number of samples are
// one-element tensors in ONNX.
class Translation {
 public:
  Translation(torch::jit::Graph& graph, Value* x) : graph_(graph) { names_[x] = "x"; }

  std::string run() {
    for (Node* const node : graph_.nodes()) {
      if (node->kind() == torch::jit::prim::Constant || node->kind() == torch::jit::prim::ListConstruct)
        continue;
      // ONNX's Reshape does not support empty tensors. Only concatenations use them, and can skip them.
      if (is_empty(node->outputs()[0])) continue;
      node_ = node;
      translate();
    }
    return name(graph_.outputs()[0]);
  }

  OnnxGraph onnx;

 private:
  using Handler = void (Translation::*)();

  void translate() {
    static const std::map<std::string, Handler> handlers = {
        {"aten::_convolution", &Translation::convolution},
        {"aten::convolution", &Translation::convolution},
        {"aten::linear", &Translation::linear},
        {"aten::addmm", &Translation::addmm},
        {"aten::gelu", &Translation::gelu},
        {"aten::group_norm", &Translation::group_norm},
        {"aten::cat", &Translation::cat},
        {"aten::stack", &Translation::stack},
        {"aten::narrow", &Translation::narrow},
        {"aten::slice", &Translation::slice},
        {"aten::select", &Translation::select},
        {"aten::reshape", &Translation::reshape},
        {"aten::view", &Translation::reshape},
        {"aten::flatten", &Translation::flatten},
        {"aten::unflatten", &Translation::unflatten},
        {"aten::permute", &Translation::permute},
        {"aten::transpose", &Translation::transpose},
        {"aten::t", &Translation::turn},
        {"aten::unsqueeze", &Translation::unsqueeze},
        {"aten::squeeze", &Translation::squeeze},
        {"aten::index_select", &Translation::index_select},
        {"aten::index_copy_", &Translation::index_copy},
        {"aten::constant_pad_nd", &Translation::pad},
        {"aten::mean", &Translation::mean},
        {"aten::sum", &Translation::sum},
        {"aten::amax", &Translation::amax},
        {"aten::norm", &Translation::norm},
        {"aten::linalg_vector_norm", &Translation::vector_norm},
        {"aten::where", &Translation::where},
        {"aten::leaky_relu", &Translation::leaky_relu},
        {"aten::square", &Translation::square},
        {"aten::pow", &Translation::power},
        {"aten::rsub", &Translation::reversed_difference},
        {"aten::expand", &Translation::expand},
        {"aten::expand_as", &Translation::expand_as},
        {"aten::clamp_min", &Translation::clamp_min},
        {"aten::cross", &Translation::cross},
        {"aten::linalg_cross", &Translation::cross},
        {"aten::einsum", &Translation::einsum},
        {"aten::cdist", &Translation::cdist},
        {"aten::arange", &Translation::arange},
        {"aten::size", &Translation::size},
        {"aten::ones_like", &Translation::ones_like},
        {"aten::zeros_like", &Translation::zeros_like},
        {"aten::zeros", &Translation::zeros},
        {"aten::ones", &Translation::ones},
        {"aten::empty_like", &Translation::zeros_like},
        {"aten::fill_", &Translation::fill},
        {"aten::diagonal", &Translation::diagonal},
        {"aten::linalg_cholesky", &Translation::cholesky},
        {"aten::linalg_solve_triangular", &Translation::solve_triangular},
        {"aten::to", &Translation::same},
    };
    static const std::map<std::string, std::string> elementwise = {
        {"aten::sigmoid", "Sigmoid"}, {"aten::relu", "Relu"},         {"aten::relu_", "Relu"},
        {"aten::sqrt", "Sqrt"},       {"aten::neg", "Neg"},           {"aten::abs", "Abs"},
        {"aten::exp", "Exp"},         {"aten::erf", "Erf"},           {"aten::reciprocal", "Reciprocal"},
        {"aten::mul", "Mul"},         {"aten::mul_", "Mul"},          {"aten::div", "Div"},
        {"aten::sub", "Sub"},         {"aten::add", "Add"},           {"aten::add_", "Add"},
        {"aten::mm", "MatMul"},       {"aten::matmul", "MatMul"},     {"aten::bmm", "MatMul"},
        {"aten::gt", "Greater"},      {"aten::ge", "GreaterOrEqual"}, {"aten::contiguous", "Identity"},
        {"aten::clone", "Identity"},  {"aten::detach", "Identity"},   {"aten::sub_", "Sub"},
    };
    const std::string kind = node_->kind().toQualString();
    if (const auto found = handlers.find(kind); found != handlers.end()) return (this->*found->second)();
    const auto found = elementwise.find(kind);
    if (found == elementwise.end()) {
      throw Error("ONNX does not support the operation " + kind +
                  ", which this network uses; export it as TorchScript");
    }
    plain(found->second);
  }

  // ---- arguments ----------------------------------------------------------------------------------------

  [[nodiscard]] Value* input(std::size_t i) const { return node_->inputs()[i]; }
  [[nodiscard]] std::optional<c10::IValue> known(Value* value) const {
    if (auto constant = torch::jit::toIValue(value)) return *constant;
    return std::nullopt;
  }
  [[nodiscard]] c10::IValue constant(std::size_t i) const {
    const auto value = known(input(i));
    if (!value)
      throw Error(std::string("ONNX export does not support an argument of ") + node_->kind().toQualString() +
                  " that changes");
    return *value;
  }
  [[nodiscard]] std::int64_t integer(std::size_t i) const { return constant(i).toInt(); }
  [[nodiscard]] bool flag(std::size_t i) const { return constant(i).toBool(); }
  [[nodiscard]] double number(std::size_t i) const { return constant(i).toScalar().toDouble(); }
  // A list of constant integers.
  [[nodiscard]] std::optional<Numbers> known_list(std::size_t i) const {
    if (const auto value = known(input(i))) {
      if (value->isNone()) return Numbers{};
      return value->toIntVector();
    }
    if (input(i)->node()->kind() != torch::jit::prim::ListConstruct) return std::nullopt;
    Numbers numbers;
    for (Value* const part : input(i)->node()->inputs()) {
      const auto value = known(part);
      if (!value) return std::nullopt;
      numbers.push_back(value->toInt());
    }
    return numbers;
  }
  [[nodiscard]] Numbers list(std::size_t i) const {
    const auto numbers = known_list(i);
    if (!numbers)
      throw Error(std::string("ONNX export does not support a list of ") + node_->kind().toQualString() +
                  " that changes");
    return *numbers;
  }
  // The same as a tensor of integers, constant or not.
  std::string list_tensor(std::size_t i) {
    if (const auto numbers = known_list(i)) return onnx.numbers(*numbers);
    Names parts;
    for (Value* const part : input(i)->node()->inputs()) parts.push_back(number_tensor(part));
    return onnx.node("Concat", parts, {{"axis", std::int64_t{0}}});
  }
  // An integer as a one-element tensor.
  std::string number_tensor(Value* value) {
    if (const auto number = known(value)) return onnx.numbers({number->toInt()});
    return name(value);
  }
  [[nodiscard]] static std::int64_t rank(Value* value) {
    if (const auto found = torch::jit::toIValue(value); found && found->isTensor())
      return found->toTensor().dim();
    const auto type = value->type()->cast<c10::TensorType>();
    if (!type || !type->dim())
      throw Error("ONNX export needs the number of dimensions of a tensor, but it was not traced");
    return static_cast<std::int64_t>(*type->dim());
  }
  // The sizes recorded while tracing; none for values that are not tensors.
  [[nodiscard]] static Numbers sizes_of(Value* value) {
    const auto type = value->type()->cast<c10::TensorType>();
    if (!type) return {};
    const auto sizes = type->sizes().concrete_sizes();
    return sizes ? *sizes : Numbers{};
  }
  [[nodiscard]] static bool is_empty(Value* value) {
    const Numbers sizes = sizes_of(value);
    return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  }
  // A dimension counted from the front; `more` if the result has one more dimension.
  [[nodiscard]] std::int64_t dimension(std::size_t i, std::int64_t more = 0) const {
    const std::int64_t d = integer(i);
    return d < 0 ? d + rank(input(0)) + more : d;
  }
  [[nodiscard]] Numbers from_front(Numbers dimensions) const {
    for (std::int64_t& d : dimensions) d = d < 0 ? d + rank(input(0)) : d;
    return dimensions;
  }

  // The name of a value: a tensor, or a number used as a tensor.
  std::string name(Value* value) {
    const auto found = names_.find(value);
    if (found != names_.end()) return found->second;
    const auto constant = known(value);
    if (!constant) throw Error("ONNX export lost a traced value");
    std::string made;
    if (constant->isTensor()) {
      made = onnx.constant(constant->toTensor());
    } else if (constant->isNone()) {
      return "";
    } else {
      made = onnx.constant(torch::tensor(constant->toScalar().toDouble(), torch::kFloat));
    }
    return names_[value] = made;
  }
  // An in-place operation, whose name ends in _, also changes its first input.
  void give(const std::string& made) {
    names_[node_->output()] = made;
    if (std::string_view(node_->kind().toUnqualString()).ends_with('_')) names_[input(0)] = made;
  }

  // ---- operations -----------------------------------------------------------------------------------------

  // Whether the node computes with integers.
  [[nodiscard]] bool counts() const { return node_->output()->type()->isSubtypeOf(*c10::IntType::get()); }
  [[nodiscard]] static bool is_long(Value* value) {
    const auto type = value->type()->cast<c10::TensorType>();
    return type && type->scalarType() && *type->scalarType() == torch::kLong;
  }

  void plain(const std::string& type) {
    const bool sum = type == "Add" || type == "Sub";
    const bool two = sum || type == "Mul" || type == "Div" || type == "MatMul" || type.starts_with("Greater");
    const auto operand = [&](std::size_t i) {
      if (counts()) return number_tensor(input(i));
      const auto value = known(input(i));
      // The other operand of an integer is an integer.
      if (value && !value->isTensor() && two && is_long(input(1 - i))) {
        return onnx.constant(torch::tensor(value->toScalar().toLong(), torch::kLong));
      }
      return name(input(i));
    };
    Names inputs{operand(0)};
    if (two) inputs.push_back(operand(1));
    if (sum && !counts() && node_->inputs().size() > 2 && number(2) != 1) {
      inputs[1] = onnx.node("Mul", {inputs[1], onnx.constant(torch::tensor(number(2), torch::kFloat))});
    }
    give(onnx.node(type, inputs));
  }
  void same() { names_[node_->output()] = name(input(0)); }
  void size() {
    give(onnx.node("Gather", {onnx.node("Shape", {name(input(0))}), onnx.numbers({dimension(1)})}));
  }

  void convolution() {
    const bool transposed = flag(6);
    Numbers pads = list(4);
    pads.insert(pads.end(), pads.begin(), pads.end());
    Names inputs{name(input(0)), name(input(1))};
    if (!constant(2).isNone()) inputs.push_back(name(input(2)));
    std::vector<OnnxAttribute> attributes = {
        {"strides", list(3)}, {"pads", pads}, {"dilations", list(5)}, {"group", integer(8)}};
    if (transposed) attributes.emplace_back("output_padding", list(7));
    give(onnx.node(transposed ? "ConvTranspose" : "Conv", inputs, attributes));
  }
  void linear() {
    const std::string weight = onnx.node("Transpose", {name(input(1))}, {{"perm", Numbers{1, 0}}});
    std::string y = onnx.node("MatMul", {name(input(0)), weight});
    if (!constant_is_none(2)) y = onnx.node("Add", {y, name(input(2))});
    give(y);
  }
  [[nodiscard]] bool constant_is_none(std::size_t i) const {
    const auto value = known(input(i));
    return value && value->isNone();
  }
  void addmm() {
    give(onnx.node("Gemm", {name(input(1)), name(input(2)), name(input(0))},
                   {{"beta", number(3)}, {"alpha", number(4)}}));
  }
  void gelu() {
    const auto scalar = [&](double value) { return onnx.constant(torch::tensor(value, torch::kFloat)); };
    const std::string x = name(input(0));
    const std::string erf = onnx.node("Erf", {onnx.node("Mul", {x, scalar(std::sqrt(0.5))})});
    give(onnx.node("Mul", {onnx.node("Mul", {x, scalar(0.5)}), onnx.node("Add", {erf, scalar(1)})}));
  }
  void group_norm() {
    const std::int64_t groups = integer(1);
    const std::string x = name(input(0)), shape = onnx.node("Shape", {x});
    const std::string grouped = onnx.node("Reshape", {x, onnx.numbers({0, groups, -1})});
    const std::string normal =
        onnx.node("InstanceNormalization",
                  {grouped, onnx.constant(torch::ones({groups})), onnx.constant(torch::zeros({groups}))},
                  {{"epsilon", number(4)}});
    std::string y = onnx.node("Reshape", {normal, shape});
    Numbers column(static_cast<std::size_t>(rank(input(0)) - 1), 1);
    column[0] = -1;
    const auto spread = [&](std::size_t i) { return onnx.constant(constant(i).toTensor().view(column)); };
    if (!constant_is_none(2)) y = onnx.node("Mul", {y, spread(2)});
    if (!constant_is_none(3)) y = onnx.node("Add", {y, spread(3)});
    give(y);
  }
  Names list_of_tensors(std::size_t i) {
    if (input(i)->node()->kind() != torch::jit::prim::ListConstruct)
      throw Error("ONNX export does not support lists of tensors that change");
    Names parts;
    for (Value* const part : input(i)->node()->inputs()) {
      if (!is_empty(part)) parts.push_back(name(part));
    }
    return parts;
  }
  void cat() { give(onnx.node("Concat", list_of_tensors(0), {{"axis", integer(1)}})); }
  void stack() {
    Names parts = list_of_tensors(0);
    for (std::string& part : parts) part = onnx.node("Unsqueeze", {part, onnx.numbers({integer(1)})});
    give(onnx.node("Concat", parts, {{"axis", integer(1)}}));
  }
  void narrow() {
    const std::string start = number_tensor(input(2));
    const std::string end = onnx.node("Add", {start, number_tensor(input(3))});
    give(onnx.node("Slice", {name(input(0)), start, end, onnx.numbers({integer(1)})}));
  }
  void slice() {
    const auto bound = [&](std::size_t i, std::int64_t standard) {
      return constant_is_none(i) ? onnx.numbers({standard}) : number_tensor(input(i));
    };
    constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
    give(onnx.node("Slice", {name(input(0)), bound(2, 0), bound(3, kEnd), onnx.numbers({integer(1)}),
                             onnx.numbers({integer(4)})}));
  }
  void select() {
    const std::int64_t axis = dimension(1);
    std::int64_t place = integer(2);
    if (place < 0 && axis > 0) place += sizes_of(input(0)).at(static_cast<std::size_t>(axis));
    give(onnx.node("Gather", {name(input(0)), onnx.constant(torch::tensor(place, torch::kLong))},
                   {{"axis", axis}}));
  }
  void reshape() { give(onnx.node("Reshape", {name(input(0)), list_tensor(1)})); }
  // The shape with the dimensions [first, last) replaced.
  std::string reshaped(std::int64_t first, std::int64_t last, const std::string& middle) {
    const std::string shape = onnx.node("Shape", {name(input(0))});
    const auto part = [&](std::int64_t from, std::int64_t to) {
      return onnx.node("Slice", {shape, onnx.numbers({from}), onnx.numbers({to})});
    };
    Names parts;
    if (first > 0) parts.push_back(part(0, first));
    parts.push_back(middle);
    if (last < rank(input(0))) parts.push_back(part(last, rank(input(0))));
    return onnx.node("Reshape", {name(input(0)), onnx.node("Concat", parts, {{"axis", std::int64_t{0}}})});
  }
  void flatten() { give(reshaped(dimension(1), dimension(2) + 1, onnx.numbers({-1}))); }
  void unflatten() { give(reshaped(dimension(1), dimension(1) + 1, list_tensor(2))); }
  void permute() { give(onnx.node("Transpose", {name(input(0))}, {{"perm", from_front(list(1))}})); }
  void transpose() {
    Numbers order(static_cast<std::size_t>(rank(input(0))));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    std::swap(order[static_cast<std::size_t>(dimension(1))], order[static_cast<std::size_t>(dimension(2))]);
    give(onnx.node("Transpose", {name(input(0))}, {{"perm", order}}));
  }
  void turn() { give(onnx.node("Transpose", {name(input(0))}, {{"perm", Numbers{1, 0}}})); }
  void unsqueeze() { give(onnx.node("Unsqueeze", {name(input(0)), onnx.numbers({dimension(1, 1)})})); }
  void squeeze() { give(onnx.node("Squeeze", {name(input(0)), onnx.numbers({dimension(1)})})); }
  void index_select() { give(onnx.node("Gather", {name(input(0)), name(input(2))}, {{"axis", integer(1)}})); }
  void index_copy() {
    if (rank(input(0)) != 1) throw Error("ONNX export only supports copies to constant indices");
    give(onnx.node("ScatterElements", {name(input(0)), name(input(2)), name(input(3))},
                   {{"axis", std::int64_t{0}}}));
  }
  void pad() {
    const Numbers given = list(1);
    const auto n = static_cast<std::size_t>(rank(input(0)));
    Numbers pads(2 * n, 0);
    for (std::size_t i = 0; 2 * i < given.size(); ++i) {
      pads[n - 1 - i] = given[2 * i];
      pads[2 * n - 1 - i] = given[2 * i + 1];
    }
    give(onnx.node("Pad", {name(input(0)), onnx.numbers(pads), name(input(2))}));
  }
  void reduced(const std::string& type, const Numbers& dimensions, bool keeps) {
    give(onnx.node(type, {name(input(0))},
                   {{"axes", from_front(dimensions)}, {"keepdims", std::int64_t{keeps}}}));
  }
  void mean() { reduced("ReduceMean", list(1), flag(2)); }
  void amax() { reduced("ReduceMax", list(1), flag(2)); }
  void norm() { check_euclidean(1), reduced("ReduceL2", list(2), flag(3)); }
  void vector_norm() { check_euclidean(1), reduced("ReduceL2", list(2), flag(3)); }
  void check_euclidean(std::size_t i) const {
    if (number(i) != 2) throw Error("ONNX export only supports the Euclidean norm");
  }
  void sum() {
    give(onnx.node("ReduceSum", {name(input(0)), onnx.numbers(from_front(list(1)))},
                   {{"keepdims", std::int64_t{flag(2)}}}));
  }
  void where() { give(onnx.node("Where", {name(input(0)), name(input(1)), name(input(2))})); }
  void leaky_relu() { give(onnx.node("LeakyRelu", {name(input(0))}, {{"alpha", number(1)}})); }
  void square() { give(onnx.node("Mul", {name(input(0)), name(input(0))})); }
  void power() { give(onnx.node("Pow", {name(input(0)), name(input(1))})); }
  void reversed_difference() { give(onnx.node("Sub", {name(input(1)), name(input(0))})); }
  void expand() {
    if (auto sizes = known_list(1)) {
      for (std::int64_t& size : *sizes) size = size < 0 ? 1 : size;
      return give(onnx.node("Expand", {name(input(0)), onnx.numbers(*sizes)}));
    }
    give(onnx.node("Expand", {name(input(0)), list_tensor(1)}));
  }
  void expand_as() { give(onnx.node("Expand", {name(input(0)), onnx.node("Shape", {name(input(1))})})); }
  void clamp_min() {
    if (is_long(input(0))) {
      return give(onnx.node("Max", {name(input(0)), onnx.constant(torch::tensor(integer(1), torch::kLong))}));
    }
    give(onnx.node("Max", {name(input(0)), name(input(1))}));
  }
  // The cross product along the last dimension, a x b = (a2 b3 - a3 b2, ...), by cyclic shifts of the
  // components.
  void cross() {
    const std::int64_t last = rank(input(0)) - 1;
    if (dimension(2) != last)
      throw Error("ONNX export only supports cross products along the last dimension");
    const auto turned = [&](std::size_t i, const Numbers& order) {
      return onnx.node("Gather", {name(input(i)), onnx.numbers(order)}, {{"axis", last}});
    };
    const Numbers next = {1, 2, 0}, after = {2, 0, 1};
    give(onnx.node("Sub", {onnx.node("Mul", {turned(0, next), turned(1, after)}),
                           onnx.node("Mul", {turned(0, after), turned(1, next)})}));
  }
  void einsum() { give(onnx.node("Einsum", list_of_tensors(1), {{"equation", constant(0).toStringRef()}})); }
  void cdist() {
    check_euclidean(2);
    const std::int64_t n = rank(input(0));
    const std::string a = onnx.node("Unsqueeze", {name(input(0)), onnx.numbers({n - 1})});
    const std::string b = onnx.node("Unsqueeze", {name(input(1)), onnx.numbers({n - 2})});
    give(onnx.node("ReduceL2", {onnx.node("Sub", {a, b})},
                   {{"axes", Numbers{n}}, {"keepdims", std::int64_t{0}}}));
  }
  void arange() {
    const auto scalar = [&](std::int64_t value) { return onnx.constant(torch::tensor(value, torch::kLong)); };
    const std::string end = onnx.node("Squeeze", {number_tensor(input(0)), onnx.numbers({0})});
    give(onnx.node("Range", {scalar(0), end, scalar(1)}));
  }
  void filled(const std::string& shape, float value) {
    const std::string one = onnx.node("Expand", {onnx.constant(torch::full({1}, value)), shape});
    give(one);
  }
  void ones_like() { filled(onnx.node("Shape", {name(input(0))}), 1); }
  void zeros_like() { filled(onnx.node("Shape", {name(input(0))}), 0); }
  void fill() { filled(onnx.node("Shape", {name(input(0))}), static_cast<float>(number(1))); }
  // For square matrices in the last two dimensions.
  void diagonal() {
    const Numbers sizes = sizes_of(input(0));
    const std::int64_t n = rank(input(0));
    if (integer(1) != 0 || dimension(2) != n - 2 || dimension(3) != n - 1 || sizes.size() < 2 ||
        sizes[sizes.size() - 2] != sizes.back()) {
      throw Error("ONNX export only supports the main diagonal of square matrices");
    }
    const std::string one = onnx.constant(torch::eye(sizes.back()));
    give(onnx.node("ReduceSum", {onnx.node("Mul", {name(input(0)), one}), onnx.numbers({n - 1})},
                   {{"keepdims", std::int64_t{0}}}));
  }
  // Rows and columns [begin, end) of the matrices in the last two dimensions.
  std::string block(const std::string& x, std::int64_t rank, const std::array<std::int64_t, 2>& begin,
                    const std::array<std::int64_t, 2>& end) {
    return onnx.node("Slice", {x, onnx.numbers({begin[0], begin[1]}), onnx.numbers({end[0], end[1]}),
                               onnx.numbers({rank - 2, rank - 1})});
  }
  // The size of the square matrices, which is small: loops over it are unrolled.
  [[nodiscard]] std::int64_t matrix_size(std::size_t i) const {
    const Numbers sizes = sizes_of(input(i));
    if (sizes.size() < 2 || sizes.back() != sizes[sizes.size() - 2] || sizes.back() > 32) {
      throw Error(std::string("ONNX export only supports ") + node_->kind().toQualString() +
                  " for square matrices of at most 32 rows");
    }
    return sizes.back();
  }
  // A = L L^T, column by column: column j of A - sum_k l_k l_k^T over the previous columns k is column j of L
  // times L_jj.
  void cholesky() {
    const std::int64_t n = matrix_size(0), dims = rank(input(0));
    if (flag(1)) throw Error("ONNX export only supports lower Cholesky factors");
    std::string left = name(input(0));
    Names columns;
    Numbers turned(static_cast<std::size_t>(dims));
    std::iota(turned.begin(), turned.end(), 0);
    std::swap(turned.back(), turned[turned.size() - 2]);
    for (std::int64_t j = 0; j < n; ++j) {
      const std::string root = onnx.node("Sqrt", {block(left, dims, {j, j}, {j + 1, j + 1})});
      const std::string below = onnx.constant((torch::arange(n) >= j).to(torch::kFloat).unsqueeze(1));
      const std::string column = onnx.node("Div", {block(left, dims, {0, j}, {n, j + 1}), root});
      columns.push_back(onnx.node("Mul", {column, below}));
      const std::string row = onnx.node("Transpose", {columns.back()}, {{"perm", turned}});
      if (j + 1 < n) left = onnx.node("Sub", {left, onnx.node("Mul", {columns.back(), row})});
    }
    give(onnx.node("Concat", columns, {{"axis", dims - 1}}));
  }
  // X with X L = B, from the last column: column j of B - sum_k x_k L_k over the later columns k is column j
  // of X times L_jj.
  void solve_triangular() {
    const std::int64_t n = matrix_size(0), dims = rank(input(0));
    if (flag(2) || flag(3) || flag(4)) {
      throw Error("ONNX export only supports lower triangular matrices on the right");
    }
    const std::string factor = name(input(0));
    std::string left = name(input(1));
    const std::int64_t rows = sizes_of(input(1)).at(static_cast<std::size_t>(dims) - 2);
    Names columns(static_cast<std::size_t>(n));
    for (std::int64_t j = n - 1; j >= 0; --j) {
      std::string& column = columns[static_cast<std::size_t>(j)];
      column = onnx.node(
          "Div", {block(left, dims, {0, j}, {rows, j + 1}), block(factor, dims, {j, j}, {j + 1, j + 1})});
      if (j == 0) break;
      const std::string row = block(factor, dims, {j, 0}, {j + 1, n});
      left = onnx.node("Sub", {left, onnx.node("Mul", {column, row})});
    }
    give(onnx.node("Concat", columns, {{"axis", dims - 1}}));
  }
  void ones() { filled(list_tensor(0), 1); }
  void zeros() { filled(list_tensor(0), 0); }

  torch::jit::Graph& graph_;
  Node* node_ = nullptr;
  std::map<const Value*, std::string> names_;
};

// Sets the type of every tensor of the graph by running it on the inputs, because freeze_module() erases the
// recorded types.
void find_types(const std::shared_ptr<torch::jit::Graph>& graph, torch::jit::Stack inputs) {
  std::vector<Value*> tensors;
  for (Node* const node : graph->nodes()) {
    for (Value* const value : node->outputs()) {
      if (value->type()->isSubtypeOf(*c10::TensorType::get())) tensors.push_back(value);
    }
  }
  graph->inputs()[1]->inferTypeFrom(inputs[1].toTensor());
  const std::size_t own = graph->outputs().size();
  for (Value* const value : tensors) graph->registerOutput(value);
  torch::jit::InterpreterState(torch::jit::Code(graph, "types")).run(inputs);
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i]->inferTypeFrom(inputs[own + i].toTensor());
  while (graph->outputs().size() > own) graph->eraseOutput(graph->outputs().size() - 1);
}

}  // namespace

std::string to_onnx(const torch::jit::Module& module, const Tensor& example) {
  const torch::NoGradGuard no_grad;
  const torch::jit::Module frozen = torch::jit::freeze_module(module);
  auto graph = frozen.get_method("forward").graph();
  torch::jit::ConstantPropagation(graph);
  torch::jit::EliminateDeadCode(graph);
  const torch::jit::GraphOptimizerEnabledGuard as_it_is(false);
  torch::jit::Module runnable = module;
  const Tensor y = runnable.forward({example}).toTensor();
  find_types(graph, {frozen._ivalue(), torch::cat({example, example})});
  Translation translation(*graph, graph->inputs()[1]);
  const std::string output = translation.run();
  return translation.onnx.model(output, example.sizes(), y.sizes());
}

}  // namespace gcan::deploy
