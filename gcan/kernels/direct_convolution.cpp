#include "gcan/kernels/direct_convolution.h"

// The size of channel blocks is a compile-time constant.
#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/direct_convolution.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "gcan/kernels/block_product-inl.h"
#include "gcan/kernels/channel_blocks-inl.h"
#include "gcan/kernels/workspace.h"

#ifndef GCAN_KERNELS_DIRECT_CONVOLUTION_ONCE
#define GCAN_KERNELS_DIRECT_CONVOLUTION_ONCE

namespace gcan::kernels {

// The input position that a kernel position multiplies, along one dimension.
struct Tap {
  std::ptrdiff_t offset;
  std::size_t index;  // of the kernel
};

// One dimension of y(out_step q + phase) = sum over the phase's taps of k(index) x(in_step q + offset). A
// convolution has one phase, and in_step is its stride; a transposed one has `stride` phases.
struct Axis {
  std::size_t in_step, out_step;
  std::vector<std::vector<Tap>> phases;
  std::ptrdiff_t first = 0, last = 0;  // the smallest and largest offsets

  static Axis forward(std::size_t kernel, std::size_t stride, std::size_t padding) {
    Axis axis{stride, 1, std::vector<std::vector<Tap>>(1)};
    for (std::size_t t = 0; t < kernel; ++t) {
      axis.add(0, {static_cast<std::ptrdiff_t>(t) - static_cast<std::ptrdiff_t>(padding), t});
    }
    return axis;
  }
  static Axis transposed(std::size_t kernel, std::size_t stride, std::size_t padding) {
    Axis axis{1, stride, std::vector<std::vector<Tap>>(stride)};
    const auto step = static_cast<std::ptrdiff_t>(stride);
    for (std::ptrdiff_t phase = 0; phase < step; ++phase) {
      for (std::size_t t = 0; t < kernel; ++t) {
        const std::ptrdiff_t at =
            phase + static_cast<std::ptrdiff_t>(padding) - static_cast<std::ptrdiff_t>(t);
        if (at % step == 0) axis.add(static_cast<std::size_t>(phase), {at / step, t});
      }
    }
    return axis;
  }

 private:
  void add(std::size_t phase, Tap tap) {
    phases[phase].push_back(tap);
    first = std::min(first, tap.offset);
    last = std::max(last, tap.offset);
  }
};

// The layout of a kernel in memory: rows are output channels, columns input channels.
struct KernelOrder {
  const float* data;
  std::size_t rows, columns, positions;
  std::size_t row_stride, column_stride;
};

}  // namespace gcan::kernels

#endif

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// The number of points of a row per step, whose inputs fit the L1 cache.
constexpr std::size_t kMostColumns = 48;
// The number of terms of a kernel's gradient per sum in registers.
constexpr std::size_t kLeastTerms = 64;

// A kernel as (panel, position, column, block of the panel, lane).
class PackedKernel {
 public:
  PackedKernel(const KernelOrder& kernel, float* to)
      : kernel_(kernel), data_(to), blocks_(blocks_of(kernel.rows)), panel_(panel_of(blocks_)) {}
  static std::size_t size(const KernelOrder& kernel) {
    return blocks_of(kernel.rows) * kLanes * kernel.columns * kernel.positions;
  }

  [[nodiscard]] std::size_t panels() const { return (blocks_ + panel_ - 1) / panel_; }
  [[nodiscard]] std::size_t first_block(std::size_t panel) const { return panel * panel_; }
  [[nodiscard]] std::size_t width(std::size_t panel) const {
    return std::min(panel_, blocks_ - panel * panel_);
  }
  [[nodiscard]] const float* operator[](std::size_t panel) const { return data_ + offset(panel); }
  // The offset of a position and column from the start of the panel.
  [[nodiscard]] std::size_t at(std::size_t panel, std::size_t position, std::size_t column) const {
    return (position * kernel_.columns + column) * width(panel) * kLanes;
  }

  void fill(std::size_t panel) const {
    for (std::size_t b = 0; b < width(panel); ++b) {
      const std::size_t row = (first_block(panel) + b) * kLanes;
      const std::size_t lanes = std::min(kLanes, kernel_.rows - row);
      for (std::size_t c = 0; c < kernel_.columns; ++c) {
        const float* from = kernel_.data + row * kernel_.row_stride + c * kernel_.column_stride;
        for (std::size_t p = 0; p < kernel_.positions; ++p) {
          float* to = data_ + offset(panel) + at(panel, p, c) + b * kLanes;
          for (std::size_t l = 0; l < kLanes; ++l)
            to[l] = l < lanes ? from[l * kernel_.row_stride + p] : 0.0F;
        }
      }
    }
  }

