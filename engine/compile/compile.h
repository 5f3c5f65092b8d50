// SPDX-License-Identifier: Apache-2.0
// CUDA C++ to PTX and cubin with NVRTC, loaded at run time. #include is limited to an allow-list of CUDA device
// headers, which are passed to NVRTC from memory. NVRTC itself would open any path that a directive names, so the text
// is screened first (screen.h) and refused with Code::compile if it names anything else. PTX candidates are assembled
// by nvJitLink, also loaded at run time; without it they have no resource counts and no cubin.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>
#include "base/architecture.h"
#include "base/describe.h"
#include "base/result.h"
#include "base/result_cache.h"
#include "candidate/candidate.h"

namespace ww::compile {

struct KernelResources {  // from ptxas, per kernel; *modelled* for the named architecture
  static constexpr std::string_view described_as = "RESOURCES";
  std::string kernel;
  int registers = 0;                               // per thread
  std::int64_t static_shared = 0;                  // bytes per block
  std::int64_t stack = 0;                          // bytes per thread
  std::int64_t spill_stores = 0, spill_loads = 0;  // bytes
  std::int64_t constant = 0;                       // bytes
  int barriers = 0;
  WW_FIELDS(KernelResources, kernel, (registers, "per thread"), (static_shared, "bytes per block"),
            (stack, "bytes per thread"), (spill_stores, "bytes"), (spill_loads, "bytes"), (constant, "bytes"), barriers)
};

struct Request {
  candidate::Language language = candidate::Language::cuda;
  std::string code;                                 // the candidate's text
  std::string architecture = default_architecture;  // "sm_80", "sm_90", …
  candidate::Tuning defines;
  std::vector<std::string> options;  // "fast-math", "maxrregcount=N"
  bool resources = true;             // also assemble, for resource counts and a cubin
  bool debug = false;                // of CUDA: not optimised, and its variables have names (ptx/debug_info.h)
};

struct Output {
  std::string ptx;    // with line information; for a PTX candidate: its text without (see ptx/lines.h)
  std::string cubin;  // empty if not assembled
  std::vector<KernelResources> resources;
  std::string log;       // warnings
  std::string compiler;  // "NVRTC 13.0"
  double seconds = 0;    // duration of the compilation that produced it
  bool from_cache = false;
  template <class V>
  static void fields(V&& v) {  // without the cubin, which is binary
    v("ptx", &Output::ptx);
    v("resources", &Output::resources);
    v("log", &Output::log);
    v("compiler", &Output::compiler);
    v("seconds", &Output::seconds);
    v("from_cache", &Output::from_cache, Presence::defaulted);
  }
};

struct Toolkit {  // what was found, for `doctor`; an empty path: not found
  std::filesystem::path nvrtc, nvjitlink, headers, ptxas, nvdisasm;
  std::filesystem::path cutlass;  // its include folder (cutlass.h); beside the toolkit
  std::string nvrtc_version;      // "13.0"
};
// Code::unavailable if there is no NVRTC. Searches $WARPWRIGHT_CUDA, $CUDA_HOME, /usr/local/cuda*, the private folder
// of NVIDIA's wheels that packaging/ fills, and the loader's path.
Result<Toolkit> find_toolkit();

class Compiler {  // one per process; thread-safe
 public:
  // Reads the toolkit's headers (about 10 MB) on first use; a process that will lose access to the disk must call
  // preload() before, and keep CUTLASS's folder readable. Outputs are cached by content hash (code, CUTLASS's headers
  // that it uses, defines, options, architecture, compiler version); null: no cache.
  static Result<std::unique_ptr<Compiler>> open(std::shared_ptr<ResultCache> kept = nullptr);
  virtual ~Compiler() = default;
  // Code::compile with the compiler's log as cause if the code is refused. Line numbers in the log are those of the
  // candidate.
  virtual Result<Output> compile(const Request& request) = 0;
  virtual void preload() = 0;  // loads every allowed header but CUTLASS's, and NVRTC's own parts, into memory
  virtual const Toolkit& toolkit() const = 0;
  virtual ResultCache* kept() const = 0;                 // the cache; null: none
  virtual std::vector<std::string> headers() const = 0;  // the allow-list: header names that a candidate may include
};

}  // namespace ww::compile
