// SPDX-License-Identifier: Apache-2.0
// What a file of the corpus says of itself in comments, and whether a verdict is as it says.
#pragma once
#include <map>
#include <string>
#include "corpus/kernels.h"
#include "evidence/verdict.h"

namespace ww::corpus {

// "stage=smoke fault=trap|misaligned": by the word before "=".
std::map<std::string, std::string> expectation(const std::string& line);

// In one sentence what of the verdict is not as `line` says; empty: all is. Of stages, faults and tensors, each one of
// those between "|" will do.
std::string mismatch(const evidence::Verdict& verdict, const std::string& line);

}  // namespace ww::corpus
