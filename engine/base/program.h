// SPDX-License-Identifier: Apache-2.0
// Runs another program to its end and takes what it prints. Only for trusted tools of the machine (a disassembler);
// what they read may be hostile, so run them confined.
#pragma once
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"

namespace ww {

struct ProgramLimits {
  std::chrono::milliseconds deadline{20000};
  std::size_t output = std::size_t{64} << 20;  // bytes
};
struct ProgramOutput {
  int status = 0;           // exit status
  std::string out, errors;  // errors: the last 64 KiB of stderr
};
// Its environment holds PATH and LANG=C alone, its input is empty. Errors: unavailable (it cannot be started), timeout,
// cancelled, crashed (a signal), io (more output than the limit). It is killed and reaped before any of them is
// returned.
Result<ProgramOutput> run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                  const ProgramLimits& limits = {}, std::stop_token stop = {});

}  // namespace ww
