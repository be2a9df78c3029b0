#pragma once

// Writes ONNX models, as far as we need them; field numbers are from onnx.proto.

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gcan/files/protobuf.h"
#include "gcan/torch.h"

namespace gcan::deploy {

// An attribute of a node.
class OnnxAttribute {
 public:
  OnnxAttribute(const std::string& name, std::int64_t value);
  OnnxAttribute(const std::string& name, double value);
  OnnxAttribute(const std::string& name, const std::string& value);
  OnnxAttribute(const std::string& name, const std::vector<std::int64_t>& values);
  [[nodiscard]] const files::ProtobufMessage& message() const { return message_; }

 private:
  files::ProtobufMessage message_;
};

// A graph built node by node; values are identified by name.
//
//   OnnxGraph graph;
//   const std::string y = graph.node("MatMul", {"x", graph.constant(weight)});
class OnnxGraph {
 public:
  using Names = std::vector<std::string>;

  // Adds a node with one output and returns the output's name.
  std::string node(const std::string& type, const Names& inputs,
                   const std::vector<OnnxAttribute>& attributes = {});
  // Adds a node with several outputs.
  Names nodes(const std::string& type, const Names& inputs, std::size_t outputs,
              const std::vector<OnnxAttribute>& attributes = {});
  // A tensor of float, double, int64 or bool.
  std::string constant(const torch::Tensor& tensor);
  // A list of integers.
  std::string numbers(const std::vector<std::int64_t>& values);

  // The whole model; the first dimension of input and output is called "samples".
  [[nodiscard]] std::string model(const std::string& output, torch::IntArrayRef input_sizes,
                                  torch::IntArrayRef output_sizes) const;

 private:
  std::string name();

  files::ProtobufMessage nodes_, initializers_;
  std::int64_t names_ = 0;
};

}  // namespace gcan::deploy
