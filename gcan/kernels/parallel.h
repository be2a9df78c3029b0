#pragma once

#include <cstddef>
#include <functional>

namespace gcan::kernels {

// How a kernel divides its work. It starts no threads; the caller provides them.
struct Parallel {
  std::size_t threads = 1;
  // Calls body(part) once for each part in [0, parts), on any thread, and returns when all are done.
  std::function<void(std::size_t parts, const std::function<void(std::size_t part)>& body)> run =
      [](std::size_t parts, const std::function<void(std::size_t)>& body) {
        for (std::size_t part = 0; part < parts; ++part) body(part);
      };
};

}  // namespace gcan::kernels