 private:
  [[nodiscard]] std::size_t offset(std::size_t panel) const {
    return panel * panel_ * kLanes * kernel_.columns * kernel_.positions;
  }
  KernelOrder kernel_;
  float* data_;
  std::size_t blocks_, panel_;
};

// Rows of an image, (block, row, point, lane).
struct Strip {
  std::size_t blocks, rows, columns;
  float* data;
  [[nodiscard]] std::size_t block() const { return rows * columns * kLanes; }
  [[nodiscard]] std::size_t size() const { return blocks * block(); }

  // The points of one sample from (y, x) on.
  void read(const float* sample, std::size_t channels, const Surroundings& image, std::ptrdiff_t y,
            std::ptrdiff_t x) const {
    for (std::size_t b = 0; b < blocks; ++b) {
      const BlockPlanes planes(sample, channels, b * kLanes, image.height * image.width);
      for (std::size_t r = 0; r < rows; ++r) {
        read_row(image, planes, y + static_cast<std::ptrdiff_t>(r), x, columns,
                 data + b * block() + r * columns * kLanes);
      }
    }
  }
};

std::size_t up_to_four(std::size_t n) { return (n + 3) / 4 * 4; }

// Calls `work` with the step of a product as a compile-time constant, or with 0 for unsupported steps.
template <class Work>
HWY_INLINE void with_step(std::size_t step, const Work& work) {
  if (step == 1) {
    work(std::integral_constant<std::size_t, 1>());
  } else {
    work(std::integral_constant<std::size_t, 2>());
  }
}

// A convolution along both axes from `source` to `target`.
struct Gather {
  const float* source;
  std::size_t channels;
  Surroundings image;
  std::size_t samples;
  std::array<Axis, 2> axes;
  KernelOrder kernel;
  Target target;
  std::size_t kernel_width;

  [[nodiscard]] std::size_t rows() const { return (target.height + axes[0].out_step - 1) / axes[0].out_step; }
  [[nodiscard]] std::size_t columns() const {
    return (target.width + axes[1].out_step - 1) / axes[1].out_step;
  }

  void run(const Parallel& parallel) const {
    static thread_local Workspace kernel_memory;
    const PackedKernel packed(kernel, kernel_memory.get(PackedKernel::size(kernel)));
    parallel.run(packed.panels(), [&](std::size_t p) { packed.fill(p); });
    const std::size_t pieces = (columns() + kMostColumns - 1) / kMostColumns;
    const std::size_t units = samples * rows() * pieces;
    const std::size_t parts = std::min(units, 4 * parallel.threads);
    parallel.run(parts, [&](std::size_t part) {
      for (std::size_t u = units * part / parts; u < units * (part + 1) / parts; ++u) {
        row(packed, u / pieces / rows(), u / pieces % rows(), u % pieces * kMostColumns);
      }
    });
  }

  // The points (row, column ...) of all phases of one sample.
  void row(const PackedKernel& packed, std::size_t sample, std::size_t row, std::size_t column) const {
    static thread_local Workspace memory;
    const std::size_t count = std::min(kMostColumns, columns() - column), computed = up_to_four(count);
    const auto extent = [&](const Axis& axis, std::size_t points) {
      return axis.in_step * (points - 1) + static_cast<std::size_t>(axis.last - axis.first) + 1;
    };
    Strip strip{blocks_of(channels), extent(axes[0], 1), extent(axes[1], computed), nullptr};
    const std::size_t out_width = computed * axes[1].out_step, out_block = out_width * kLanes;
    strip.data = memory.get(strip.size() + 3 * out_block);
    float* out = strip.data + strip.size();
    strip.read(source + sample * channels * image.height * image.width, channels, image,
               static_cast<std::ptrdiff_t>(row * axes[0].in_step) + axes[0].first,
               static_cast<std::ptrdiff_t>(column * axes[1].in_step) + axes[1].first);
    for (std::size_t p = 0; p < packed.panels(); ++p) {
      for (std::size_t y = 0; y < axes[0].out_step && row * axes[0].out_step + y < target.height; ++y) {
        for (std::size_t x = 0; x < axes[1].out_step; ++x) {
          const auto terms = stretches(packed, p, strip, y, x);
          with_step(axes[1].in_step, [&](auto step) {
            product<step>(packed.width(p), computed, {terms.data(), terms.size()}, strip.data, packed[p],
                          out + x * kLanes, out_block, axes[1].out_step * kLanes);
          });
        }
        const std::size_t first = column * axes[1].out_step;
        for (std::size_t b = 0; b < packed.width(p); ++b) {
          write_row(target, sample, packed.first_block(p) + b, row * axes[0].out_step + y, first,
                    std::min(count * axes[1].out_step, target.width - first), out + b * out_block);
        }
      }
    }
  }

