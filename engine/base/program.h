// SPDX-License-Identifier: Apache-2.0
// Runs another program to its end and captures its output. Only for trusted tools of the machine (a disassembler);
// their input may be hostile, so run them confined.
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
// The environment contains only PATH and LANG=C; stdin is empty. Errors: unavailable (cannot be started), timeout,
// cancelled, crashed (a signal), io (more output than the limit). The program is killed and reaped before an error is
// returned.
Result<ProgramOutput> run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                  const ProgramLimits& limits = {}, std::stop_token stop = {});

}  // namespace ww
