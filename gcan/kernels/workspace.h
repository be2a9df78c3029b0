#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace gcan::kernels {

// Memory for intermediate results that a thread keeps between calls: allocating some megabytes on each call
// costs more than the work on them, because the system clears new pages.
class Workspace {
 public:
  // At least `count` numbers, aligned to a cache line; previous contents are lost.
  float* get(std::size_t count) {
    if (count > size_) {
      memory_.reset();
      memory_.reset(static_cast<float*>(::operator new[](count * sizeof(float), kAlignment)));
      size_ = count;
    }
    return memory_.get();
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(float* memory) const { ::operator delete[](memory, kAlignment); }
  };
  std::unique_ptr<float[], Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace gcan::kernels