  [[nodiscard]] std::vector<Stretch> stretches(const PackedKernel& packed, std::size_t panel,
                                               const Strip& strip, std::size_t y, std::size_t x) const {
    std::vector<Stretch> result;
    for (const Tap& ty : axes[0].phases[y]) {
      for (const Tap& tx : axes[1].phases[x]) {
        const std::size_t position = ty.index * kernel_width + tx.index;
        const auto point = static_cast<std::size_t>(ty.offset - axes[0].first) * strip.columns +
                           static_cast<std::size_t>(tx.offset - axes[1].first);
        for (std::size_t b = 0; b < strip.blocks; ++b) {
          result.push_back({static_cast<std::ptrdiff_t>(b * strip.block() + point * kLanes),
                            static_cast<std::ptrdiff_t>(packed.at(panel, position, b * kLanes)),
                            std::min(kLanes, channels - b * kLanes)});
        }
      }
    }
    return result;
  }
};

void RunDirectForward(const DirectShape& s, const float* x, const float* kernel, const float* bias,
                      const float* add,
                      float* y,  // NOLINT(readability-non-const-parameter): the output
                      const Parallel& parallel) {
  const std::size_t positions = s.kernel[0] * s.kernel[1];
  const Gather gather{x,
                      s.in,
                      {s.size[0], s.size[1], s.circular},
                      s.samples,
                      {Axis::forward(s.kernel[0], s.stride[0], s.padding[0]),
                       Axis::forward(s.kernel[1], s.stride[1], s.padding[1])},
                      {kernel, s.out, s.in, positions, s.in * positions, positions},
                      {y, s.out, s.out_size[0], s.out_size[1], bias, add},
                      s.kernel[1]};
  gather.run(parallel);
}

void RunDirectInputGradient(const DirectShape& s, const float* dy, const float* kernel, const float* bias,
                            float* dx,  // NOLINT(readability-non-const-parameter): the output
                            const Parallel& parallel) {
  const std::size_t positions = s.kernel[0] * s.kernel[1];
  const Gather gather{dy,
                      s.out,
                      {s.out_size[0], s.out_size[1], s.circular},
                      s.samples,
                      {Axis::transposed(s.kernel[0], s.stride[0], s.padding[0]),
                       Axis::transposed(s.kernel[1], s.stride[1], s.padding[1])},
                      {kernel, s.in, s.out, positions, positions, s.in * positions},
                      {dx, s.in, s.size[0], s.size[1], bias, nullptr},
                      s.kernel[1]};
  gather.run(parallel);
}

// Sums of dy x over points for all positions of the kernel, (position, row, column of the kernel).
class KernelSums {
 public:
  KernelSums(const DirectShape& shape, const float* x, const float* dy)
      : s_(shape),
        x_(x),
        dy_(dy),
        axes_{Axis::forward(s_.kernel[0], s_.stride[0], s_.padding[0]),
              Axis::forward(s_.kernel[1], s_.stride[1], s_.padding[1])},
        in_blocks_(blocks_of(s_.in)),
        out_blocks_(blocks_of(s_.out)),
        pieces_((s_.out_size[1] + kMostColumns - 1) / kMostColumns),
        width_((s_.out_size[1] + pieces_ - 1) / pieces_) {}

  [[nodiscard]] std::size_t row() const { return in_blocks_ * kLanes; }
  [[nodiscard]] std::size_t position() const { return out_blocks_ * kLanes * row(); }
  [[nodiscard]] std::size_t size() const { return s_.kernel[0] * s_.kernel[1] * position(); }
  // Pieces of rows of the output.
  [[nodiscard]] std::size_t units() const { return s_.samples * s_.out_size[0] * pieces_; }

  // Units [begin, end); overwrites the sums.
  void find(std::size_t begin, std::size_t end, float* sums) const {
    const std::size_t group = std::max<std::size_t>(1, kLeastTerms / width_);
    for (std::size_t u = begin; u < end; u += group) add(u, std::min(end, u + group), u != begin, sums);
  }

