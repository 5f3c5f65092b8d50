// SPDX-License-Identifier: Apache-2.0
// A proved candidate as a drop-in for the PyTorch module whose spec it computes: one Python file with a class ModelNew,
// as KernelBench's evaluation takes it. It holds the module's own source, for its parameters and for what the kernels
// do not claim.
#pragma once
#include <string>
#include <vector>
#include "base/result.h"
#include "importer/torch_module.h"
#include "op/sentence/phrasebook.h"
#include "store/workspace.h"

namespace ww::exporter {

// `task`: the module's source; `module`: the name of its class.
Result<std::string> solution_text(store::Workspace& workspace, const op::Library& library,
                                  const store::CandidateRecord& c, const std::vector<importer::ModuleInput>& inputs,
                                  const std::string& task, const std::string& module);

}  // namespace ww::exporter
