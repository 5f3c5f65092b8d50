// SPDX-License-Identifier: Apache-2.0
// What every launch needs before its first block runs.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>
#include "simt/block.h"
#include "simt/memory.h"
#include "simt/program.h"

namespace ww::simt {

struct Prepared {
  const KernelInfo* kernel = nullptr;
  std::unique_ptr<LaunchState> state;
  std::vector<std::uint32_t> functions;  // that it can reach, itself first
};
// Errors as launch(). `program`, `config`, `memory` and `options` must outlive the state.
Result<Prepared> prepare(const Program& program, std::string_view kernel, const LaunchConfig& config, Memory& memory,
                         const LaunchOptions& options);

}  // namespace ww::simt