 private:
  void add(std::size_t begin, std::size_t end, bool to_earlier, float* sums) const {
    static thread_local Workspace memory;
    const auto reach = [&](std::size_t i, std::size_t points) {
      return s_.stride[i] * (points - 1) + s_.kernel[i];
    };
    Strip in{in_blocks_, reach(0, 1), reach(1, width_), nullptr};
    Strip out{out_blocks_, 1, width_, nullptr};
    const std::size_t count = end - begin;
    float* inputs = memory.get(count * (in.size() + out.size()));
    float* outputs = inputs + count * in.size();
    std::vector<Stretch> stretches(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t u = begin + i, sample = u / pieces_ / s_.out_size[0],
                        y = u / pieces_ % s_.out_size[0];
      const std::size_t x = u % pieces_ * width_;
      in.data = inputs + i * in.size();
      out.data = outputs + i * out.size();
      in.read(x_ + sample * s_.in * s_.size[0] * s_.size[1], s_.in, {s_.size[0], s_.size[1], s_.circular},
              static_cast<std::ptrdiff_t>(y * s_.stride[0]) - static_cast<std::ptrdiff_t>(s_.padding[0]),
              static_cast<std::ptrdiff_t>(x * s_.stride[1]) - static_cast<std::ptrdiff_t>(s_.padding[1]));
      out.read(dy_ + sample * s_.out * s_.out_size[0] * s_.out_size[1], s_.out,
               {s_.out_size[0], s_.out_size[1], {}}, static_cast<std::ptrdiff_t>(y),
               static_cast<std::ptrdiff_t>(x));
      stretches[i] = {static_cast<std::ptrdiff_t>(i * out.size()), static_cast<std::ptrdiff_t>(i * in.size()),
                      width_};
    }
    const std::size_t panel = panel_of(in_blocks_);
    for (std::size_t p = 0; p < s_.kernel[0] * s_.kernel[1]; ++p) {
      const std::size_t point = p / s_.kernel[1] * in.columns + p % s_.kernel[1];
      for (std::size_t r = 0; r < s_.out; r += kOuterRows) {
        for (std::size_t b = 0; b < in_blocks_; b += panel) {
          with_step(s_.stride[1], [&](auto step) {
            outer_product<step>(std::min(panel, in_blocks_ - b), {stretches.data(), count},
                                outputs + r / kLanes * out.block() + r % kLanes,
                                inputs + b * in.block() + point * kLanes, in.block(),
                                sums + p * position() + r * row() + b * kLanes, row(), to_earlier);
          });
        }
      }
    }
  }

  DirectShape s_;
  const float *x_, *dy_;
  std::array<Axis, 2> axes_;
  std::size_t in_blocks_, out_blocks_, pieces_, width_;
};

void RunDirectKernelGradient(const DirectShape& s, const float* x, const float* dy, float* dkernel,
                             const Parallel& parallel) {
  static thread_local Workspace sum_memory;
  const KernelSums sums(s, x, dy);
  const std::size_t parts = std::min(parallel.threads, sums.units());
  float* memory = sum_memory.get(parts * sums.size());
  parallel.run(parts, [&](std::size_t part) {
    sums.find(sums.units() * part / parts, sums.units() * (part + 1) / parts, memory + part * sums.size());
  });
  const std::size_t positions = s.kernel[0] * s.kernel[1];
  parallel.run(std::min(s.out, 4 * parallel.threads), [&](std::size_t part) {
    const std::size_t all = std::min(s.out, 4 * parallel.threads);
    for (std::size_t r = s.out * part / all; r < s.out * (part + 1) / all; ++r) {
      for (std::size_t p = 0; p < positions; ++p) {
        float* from = memory + p * sums.position() + r * sums.row();
        for (std::size_t other = 1; other < parts; ++other) {
          for (std::size_t c = 0; c < s.in; ++c) from[c] += from[other * sums.size() + c];
        }
        for (std::size_t c = 0; c < s.in; ++c) dkernel[(r * s.in + c) * positions + p] = from[c];
      }
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

HWY_EXPORT(RunDirectForward);
HWY_EXPORT(RunDirectInputGradient);
HWY_EXPORT(RunDirectKernelGradient);

void direct_forward(const DirectShape& shape, const float* x, const float* kernel, const float* bias,
                    const float* add, float* y, const Parallel& parallel) {
  HWY_DYNAMIC_DISPATCH(RunDirectForward)(shape, x, kernel, bias, add, y, parallel);
}

void direct_input_gradient(const DirectShape& shape, const float* dy, const float* kernel, const float* bias,
                           float* dx, const Parallel& parallel) {
  HWY_DYNAMIC_DISPATCH(RunDirectInputGradient)(shape, dy, kernel, bias, dx, parallel);
}

void direct_kernel_gradient(const DirectShape& shape, const float* x, const float* dy, float* dkernel,
                            const Parallel& parallel) {
  HWY_DYNAMIC_DISPATCH(RunDirectKernelGradient)(shape, x, dy, dkernel, parallel);
}

}  // namespace gcan::kernels
#endif  // HWY_ONCE
