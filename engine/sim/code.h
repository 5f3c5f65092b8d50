// SPDX-License-Identifier: Apache-2.0
// A job's code as PTX. For the .cpp files of engine/sim.
#pragma once
#include <string>
#include "base/result.h"
#include "compile/compile.h"
#include "sim/job.h"
#include "sim/outcome.h"

namespace ww::sim {

// Compiled where it is CUDA; what the compiler says goes to `out`.
Result<std::string> ptx_of(const Job& job, compile::Compiler* compiler, Outcome& out);

}  // namespace ww::sim
