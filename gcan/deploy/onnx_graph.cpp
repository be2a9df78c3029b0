#include "gcan/deploy/onnx_graph.h"

#include "gcan/base/error.h"
#include "gcan/version.h"

namespace gcan::deploy {
namespace {

using files::ProtobufMessage;

constexpr std::int64_t kFormat = 7, kOperators = 13;  // ONNX 1.8, which all recent runtimes read

// The number of a type in TensorProto.
std::int64_t type_of(torch::ScalarType type) {
  switch (type) {
    case torch::kFloat: return 1;
    case torch::kLong: return 7;
    case torch::kBool: return 9;
    case torch::kDouble: return 11;
    default: throw Error(std::string("ONNX export does not support tensors of ") + torch::toString(type));
  }
}

ProtobufMessage value_info(const std::string& name, torch::IntArrayRef sizes) {
  ProtobufMessage shape;
  shape.message(1, ProtobufMessage().text(2, "samples"));
  for (const std::int64_t size : sizes.slice(1)) shape.message(1, ProtobufMessage().integer(1, size));
  const ProtobufMessage tensor = ProtobufMessage().integer(1, type_of(torch::kFloat)).message(2, shape);
  return ProtobufMessage().text(1, name).message(2, ProtobufMessage().message(1, tensor));
}

}  // namespace

OnnxAttribute::OnnxAttribute(const std::string& name, std::int64_t value) {
  message_.text(1, name).integer(3, value).integer(20, 2);
}
OnnxAttribute::OnnxAttribute(const std::string& name, double value) {
  message_.text(1, name).single(2, static_cast<float>(value)).integer(20, 1);
}
OnnxAttribute::OnnxAttribute(const std::string& name, const std::string& value) {
  message_.text(1, name).text(4, value).integer(20, 3);
}
OnnxAttribute::OnnxAttribute(const std::string& name, const std::vector<std::int64_t>& values) {
  message_.text(1, name);
  for (const std::int64_t value : values) message_.integer(8, value);
  message_.integer(20, 7);
}

std::string OnnxGraph::name() { return "v" + std::to_string(names_++); }

std::string OnnxGraph::node(const std::string& type, const Names& inputs,
                            const std::vector<OnnxAttribute>& attributes) {
  return nodes(type, inputs, 1, attributes)[0];
}

OnnxGraph::Names OnnxGraph::nodes(const std::string& type, const Names& inputs, std::size_t outputs,
                                  const std::vector<OnnxAttribute>& attributes) {
  ProtobufMessage node;
  for (const std::string& input : inputs) node.text(1, input);
  Names made;
  for (std::size_t i = 0; i < outputs; ++i) node.text(2, made.emplace_back(name()));
  node.text(3, made[0]).text(4, type);  // onnxruntime rejects nodes without unique names
  for (const OnnxAttribute& attribute : attributes) node.message(5, attribute.message());
  nodes_.message(1, node);
  return made;
}

std::string OnnxGraph::constant(const torch::Tensor& tensor) {
  const torch::Tensor whole = tensor.detach().cpu().contiguous();
  ProtobufMessage proto;
  for (const std::int64_t size : whole.sizes()) proto.integer(1, size);
  std::string own = name();
  proto.integer(2, type_of(whole.scalar_type())).text(8, own);
  const auto* const bytes = static_cast<const char*>(whole.data_ptr());
  proto.text(
      9, {bytes, static_cast<std::size_t>(whole.numel()) * static_cast<std::size_t>(whole.element_size())});
  initializers_.message(5, proto);
  return own;
}

std::string OnnxGraph::numbers(const std::vector<std::int64_t>& values) {
  return constant(torch::tensor(values, torch::kLong));
}

std::string OnnxGraph::model(const std::string& output, torch::IntArrayRef input_sizes,
                             torch::IntArrayRef output_sizes) const {
  ProtobufMessage last;
  last.text(1, output).text(2, "y").text(3, "y").text(4, "Identity");
  const std::string graph = nodes_.bytes() + ProtobufMessage().message(1, last).text(2, "gcan").bytes() +
                            initializers_.bytes() +
                            ProtobufMessage()
                                .message(11, value_info("x", input_sizes))
                                .message(12, value_info("y", output_sizes))
                                .bytes();
  ProtobufMessage model;
  model.integer(1, kFormat).text(2, "gcan").text(3, version()).text(7, graph);
  model.message(8, ProtobufMessage().text(1, "").integer(2, kOperators));
  return model.bytes();
}

}  // namespace gcan::deploy
