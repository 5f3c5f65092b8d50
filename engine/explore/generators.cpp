// SPDX-License-Identifier: Apache-2.0
#include "explore/generators.h"
#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include "base/files.h"

namespace ww::explore {
namespace fs = std::filesystem;
namespace {

class Manual final : public Generator {
 public:
  std::string name() const override { return "manual"; }
  Result<std::vector<Proposal>> propose(const GeneratorRequest&, CancelToken) override { return std::vector<Proposal>(); }
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, GeneratorFactory> own{{"manual", [] { return std::make_unique<Manual>(); }}};
};
Registry& registry() {
  static Registry r;
  return r;
}

using Make = Generator* (*)();

Result<Make> load(const fs::path& file) {
  dlerror();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // a plugin that is loaded already is only looked up
  if (!handle) {
    const char* why = dlerror();
    return fail(Code::unavailable, "it cannot be loaded", why ? why : "");
  }
  const auto abi = reinterpret_cast<int (*)()>(dlsym(handle, "ww_generator_abi"));
  const auto make = reinterpret_cast<Make>(dlsym(handle, "ww_make_generator"));
  if (!abi || !make) {
    dlclose(handle);
    return fail(Code::unsupported, "it is not a generator: it does not export ww_generator_abi and ww_make_generator");
  }
  if (const int version = abi(); version != generator_abi) {
    dlclose(handle);
    return fail(Code::unsupported, "it was built for interface " + std::to_string(version) + ", this program has " + std::to_string(generator_abi) +
                                       "; build it again");
  }
  return make;
}

std::unique_ptr<Generator> call(Make make) {
  try {
    return std::unique_ptr<Generator>(make());
  } catch (...) {
    return nullptr;
  }
}

struct Found {
  GeneratorList list;
  std::map<std::string, Make> plugins;
};

Found find(Registry& r) {  // under r.mutex
  Found found;
  for (const auto& [name, factory] : r.own) found.list.usable.push_back({name, {}});
  std::vector<fs::path> files;
  std::error_code ec;
  for (fs::directory_iterator it(plugins_dir() / "generators", ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".so") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const Result<Make> make = load(file);
    if (!make) {
      found.list.refused.push_back({file, make.error().text()});
      continue;
    }
    const std::unique_ptr<Generator> instance = call(*make);
    if (!instance) {
      found.list.refused.push_back({file, "it could not make a generator"});
      continue;
    }
    const std::string name = instance->name();
    if (name.empty() || r.own.contains(name) || !found.plugins.emplace(name, *make).second) {
      found.list.refused.push_back({file, "its name '" + name + "' is empty or taken by another generator"});
      continue;
    }
    found.list.usable.push_back({name, file});
  }
  std::sort(found.list.usable.begin(), found.list.usable.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

}  // namespace

GeneratorList list_generators() {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  return find(r).list;
}

Result<std::unique_ptr<Generator>> make_generator(const std::string& name) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  std::unique_ptr<Generator> made;
  Found found;
  if (const auto own = r.own.find(name); own != r.own.end()) {
    made = own->second();
  } else {
    found = find(r);
    const auto plugin = found.plugins.find(name);
    if (plugin == found.plugins.end()) {
      std::string there, refused;
      for (const GeneratorEntry& e : found.list.usable) there += (there.empty() ? "" : ", ") + e.name;
      for (const RefusedPlugin& p : found.list.refused) refused += (refused.empty() ? "" : "\n") + p.file.string() + ": " + p.reason;
      return fail(Code::not_found, "there is no generator '" + name + "'; there are: " + there + " (plugins are looked for in " +
                                       (plugins_dir() / "generators").string() + ")", refused);
    }
    made = call(plugin->second);
  }
  if (!made) return fail(Code::internal, "the generator '" + name + "' could not be made");
  return made;
}

void add_generator(std::string name, GeneratorFactory factory) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  r.own.insert_or_assign(std::move(name), std::move(factory));
}

}  // namespace ww::explore
