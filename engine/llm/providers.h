// SPDX-License-Identifier: Apache-2.0
// The provider plugins in plugins_dir()/providers/*.so, loaded once and kept until the program ends, and those
// registered by the program. Thread-safe.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "base/result.h"
#include "llm/provider.h"

namespace ww::llm {

// Code::not_found lists the available ones; Code::unavailable tells why a plugin was refused (another interface
// version, libcurl missing).
Result<std::unique_ptr<Provider>> make_provider(const Endpoint& endpoint);
std::vector<std::string> list_providers();  // usable ones, sorted
struct RefusedProvider {
  std::filesystem::path file;
  std::string reason;  // one plain sentence
};
std::vector<RefusedProvider> refused_providers();

// Registers a provider, replacing one of the same name (tests, replay).
using ProviderFactory = std::function<std::unique_ptr<Provider>(const Endpoint&)>;
void add_provider(std::string name, ProviderFactory factory);

}  // namespace ww::llm
