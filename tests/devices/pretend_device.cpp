#include "tests/devices/pretend_device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/as_strided_cpu_dispatch.h>
#include <ATen/ops/view_as_complex_cpu_dispatch.h>
#include <ATen/ops/view_as_real_cpu_dispatch.h>
#include <ATen/ops/view_cpu_dispatch.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <signal.h>
#include <sys/mman.h>
#include <torch/library.h>
#include <torch/version.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

// Differences between LibTorch 1.13 and 2.x: an allocator's functions, and the names of warnings.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
#define GCAN_ALLOCATES
#else
#define GCAN_ALLOCATES const
#endif

namespace gcan::test {
namespace {

using torch::Tensor;

#if TORCH_VERSION_MAJOR > 1
using SilentScope = c10::WarningUtils::WarningHandlerGuard;
#else
using SilentScope = c10::Warning::WarningHandlerGuard;
#endif

constexpr auto kType = c10::DeviceType::PrivateUse1;
const c10::Device kDevice(kType, 0);

// ---- memory -----------------------------------------------------------------------------------------------

// The addresses that tensors show, and the real memory behind them.
class Memory {
 public:
  static Memory& all() {
    static auto& memory = *new Memory;  // tensors may outlive everything else
    return memory;
  }

  void* take(std::size_t bytes) {
    void* const shown = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    TORCH_CHECK(shown != MAP_FAILED, "no address is left for the pretend device");
    const std::scoped_lock lock(mutex_);
    // Not zeros, to expose uninitialised tensors.
    auto hidden = std::make_unique<char[]>(bytes);
    std::memset(hidden.get(), 0x7f, bytes);
    blocks_[static_cast<char*>(shown)] = {std::move(hidden), bytes};
    return shown;
  }

  void give_back(void* shown) {
    const std::scoped_lock lock(mutex_);
    const auto found = blocks_.find(static_cast<char*>(shown));
    munmap(shown, found->second.bytes);
    blocks_.erase(found);
  }

  char* hidden(const void* shown) {
    const std::scoped_lock lock(mutex_);
    return blocks_.at(static_cast<char*>(const_cast<void*>(shown))).hidden.get();
  }

  // Without the lock: for the signal handler, which ends the process.
  bool has(const void* address) {
    auto next = blocks_.upper_bound(static_cast<char*>(const_cast<void*>(address)));
    if (next == blocks_.begin()) return false;
    --next;
    return static_cast<const char*>(address) < next->first + next->second.bytes;
  }

 private:
  struct Block {
    std::unique_ptr<char[]> hidden;
    std::size_t bytes = 0;
  };
  std::mutex mutex_;
  std::map<char*, Block> blocks_;
};

void tell_touch(int /*signal*/, siginfo_t* info, void* /*context*/) {
  constexpr std::string_view kTouched = "the memory of the pretend device was touched\n";
  if (Memory::all().has(info->si_addr)) std::ignore = write(STDERR_FILENO, kTouched.data(), kTouched.size());
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

void give_back(void* shown) { Memory::all().give_back(shown); }

struct Allocator final : c10::Allocator {
  c10::DataPtr allocate(std::size_t bytes) GCAN_ALLOCATES override {
    if (bytes == 0) return {nullptr, kDevice};
    void* const shown = Memory::all().take(bytes);
    return {shown, shown, give_back, kDevice};
  }
  c10::DeleterFnPtr raw_deleter() const override { return give_back; }
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(Memory::all().hidden(to), Memory::all().hidden(from), bytes);
  }
#endif
};

Allocator& allocator() {
  static Allocator one;
  return one;
}

// ---- the device -------------------------------------------------------------------------------------------

struct Guard final : c10::impl::DeviceGuardImplInterface {
  Guard() = default;
  explicit Guard(c10::DeviceType /*type*/) {}
  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device /*device*/) const override { return kDevice; }
  c10::Device getDevice() const override { return kDevice; }
  void setDevice(c10::Device /*device*/) const override {}
  void uncheckedSetDevice(c10::Device /*device*/) const noexcept override {}
  c10::Stream getStream(c10::Device /*device*/) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, kDevice);
  }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
};

// ---- operations -------------------------------------------------------------------------------------------

std::atomic<std::int64_t> sent, awaited;
thread_local int inside_fallback = 0;

// LibTorch 1.13's fallback lets some operations resize their results, and warns of it each time.
struct Silence final : c10::WarningHandler {
#if TORCH_VERSION_MAJOR > 1
  void process(const c10::Warning& /*warning*/) override {}
#else
  void process(const c10::SourceLocation& /*where*/, const std::string& /*what*/,
               bool /*verbatim*/) override {}
#endif
};

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  // Their result is a host number, or its size depends on the values.
  for (const std::string_view name : {"aten::_local_scalar_dense", "aten::equal", "aten::nonzero",
                                      "aten::masked_select", "aten::is_nonzero"}) {
    if (op.schema().name() == name) ++awaited;
  }
  static Silence silence;
  const SilentScope silent(&silence);
  ++inside_fallback;
  try {
    at::native::cpu_fallback(op, stack);
  } catch (...) {
    --inside_fallback;
    throw;
  }
  --inside_fallback;
}

