#pragma once

// Writes messages in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), for the
// few fields of ONNX models and TensorBoard events that we need. No package of Debian 12 has both formats,
// and the library with its compiler would be a larger dependency than this file.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace gcan::files {

// A message: the bytes of its fields in the order of adding. `field` is the number in the .proto file.
//
//   ProtobufMessage event;
//   event.number(1, wall_time).integer(2, step);
//   event.message(5, summary);
class ProtobufMessage {
 public:
  // int32, int64, bool and enum.
  ProtobufMessage& integer(int field, std::int64_t value) {
    key(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  // double
  ProtobufMessage& number(int field, double value) {
    key(field, 1);
    fixed(std::bit_cast<std::uint64_t>(value), 8);
    return *this;
  }
  // float
  ProtobufMessage& single(int field, float value) {
    key(field, 5);
    fixed(std::bit_cast<std::uint32_t>(value), 4);
    return *this;
  }
  // string and bytes
  ProtobufMessage& text(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtobufMessage& message(int field, const ProtobufMessage& value) { return text(field, value.bytes()); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void key(int field, int wire_type) {
    varint(static_cast<std::uint64_t>(field) << 3 | static_cast<unsigned>(wire_type));
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void fixed(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i, value >>= 8) bytes_ += static_cast<char>(value & 0xff);
  }

  std::string bytes_;
};

}  // namespace gcan::files
