// SPDX-License-Identifier: Apache-2.0
// The state behind the calls of the CUDA runtime: one device, the SIMT machine, whose work is done when a call returns.
// All calls hold Runtime::lock.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>
#include <sys/types.h>
#include "cudart/cuda_api.h"
#include "sim/exec.h"
#include "simt/simt.h"

namespace ww::cudart {

struct Binary {  // of one translation unit of the program
  const void* wrapper = nullptr;
  bool is_read = false;
  std::shared_ptr<const simt::Program> program;  // null: `why_not`
  std::string why_not;
};
struct Kernel {
  Binary* of = nullptr;
  std::string name;                                 // in the PTX
  std::string plain;                                // as written in CUDA
  std::size_t most_shared = std::size_t{48} << 10;  // dynamic, see cudaFuncSetAttribute
};
struct Variable {
  Binary* of = nullptr;
  std::string name;
  std::size_t bytes = 0;
};

class Runtime {
 public:
  static Runtime& get();
  void finish();  // reports what was counted, when the program ends
  std::recursive_mutex lock;

  // Returns `e`, and keeps it for cudaGetLastError when it is an error.
  cudaError_t done(cudaError_t e);
  cudaError_t last(bool forget);
  // What an earlier launch left behind: every call but the queries of errors returns it.
  cudaError_t broken() const { return broken_; }
  cudaError_t refuse(const std::string& what);  // says so in the report, once

  Binary* add_binary(const void* wrapper);
  void remove_binary(Binary* binary);
  void add_kernel(const void* host, Binary* binary, const char* name);
  void add_variable(const void* host, Variable variable);
  Kernel* kernel(const void* host_or_kernel);  // null: none
  Result<std::uint64_t> address_of(const void* host_variable, std::size_t* bytes);
  // Of a launch: fails as hardware does, and runs the kernel otherwise.
  cudaError_t launch(Kernel& kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, bool cooperative);
  const simt::KernelInfo* info(Kernel& kernel);  // null: refused

  simt::Memory& memory() { return *memory_; }
  bool is_device(const void* p) const;  // else it is the host's, or both may touch it
  cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind = cudaMemcpyDefault);
  cudaError_t fill(void* to, int value, std::size_t bytes);
  cudaError_t allocate(void** out, std::size_t bytes);
  cudaError_t free(void* p);
  cudaError_t allocate_shared(void** out, std::size_t bytes, const char* name);  // by host and device
  cudaError_t free_shared(void* p);
  cudaError_t share(void* p, std::size_t bytes);  // host memory of the program
  cudaError_t unshare(void* p);
  bool is_shared(const void* p) const;

  std::map<const void*, std::chrono::steady_clock::time_point> events;  // recorded when
  std::set<const void*> streams;

 private:
  Runtime();
  void read(Binary& binary);
  void report(const sim::ExecLine& line);
  void found(const simt::LaunchReport& report);
  void count(const Kernel& kernel, const simt::LaunchReport& report);

  sim::ExecOptions options_;
  const pid_t process_;
  std::unique_ptr<simt::Memory> memory_;
  std::vector<std::unique_ptr<Binary>> binaries_;
  std::map<const void*, std::unique_ptr<Kernel>> kernels_;  // by the host's stub
  std::map<const void*, Variable> variables_;               // by the host's shadow
  struct Shared {
    std::size_t bytes = 0;
    bool owned = false;
  };
  std::map<std::uintptr_t, Shared> shared_;
  std::vector<sim::ExecKernel> counts_;
  std::set<std::string> refused_;
  std::set<std::tuple<std::string, FaultKind, int, int>> told_;  // findings: kernel, kind, the lines of the PTX
  std::uint64_t untold_ = 0;
  int allocations_ = 0;
  cudaError_t last_ = cudaSuccess, broken_ = cudaSuccess;
};

// What an exported call does first: it holds the lock.
#define WW_CUDART_HELD         \
  Runtime& r = Runtime::get(); \
  const std::lock_guard held(r.lock)
// All but queries of errors and registrations also return what an earlier launch left behind.
#define WW_CUDART_CALL \
  WW_CUDART_HELD;      \
  if (r.broken() != cudaSuccess) return r.broken()

}  // namespace ww::cudart
