// SPDX-License-Identifier: Apache-2.0
// A candidate's compiled code on a GPU, and its executions.
#pragma once
#include <memory>
#include "cuda/code.h"
#include "cuda/internal.h"

namespace ww::cuda {

Result<std::shared_ptr<const device::Module>> load_module(std::shared_ptr<Context> context,
                                                          const compile::Output& output);
Result<std::unique_ptr<device::Execution>> make_execution(std::shared_ptr<Context> context,
                                                          std::unique_ptr<LoadedCode> code);

}  // namespace ww::cuda
