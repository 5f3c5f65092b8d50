// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include "base/described_json.h"
#include "cudart/fatbin.h"
#include "cudart/machine.h"
#include "cudart/refused.h"
#include "sim/findings.h"

namespace ww::cudart {
namespace {

struct Wrapper {  // what nvcc hands over
  std::uint32_t magic, version;
  const std::byte* data;
  const void* more;
};
constexpr std::uint32_t wrapper_magic = 0x466243b1;

sim::ExecOptions options_from_environment() {
  const char* text = std::getenv(sim::exec_variable);
  return text ? json::read_text<sim::ExecOptions>(text, "the options cannot be read").value_or(sim::ExecOptions())
              : sim::ExecOptions();
}

}  // namespace

// Never destroyed: a program's static objects may free memory while it ends.
Runtime& Runtime::get() {
  static Runtime& one = *new Runtime;
  return one;
}

Runtime::Runtime()
    : options_(options_from_environment()),
      process_(::getpid()),
      memory_(std::make_unique<simt::Memory>(machine::memory)) {
  if (options_.report >= 0) ::fcntl(options_.report, F_SETFD, FD_CLOEXEC);  // not for programs that this one starts
  report({});
}

void Runtime::finish() {
  const std::lock_guard held(lock);
  if (::getpid() != process_) return;  // a copy of the program, whose launches so far were the program's
  for (sim::ExecKernel& k : counts_) report({.kernel = std::move(k)});
  counts_.clear();
  if (untold_ > 0) report({.further = std::exchange(untold_, 0)});
}

namespace {

[[gnu::destructor]] void at_exit() { Runtime::get().finish(); }

}  // namespace

void Runtime::report(const sim::ExecLine& line) {
  if (options_.report < 0) return;
  const std::string text = json::dump(json::of(line)) + '\n';
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(options_.report, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}

cudaError_t Runtime::done(cudaError_t e) {
  if (e != cudaSuccess && e != cudaErrorNotReady) last_ = e;
  return e;
}

cudaError_t Runtime::last(bool forget) {
  const cudaError_t e = broken_ != cudaSuccess ? broken_ : last_;
  if (forget) last_ = cudaSuccess;
  return e;
}

cudaError_t Runtime::refuse(const std::string& what) {
  if (refused_.insert(what).second) report({.refused = what});
  return done(cudaErrorNotSupported);
}

int refuse_call(const char* name) {
  WW_CUDART_HELD;
  return r.refuse(std::string(name) + "()");
}

Binary* Runtime::add_binary(const void* wrapper) {
  binaries_.push_back(std::make_unique<Binary>());
  binaries_.back()->wrapper = wrapper;
  return binaries_.back().get();
}

void Runtime::remove_binary(Binary* binary) {
  if (binary->program) memory_->release(*binary->program);
  std::erase_if(kernels_, [&](const auto& k) { return k.second->of == binary; });
  std::erase_if(variables_, [&](const auto& v) { return v.second.of == binary; });
  std::erase_if(binaries_, [&](const auto& b) { return b.get() == binary; });
}

void Runtime::add_kernel(const void* host, Binary* binary, const char* name) {
  auto k = std::make_unique<Kernel>();
  k->of = binary, k->name = name, k->plain = sim::plain_name(name);
  kernels_[host] = std::move(k);
}

void Runtime::add_variable(const void* host, Variable variable) { variables_[host] = std::move(variable); }

Kernel* Runtime::kernel(const void* host_or_kernel) {
  if (const auto at = kernels_.find(host_or_kernel); at != kernels_.end()) return at->second.get();
  for (const auto& [host, k] : kernels_)
    if (k.get() == host_or_kernel) return k.get();
  return nullptr;
}

// The PTX for the newest architecture: the machine runs all of them.
void Runtime::read(Binary& binary) {
  if (binary.is_read) return;
  binary.is_read = true;
  Wrapper w{};
  std::memcpy(&w, binary.wrapper, sizeof w);
  std::uint64_t bytes = 0;
  if (w.magic == wrapper_magic && w.data) std::memcpy(&bytes, w.data + 8, sizeof bytes);
  if (w.magic != wrapper_magic || !w.data) {
    binary.why_not = "its device code is in a form that is not known";
    return;
  }
  const Result<Fatbin> all = read_fatbin({w.data, 16 + static_cast<std::size_t>(bytes)});
  if (!all) {
    binary.why_not = all.error().text();
  } else if (all->ptx.empty()) {
    binary.why_not = "the program has machine code alone; build it with PTX, such as nvcc -arch=compute_90";
  } else {
    const auto newest = std::ranges::max_element(all->ptx, {}, &FatbinCode::architecture);
    Result<std::shared_ptr<const simt::Program>> program = simt::load(newest->ptx);
    if (program)
      binary.program = std::move(*program);
    else
      binary.why_not = program.error().text();
  }
}

const simt::KernelInfo* Runtime::info(Kernel& kernel) {
  read(*kernel.of);
  const simt::KernelInfo* const found = kernel.of->program ? kernel.of->program->kernel(kernel.name) : nullptr;
  if (!found) refuse("kernel " + kernel.plain + ": " + (kernel.of->program ? "not in the PTX" : kernel.of->why_not));
  return found;
}

Result<std::uint64_t> Runtime::address_of(const void* host_variable, std::size_t* bytes) {
  const auto at = variables_.find(host_variable);
  if (at == variables_.end()) return fail(Code::not_found, "no such variable");
  read(*at->second.of);
  if (!at->second.of->program) return fail(Code::unsupported, at->second.of->why_not);
  if (bytes) *bytes = at->second.bytes;
  return memory_->symbol(*at->second.of->program, at->second.name);
}

}  // namespace ww::cudart
