// SPDX-License-Identifier: Apache-2.0
// The kernels of resources/corpus: wrong or cheating ones in cheats/, right ones in honest/. Each file holds several of
// one kind. A kernel begins with
//   // ==== NAME: OP [SYMBOL = INT, …]      OP of resources/ops, or NAME.op of specs/
// followed by its directives, where a line "//+ NAME" stands for the one of that name in common.cu, and its code.
// common.cu, then what stands before a file's first heading, goes before the code of each. A line "// known: REASON"
// says why its verdict is not what it should be. "// limited: REASON": it is right in short tensors alone, and its
// verdict says so. All were written for this project, before the defences that they try.
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "base/result.h"
#include "evidence/verdict.h"
#include "op/spec.h"

namespace ww::corpus {

struct Kernel {
  std::string name, kind;  // kind: the file's name: "values", "races", …
  std::string spec, text;  // texts
  op::Binding binding;
  std::string known, limited;
};

std::filesystem::path corpus_folder();  // resources/corpus
// Of every file of the folder, in order of their names.
Result<std::vector<Kernel>> kernels_in(const std::filesystem::path& folder);

// What stands behind "// KEY: " in the text; empty: nothing.
std::string comment(const std::string& text, const std::string& key);
std::vector<std::string> split(const std::string& text, char by);  // without empty parts
// "R = 64, C = 256". Code::parse: what is no name, or no whole number.
Result<op::Binding> binding_of(const std::string& line);
// "smoke, trap: a trap …" or "proved": the verdict as a table shows it.
std::string seen(const evidence::Verdict& verdict);

}  // namespace ww::corpus
