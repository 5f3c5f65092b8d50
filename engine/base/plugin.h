// SPDX-License-Identifier: Apache-2.0
// Shared modules that provide C++ objects. Each exports `int ABI()`, the interface version that it was built for, and a
// factory function. Modules stay loaded until the program ends.
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
// The address of the factory function. Code::unavailable: cannot be loaded (a library is missing); Code::unsupported:
// not such a module, or built for another interface version.
Result<void*> open_plugin(const std::filesystem::path& file, const PluginKind& kind);

}  // namespace ww
