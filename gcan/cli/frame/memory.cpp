#include "gcan/cli/frame/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "gcan/base/human.h"

namespace {

std::atomic<std::size_t> refused{0};  // bytes

void* allocated(std::size_t size, std::size_t alignment) {
  while (true) {
    void* block = alignment == 0
                      ? std::malloc(std::max<std::size_t>(size, 1))
                      : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (block != nullptr) return block;
    refused = size;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t size) { return allocated(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocated(std::max<std::size_t>(size, 1), static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

namespace gcan::cli {
namespace {

std::string sentence_for(std::size_t bytes) {
  if (bytes == 0) return "out of memory; reduce the size of the problem";
  return fmt::format(
      "out of memory: a block of {} could not be allocated; use a smaller batch, network or data set, or "
      "raise the limit (ulimit -v)",
      base::size_text(static_cast<double>(bytes)));
}

}  // namespace

std::string memory_sentence() { return sentence_for(refused); }

std::string sentence_of(std::string_view what) {
  constexpr std::string_view kTorch = "can't allocate memory: you tried to allocate ";
  const auto at = what.find(kTorch);
  if (at == std::string_view::npos) return std::string(what);
  std::size_t bytes = 0;
  std::from_chars(what.data() + at + kTorch.size(), what.data() + what.size(), bytes);
  return sentence_for(bytes);
}

}  // namespace gcan::cli
