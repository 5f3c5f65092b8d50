// SPDX-License-Identifier: Apache-2.0
// A job in the machine's memory. For the .cpp files of engine/sim.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "base/result.h"
#include "sim/job.h"
#include "sim/outcome.h"
#include "simt/launch.h"
#include "simt/memory.h"
#include "simt/program.h"

namespace ww::sim {

Status check_numbers(const Job& job);                      // of its grid, sizes and runs
std::int64_t product(const std::vector<std::int64_t>& d);  // at most 0x7fffffff
// By its name in the PTX or, without parameters, in C++; empty: the only one.
Result<const simt::KernelInfo*> kernel_of(const simt::Program& program, const std::string& entry);

struct PlacedJob {
  struct Buffer {
    const JobBuffer* what = nullptr;
    std::uint64_t address = 0;
  };
  simt::Memory memory;
  simt::LaunchConfig config;
  std::vector<Buffer> buffers, symbols;
  // Once. The job must outlive it.
  Status place(const Job& job, const simt::Program& program, const simt::KernelInfo& kernel);
  Status fill();  // before each launch
};

}  // namespace ww::sim
