// SPDX-License-Identifier: Apache-2.0
// Files of cheats/ and honest/: several candidates each, of one class. A candidate begins with
//   // ==== NAME: OP [SYMBOL = INT, …]      OP of resources/ops, or NAME.op of specs/
// followed by its directives, where a line "//+ NAME" stands for the one of that name in common.cu, and its code.
// common.cu, then what stands before a file's first heading, goes before the code of each. All were written for this
// project, before the defences that they try.
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "base/result.h"
#include "op/spec.h"

namespace ww::corpus {

struct Kernel {
  std::string name, kind;  // kind: the file's name: "values", "races", …
  std::string spec, text;  // texts
  op::Binding binding;
};

// Of every file of the folder, in order of their names.
Result<std::vector<Kernel>> kernels_in(const std::filesystem::path& folder);

}  // namespace ww::corpus
