// SPDX-License-Identifier: Apache-2.0
// The provider plugins in plugins_dir()/providers/*.so, loaded once and kept until the program ends, and those that the
// program adds. Thread-safe.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "base/result.h"
#include "llm/provider.h"

namespace ww::llm {

// Code::not_found names those that there are; Code::unavailable why a plugin was refused (another interface, libcurl
// missing).
Result<std::unique_ptr<Provider>> make_provider(const Endpoint& endpoint);
std::vector<std::string> list_providers();  // usable ones, sorted
struct RefusedProvider {
  std::filesystem::path file;
  std::string reason;  // one plain sentence
};
std::vector<RefusedProvider> refused_providers();

// Adds one of the program's own, in place of one that has the name already (tests, replay).
using ProviderFactory = std::function<std::unique_ptr<Provider>(const Endpoint&)>;
void add_provider(std::string name, ProviderFactory factory);

}  // namespace ww::llm
