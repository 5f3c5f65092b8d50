// SPDX-License-Identifier: Apache-2.0
// A PyTorch module as the subject of a command.
#pragma once
#include <string>
#include <vector>
#include "answer.h"
#include "importer/torch_module.h"

namespace ww::cli {

struct ImportArgs {
  std::vector<std::string> inputs;  // "f32[512, 1024]"
  bool evaluation = false;
  bool yes = false;  // the file may be run
};

// Asks, once per file, before the file is run; Code::denied if it may not.
Status let_run(const std::filesystem::path& file, bool yes);
Result<Answer> imported(const Common& common, importer::ModuleRequest request, const ImportArgs& args);

}  // namespace ww::cli
