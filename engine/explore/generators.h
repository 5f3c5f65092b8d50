// SPDX-License-Identifier: Apache-2.0
// The available generators: the built-in ones ("manual": proposes nothing, only the user's candidates are judged;
// "model": language models, model_generator.h), those that the program registers, and the plugins in
// plugins_dir()/generators/*.so. Plugins stay loaded until the program ends.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "base/result.h"
#include "generator/generator.h"

namespace ww::explore {

struct GeneratorEntry {
  std::string name;
  std::filesystem::path file;  // empty: built in
};
struct RefusedPlugin {
  std::filesystem::path file;
  std::string reason;  // one plain sentence
};
struct GeneratorList {
  std::vector<GeneratorEntry> usable;  // by name
  std::vector<RefusedPlugin> refused;
};

// Rescans the folder each time. Thread-safe, like the functions below.
GeneratorList list_generators();
// A new instance for one run. Code::not_found lists the available ones, and why plugins were refused.
Result<std::unique_ptr<generator::Generator>> make_generator(const std::string& name);
// Registers a generator, replacing one of the same name.
void add_generator(std::string name, std::function<std::unique_ptr<generator::Generator>()> make);

}  // namespace ww::explore
