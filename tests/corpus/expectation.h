// SPDX-License-Identifier: Apache-2.0
// What a file of the corpus says of itself in comments, and whether a verdict is as it says.
#pragma once
#include <map>
#include <string>
#include <vector>
#include "evidence/verdict.h"
#include "op/spec.h"

namespace ww::corpus {

// What stands behind "// KEY: " in the text; empty: nothing.
std::string comment(const std::string& text, const std::string& key);
std::vector<std::string> split(const std::string& text, char by);  // without empty parts
std::map<std::string, std::string> expectation(
    const std::string& line);                     // "stage=smoke fault=trap|misaligned": by the word before "="
op::Binding binding_of(const std::string& line);  // "R = 64, C = 256"

// In one sentence what of the verdict is not as `line` says; empty: all is. Of stages, faults and tensors, each one of
// those between "|" will do.
std::string mismatch(const evidence::Verdict& verdict, const std::string& line);

// "smoke, trap: a trap …" or "accepted": the verdict as a table shows it.
std::string seen(const evidence::Verdict& verdict);

}  // namespace ww::corpus
