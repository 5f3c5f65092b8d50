// SPDX-License-Identifier: Apache-2.0
// Runs jobs, and lists what the machine makes of a module.
#pragma once
#include <stop_token>
#include "base/describe.h"
#include "base/result.h"
#include "compile/compile.h"
#include "sim/job.h"
#include "sim/outcome.h"

namespace ww::sim {

// `compiler` may be null for PTX. Errors: the code (compile, parse), the kernel's name (not_found), the arguments or
// the launch (invalid_argument), no compiler (unavailable), cancelled. What the machine does not know, a budget that is
// used up, and whatever the kernel does wrong is an outcome.
Result<Outcome> run(const Job& job, compile::Compiler* compiler, std::stop_token stop = {});

struct ListedInstruction {
  std::string text;  // as the machine sees it: "@%p1 ld.global.f32 %f1, [%rd4+16]"
  int ptx_line = 0, line = 0;
  std::string unsupported;  // why the machine does not execute it; empty: it does
  WW_FIELDS(ListedInstruction, text, ptx_line, (line, "of the CUDA source; 0: unknown"),
            (unsupported, "why the machine does not execute it", sparse))
};
struct ListedFunction {
  std::string name;
  bool is_kernel = false;
  std::vector<std::string> params;            // "u64 saxpy_param_0", "b8[16] p"
  std::int64_t registers = 0;                 // virtual ones that it uses
  std::int64_t static_shared = 0, local = 0;  // bytes; of a kernel with what it calls
  std::vector<ListedInstruction> instructions;
  WW_FIELDS(ListedFunction, name, is_kernel, (params, "type and name"), (registers, "virtual ones that it uses"),
            (static_shared, "bytes of a kernel and what it calls"),
            (local, "bytes per thread of a kernel and what it calls"), instructions)
};
struct Listing {
  static constexpr std::string_view described_as = "SIM LISTING";
  std::string version, target;
  std::vector<ListedFunction> functions;
  WW_FIELDS(Listing, (version, "of PTX"), target, functions)
};
Result<Listing> list(const Job& job, compile::Compiler* compiler);  // of its code; Code::parse, compile, unavailable

}  // namespace ww::sim
