// gcan doctor: the machine, gcan's settings, the speed of matrix products, and problems found.

#include "gcan/cli/options/doctor.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gcan/base/cpu.h"
#include "gcan/cli/commands/gemm_rate.h"
#include "gcan/cli/commands/processes.h"
#include "gcan/cli/commands/usable.h"
#include "gcan/cli/frame/environment.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/kernels/simd_level.h"
#include "gcan/nn/capability.h"
#include "gcan/nn/detail/cpu_convolution.h"
#include "gcan/version.h"

namespace gcan::cli {
namespace {

struct Findings {
  base::Cores cores;
  Runtime runtime;
  Blas blas;
  std::string aten_capability;
  std::vector<Variable> environment;
  std::vector<GemmRate> rates;
};

bool waits_passively() {
  const auto policy = environment("OMP_WAIT_POLICY").value_or("");
  return policy == "passive" || policy == "PASSIVE" || environment("GOMP_SPINCOUNT") == "0";
}

Findings examine(const Context& context) {
  Findings f;
  f.cores = base::cores();
  f.runtime = set_threads(context.threads);
  f.blas = blas();
  f.aten_capability = nn::aten_capability();
  f.environment = compute_environment();
  f.rates = gemm_rates(f.runtime);
  return f;
}

double rate(const Findings& f, int threads) {
  const auto found = std::find_if(f.rates.begin(), f.rates.end(), [&](const GemmRate& r) {
    return r.type == "float32" && r.threads == threads;
  });
  return found == f.rates.end() ? 0 : found->gflops;
}

void warn_of_cores(const Findings& f, std::vector<std::string>& warnings) {
  const int usable = f.cores.usable();
  if (usable < f.cores.online) {
    warnings.push_back(
        fmt::format("gcan may run on {} of {} cores; allow more with taskset or the container's CPU limit",
                    usable, f.cores.online));
  }
  if (f.runtime.threads > usable) {
    warnings.push_back(
        fmt::format("{} threads share {} cores, which is slower than one thread per core; use --threads {}",
                    f.runtime.threads, usable, usable));
  }
  if (f.runtime.threads < usable && f.runtime.threads_from != "--threads") {
    warnings.push_back(fmt::format("{} leaves {} of {} cores idle; unset it or use --threads {}",
                                   f.runtime.threads_from, usable - f.runtime.threads, usable, usable));
  }
}

void warn_of_settings(const Findings& f, std::vector<std::string>& warnings) {
  if (!waits_passively() && f.runtime.threads > 1) {
    warnings.emplace_back(
        "idle OpenMP threads spin and slow OpenBLAS down; set OMP_WAIT_POLICY=passive or unset it");
  }
  if (base::has_avx512() && f.aten_capability != "AVX512") {
    warnings.push_back(fmt::format("ATen uses {} although the CPU has AVX-512; unset ATEN_CPU_CAPABILITY",
                                   f.aten_capability));
  }
  if (f.runtime.blas_threads > 0 && f.runtime.blas_threads != f.runtime.threads) {
    warnings.push_back(
        fmt::format("OpenBLAS has {} threads but ATen has {}; unset OPENBLAS_NUM_THREADS or use --threads",
                    f.runtime.blas_threads, f.runtime.threads));
  }
  if (f.blas.config.find("Prescott") != std::string::npos) {
    warnings.emplace_back(
        "OpenBLAS does not know this CPU and runs without AVX; set OPENBLAS_CORETYPE=Haswell (AVX2) or "
        "SkylakeX (AVX-512)");
  }
  if (f.blas.config.empty() && !f.blas.library.empty() &&
      f.blas.library.find("/blas/libblas") != std::string::npos) {
    warnings.push_back(fmt::format(
        "the BLAS is the slow reference implementation ({}); install libopenblas0-pthread", f.blas.library));
  }
}

void warn_of_rates(const Findings& f, std::vector<std::string>& warnings) {
  constexpr double kLeastGain = 1.2;
  const int threads = f.runtime.threads;
  if (threads > 1 && threads <= f.cores.usable() && rate(f, threads) < kLeastGain * rate(f, 1)) {
    warnings.push_back(
        fmt::format("{} threads are hardly faster than one; if other programs are using the cores, try again "
                    "without them",
                    threads));
  }
}

std::vector<std::string> warnings_of(const Findings& f) {
  std::vector<std::string> warnings;
  warn_of_cores(f, warnings);
  warn_of_settings(f, warnings);
  warn_of_rates(f, warnings);
  return warnings;
}

std::string blas_text(const Blas& blas) {
  if (!blas.config.empty()) return blas.config;
  return blas.library.empty() ? "inside LibTorch" : blas.library;
}

std::string variable_text(const Variable& variable) {
  if (!variable.value) return "not set";
  return fmt::format("{} (set by {})", *variable.value, variable.set_by_user ? "you" : "gcan");
}

void print_text(const Findings& f, const std::vector<std::string>& warnings) {
  const auto row = [](std::string_view key, std::string_view value) {
    fmt::print("  {:<22}{}\n", key, value);
  };
  fmt::print("Found\n");
  row("gcan", fmt::format("{} (commit {}, {})", version(), commit(), compiler()));
  row("LibTorch", torch_version());
  row("BLAS", blas_text(f.blas));
  row("cores", fmt::format("{} in the machine, {} by affinity, cgroup quota {}: {} usable", f.cores.online,
                           f.cores.affinity, f.cores.quota ? fmt::format("{:.4g}", *f.cores.quota) : "none",
                           f.cores.usable()));
  row("SIMD",
      fmt::format("{}{}", kernels::simd_level(), base::has_bfloat16() ? ", bfloat16 in hardware" : ""));
  for (const auto& [name, text] : processes_rows()) row(name, text);
  fmt::print("Usable\n");
  for (const auto& [name, text] : usable()) row(name, text);
  fmt::print("Set\n");
  row("ATen threads", fmt::format("{} ({})", f.runtime.threads, f.runtime.threads_from));
  if (f.runtime.blas_threads > 0) row("OpenBLAS threads", fmt::format("{}", f.runtime.blas_threads));
  row("ATen SIMD", f.aten_capability);
  for (const Variable& variable : f.environment) row(variable.name, variable_text(variable));
  const auto way = nn::detail::way_by_environment();
  fmt::print("Convolutions: {}\n",
             way ? fmt::format("GCAN_CONVOLUTION={} where applicable", nn::detail::to_string(*way))
                 : "chosen by shape (GCAN_CONVOLUTION forces one algorithm)");
  for (const std::string& rule : nn::detail::way_rules()) fmt::print("  {}\n", rule);
  fmt::print("Measured: matrix product 1024 x 1024 x 1024\n");
  for (const GemmRate& r : f.rates) {
    row(fmt::format("{}, {} thread{}", r.type, r.threads, r.threads == 1 ? "" : "s"),
        fmt::format("{:.0f} GFLOPS", r.gflops));
  }
  for (const std::string& warning : warnings) fmt::print("Warning: {}.\n", warning);
  if (warnings.empty()) fmt::print("No problems found.\n");
}

void print_json(const Findings& f, const std::vector<std::string>& warnings) {
  using nlohmann::ordered_json;
  const auto or_null = [](const auto& value) { return value ? ordered_json(*value) : ordered_json(); };
  ordered_json out;
  out["gcan"] = {{"version", version()}, {"commit", commit()}, {"compiler", compiler()}};
  out["libtorch"] = {{"version", torch_version()}, {"cpu_capability", f.aten_capability}};
  out["blas"] = {{"library", f.blas.library}, {"config", f.blas.config}};
  out["cores"] = {{"online", f.cores.online},
                  {"affinity", f.cores.affinity},
                  {"cgroup_quota", or_null(f.cores.quota)},
                  {"usable", f.cores.usable()}};
  out["simd"] = {
      {"level", kernels::simd_level()}, {"avx512", base::has_avx512()}, {"bfloat16", base::has_bfloat16()}};
  out["threads"] = {{"aten", f.runtime.threads},
                    {"from", f.runtime.threads_from},
                    {"openblas", f.runtime.blas_threads},
                    {"wait_passively", waits_passively()}};
  for (const auto& [name, text] : usable()) out["usable"][name] = text;
  for (const auto& [name, text] : processes_rows()) out["processes"][name] = text;
  out["environment"] = ordered_json::object();
  for (const Variable& v : f.environment) {
    out["environment"][v.name] = {{"value", or_null(v.value)}, {"set_by_user", v.set_by_user}};
  }
  out["gemm"] = ordered_json::array();
  for (const GemmRate& r : f.rates) {
    out["gemm"].push_back({{"type", r.type}, {"threads", r.threads}, {"gflops", r.gflops}});
  }
  out["warnings"] = warnings;
  fmt::print("{}\n", out.dump(2));
}

}  // namespace

void run_doctor(const DoctorArguments& arguments, const Context& context) {
  const Findings findings = examine(context);
  (arguments.json ? print_json : print_text)(findings, warnings_of(findings));
}

}  // namespace gcan::cli
