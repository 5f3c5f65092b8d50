// SPDX-License-Identifier: Apache-2.0
#include "llm/providers.h"
#include <algorithm>
#include <map>
#include <mutex>
#include "base/files.h"
#include "base/plugin.h"

namespace ww::llm {
namespace fs = std::filesystem;
namespace {

using Make = Provider* (*)(const Endpoint&);
const PluginKind kind{"provider", "ww_provider_abi", "ww_make_provider", provider_abi};

struct Registry {
  std::mutex mutex;
  std::map<std::string, ProviderFactory> own;
  std::map<std::string, Make> plugins;  // loaded so far
};
Registry& registry() {
  static Registry r;
  return r;
}

fs::path folder() { return plugins_dir() / "providers"; }

std::string name_of(const fs::path& file) {  // "libopenai.so": openai
  const std::string stem = file.stem().string();
  return stem.starts_with("lib") ? stem.substr(3) : stem;
}

Result<Make> load(Registry& r, const std::string& name, const fs::path& file) {  // under r.mutex
  if (const auto known = r.plugins.find(name); known != r.plugins.end()) return known->second;
  void* opened = WW_TRY(open_plugin(file, kind));
  return r.plugins[name] = reinterpret_cast<Make>(opened);
}

}  // namespace

Result<std::unique_ptr<Provider>> make_provider(const Endpoint& endpoint) {
  const std::string& name = endpoint.provider;
  ProviderFactory own;
  Make make = nullptr;
  {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    if (const auto found = r.own.find(name); found != r.own.end()) {
      own = found->second;
    } else {
      std::string there;
      for (const auto& [other, factory] : r.own) there += (there.empty() ? "" : ", ") + other;
      for (const fs::path& file : plugin_files(folder())) {
        const std::string other = name_of(file);
        there += (there.empty() ? "" : ", ") + other;
        if (other != name) continue;
        const Result<Make> loaded = load(r, name, file);
        if (!loaded)
          return fail(Code::unavailable, "the provider '" + name + "' cannot be used: " + loaded.error().message,
                      file.string() + (loaded.error().cause.empty() ? "" : ": " + loaded.error().cause));
        make = *loaded;
      }
      if (!make)
        return fail(Code::not_found, "there is no provider '" + name +
                                         "'; there are: " + (there.empty() ? "none" : there) +
                                         " (plugins are looked for in " + folder().lexically_normal().string() + ")");
    }
  }
  std::unique_ptr<Provider> made;
  try {
    made = own ? own(endpoint) : std::unique_ptr<Provider>(make(endpoint));
  } catch (...) {  // of a plugin's making; nothing of it is known
    made.reset();
  }
  if (!made)
    return fail(Code::unavailable, "the provider '" + name + "' could not be started for '" + endpoint.base_url + "'");
  return made;
}

std::vector<std::string> list_providers() {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  std::vector<std::string> names;
  for (const auto& [name, factory] : r.own) names.push_back(name);
  for (const fs::path& file : plugin_files(folder()))
    if (const std::string name = name_of(file); !r.own.contains(name) && load(r, name, file)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<RefusedProvider> refused_providers() {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  std::vector<RefusedProvider> refused;
  for (const fs::path& file : plugin_files(folder()))
    if (const Result<Make> loaded = load(r, name_of(file), file); !loaded)
      refused.push_back({file, loaded.error().text()});
  return refused;
}

void add_provider(std::string name, ProviderFactory factory) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  r.own.insert_or_assign(std::move(name), std::move(factory));
}

}  // namespace ww::llm