c10::DispatchKeySet keys() { return c10::DispatchKeySet(c10::DispatchKey::PrivateUse1); }

Tensor empty(c10::IntArrayRef size, c10::optional<c10::ScalarType> type,
             c10::optional<c10::Layout> /*layout*/, c10::optional<c10::Device> /*device*/,
             c10::optional<bool> /*pinned*/, c10::optional<c10::MemoryFormat> format) {
  return at::detail::empty_generic(size, &allocator(), keys(), c10::dtype_or_default(type), format);
}

Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, c10::optional<c10::ScalarType> type,
                     c10::optional<c10::Layout> /*layout*/, c10::optional<c10::Device> /*device*/,
                     c10::optional<bool> /*pinned*/) {
  return at::detail::empty_strided_generic(size, stride, &allocator(), keys(), c10::dtype_or_default(type));
}

// A view of a tensor's numbers as a CPU tensor.
Tensor here(const Tensor& tensor) {
  if (tensor.device().is_cpu()) return tensor;
  const auto options = torch::TensorOptions(tensor.scalar_type());
  if (tensor.numel() == 0) return at::empty_strided(tensor.sizes(), tensor.strides(), options);
  char* const memory = Memory::all().hidden(tensor.storage().data_ptr().get());
  const auto offset = static_cast<std::size_t>(tensor.storage_offset()) * tensor.element_size();
  return at::from_blob(memory + offset, tensor.sizes(), tensor.strides(), options);
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool /*non_blocking*/) {
  if (inside_fallback == 0) {
    if (from.device().is_cpu()) ++sent;
    if (to.device().is_cpu()) ++awaited;
  }
  here(to).copy_(here(from));
  return to;
}

const Tensor& resized(const Tensor& self, c10::IntArrayRef size,
                      c10::optional<c10::MemoryFormat> /*format*/) {
  std::int64_t count = 1;
  for (const std::int64_t n : size) count *= n;
  const std::size_t bytes = static_cast<std::size_t>(count + self.storage_offset()) * self.element_size();
  c10::TensorImpl* const impl = self.unsafeGetTensorImpl();
  if (bytes > self.storage().nbytes()) {
    c10::DataPtr grown = allocator().allocate(bytes);
    const c10::Storage storage = self.storage();
    if (storage.nbytes() > 0) {
      std::memcpy(Memory::all().hidden(grown.get()), Memory::all().hidden(storage.data_ptr().get()),
                  storage.nbytes());
    }
    storage.unsafeGetStorageImpl()->set_data_ptr(std::move(grown));
    storage.unsafeGetStorageImpl()->set_nbytes(bytes);
  }
  impl->set_sizes_contiguous(size);
  return self;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  if (from.sizes() != to.sizes()) resized(to, from.sizes(), c10::nullopt);
  return copy_from(from, to, false);
}

Tensor as_strided(const Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride,
                  c10::optional<std::int64_t> offset) {
  return at::cpu::as_strided(self, size, stride, offset);
}
Tensor view(const Tensor& self, c10::IntArrayRef size) { return at::cpu::view(self, size); }
Tensor reshape_alias(const Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride) {
  return at::cpu::as_strided(self, size, stride, self.storage_offset());
}
Tensor view_as_real(const Tensor& self) { return at::cpu::view_as_real(self); }
Tensor view_as_complex(const Tensor& self) { return at::cpu::view_as_complex(self); }

}  // namespace

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", empty);
  library.impl("empty_strided", empty_strided);
  library.impl("_copy_from", copy_from);
  library.impl("_copy_from_and_resize", copy_from_and_resize);
  library.impl("resize_", resized);
  library.impl("as_strided", as_strided);
  library.impl("view", view);
  library.impl("_reshape_alias", reshape_alias);
  library.impl("view_as_real", view_as_real);
  library.impl("view_as_complex", view_as_complex);
  // LibTorch has no convolution for unknown devices.
  for (const char* name : {"convolution", "convolution_backward"}) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&fallback>());
  }
}

torch::Device pretend_device() {
  static const bool once = [] {
    c10::SetAllocator(kType, &allocator());
    struct sigaction action = {};
    action.sa_sigaction = tell_touch;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    return true;
  }();
  std::ignore = once;
  return kDevice;
}

Traffic traffic() { return {sent, awaited}; }

void forget_traffic() { sent = awaited = 0; }

}  // namespace gcan::test
