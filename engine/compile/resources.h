// SPDX-License-Identifier: Apache-2.0
// Resources of each kernel, from the verbose log of ptxas.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "compile/compile.h"

namespace ww::compile {

struct AssemblerLog {
  std::vector<KernelResources> kernels;  // sorted by name
  std::string rest;                      // the log without its informational lines: warnings and errors
};
AssemblerLog read_assembler_log(std::string_view log);

}  // namespace ww::compile
