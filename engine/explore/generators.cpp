// SPDX-License-Identifier: Apache-2.0
#include "explore/generators.h"
#include <algorithm>
#include <map>
#include <mutex>
#include "base/files.h"
#include "model_loop/model_generator.h"
#include "base/plugin.h"

namespace ww::explore {
namespace fs = std::filesystem;
namespace {

class Manual final : public generator::Generator {
 public:
  std::string name() const override { return "manual"; }
  Result<std::vector<generator::Proposal>> propose(const generator::GeneratorRequest&, std::stop_token) override {
    return std::vector<generator::Proposal>();
  }
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::function<std::unique_ptr<generator::Generator>()>> own{
      {"manual", [] { return std::make_unique<Manual>(); }}, {"model", model_loop::make_model_generator}};
};
Registry& registry() {
  static Registry r;
  return r;
}

using Make = generator::Generator* (*)();

const PluginKind kind{"generator", "ww_generator_abi", "ww_make_generator", generator::generator_abi};

std::unique_ptr<generator::Generator> call(Make make) {
  try {
    return std::unique_ptr<generator::Generator>(make());
  } catch (...) { return nullptr; }
}

struct Found {
  GeneratorList list;
  std::map<std::string, Make> plugins;
};

Found find(Registry& r) {  // under r.mutex
  Found found;
  for (const auto& [name, factory] : r.own) found.list.usable.push_back({name, {}});
  for (const fs::path& file : plugin_files(plugins_dir() / "generators")) {
    const Result<void*> opened = open_plugin(file, kind);
    if (!opened) {
      found.list.refused.push_back({file, opened.error().text()});
      continue;
    }
    const Make make = reinterpret_cast<Make>(*opened);
    const std::unique_ptr<generator::Generator> instance = call(make);
    if (!instance) {
      found.list.refused.push_back({file, "it could not make a generator"});
      continue;
    }
    const std::string name = instance->name();
    if (name.empty() || r.own.contains(name) || !found.plugins.emplace(name, make).second) {
      found.list.refused.push_back({file, "its name '" + name + "' is empty or taken by another generator"});
      continue;
    }
    found.list.usable.push_back({name, file});
  }
  std::sort(found.list.usable.begin(), found.list.usable.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

}  // namespace

GeneratorList list_generators() {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  return find(r).list;
}

Result<std::unique_ptr<generator::Generator>> make_generator(const std::string& name) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  std::unique_ptr<generator::Generator> made;
  Found found;
  if (const auto own = r.own.find(name); own != r.own.end()) {
    made = own->second();
  } else {
    found = find(r);
    const auto plugin = found.plugins.find(name);
    if (plugin == found.plugins.end()) {
      std::string there, refused;
      for (const GeneratorEntry& e : found.list.usable) there += (there.empty() ? "" : ", ") + e.name;
      for (const RefusedPlugin& p : found.list.refused)
        refused += (refused.empty() ? "" : "\n") + p.file.string() + ": " + p.reason;
      return fail(Code::not_found,
                  "there is no generator '" + name + "'; there are: " + there + " (plugins are looked for in " +
                      (plugins_dir() / "generators").string() + ")",
                  refused);
    }
    made = call(plugin->second);
  }
  if (!made) return fail(Code::internal, "the generator '" + name + "' could not be made");
  return made;
}

void add_generator(std::string name, std::function<std::unique_ptr<generator::Generator>()> make) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  r.own.insert_or_assign(std::move(name), std::move(make));
}

}  // namespace ww::explore
