// SPDX-License-Identifier: Apache-2.0
// Shared modules that offer C++ objects: each exports `int ABI()`, the version of the interface that it was built for,
// and a function that makes one. What was loaded stays loaded until the program ends.
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "base/result.h"

namespace ww {

struct PluginKind {
  std::string what;  // "generator", for messages
  const char* abi_symbol;
  const char* make_symbol;
  int abi;
};

std::vector<std::filesystem::path> plugin_files(const std::filesystem::path& folder);  // *.so, sorted
// The address of the function that makes one. Code::unavailable where it cannot be loaded (a library that it needs is
// missing), Code::unsupported where it is something else or was built for another interface.
Result<void*> open_plugin(const std::filesystem::path& file, const PluginKind& kind);

}  // namespace ww
