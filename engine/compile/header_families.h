// SPDX-License-Identifier: Apache-2.0
// The libraries of headers that candidates may use, and which of them are here.
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "base/result.h"
#include "compile/compile.h"

namespace ww::compile {

struct HeaderFamily {
  std::string name;    // "CUB"
  std::string header;  // one of them
  bool there = false;
  std::string version;  // its own, "3.0.1"; empty: it has none
  bool of_toolkit = true;
  std::filesystem::path folder;  // of one that is not of the toolkit; empty: not found
};
Result<std::vector<HeaderFamily>> header_families(const Toolkit& toolkit);

}  // namespace ww::compile
