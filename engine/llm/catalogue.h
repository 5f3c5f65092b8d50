// SPDX-License-Identifier: Apache-2.0
// The catalogue of services and models, with limits and prices: resources/models/catalogue.json, overridden by the
// user's own file (config_dir()/"models.json", same format: its entries replace those of the same name or are added).
// Between the two comes a newer catalogue that the user dropped in (config_dir()/"catalogue.json"), unless its date is
// before that of the shipped one.
// Prices have a date and a source; the cost of a model without a price is "unknown", never 0; local servers are marked
// "free": true.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "llm/model_name.h"
#include "llm/price.h"
#include "llm/provider.h"
#include "llm/roles.h"

namespace ww::llm {

struct ModelFacts {
  std::string preset, name;              // name: the service's; "*" at its end matches a prefix
  std::int64_t context = 0, output = 0;  // tokens; 0: unknown
  std::optional<Price> price;
  bool reasoning = false, schemas = false, tools = true;  // for an unlisted model: as its preset's server has it
  std::optional<bool> temperature;                        // whether it accepts one; empty: unknown
  bool listed = false;
  std::string full_name() const { return ModelName{preset, name}.text(); }
};
struct Preset {
  Endpoint endpoint;                       // without its key
  std::string title, about, key_variable;  // "OPENAI_API_KEY"; empty: no key
  bool key_needed = true;                  // false: sent if there is one
  bool local = false;                      // usually a server on this machine
  bool forwards = false;                   // a proxy: it forwards requests to other services
  std::string url_variable;                // "AZURE_OPENAI_ENDPOINT": a per-user address
};
// Variables that override any preset's address and key: $WARPWRIGHT_URL_OPENAI_CHAT, $WARPWRIGHT_KEY_OPENAI_CHAT.
std::string url_override(const std::string& preset);
std::string key_override(const std::string& preset);

class Catalogue {
 public:
  static Result<Catalogue> load();  // both files, and addresses from the environment; an error names file and line
  static Result<Catalogue> parse(const std::string& shipped, const std::string& own, const std::string& update = {});
  static std::filesystem::path shipped_file();
  static std::filesystem::path own_file();
  static std::filesystem::path update_file();
  const std::string& date() const { return date_; }           // of the prices, as shipped or updated: "2026-10-16"
  const std::string& passed_over() const { return passed_; }  // the date of an update that is older; empty: none
  const std::vector<RoleSettings>& roles() const { return roles_; }  // the user's, for runs that do not say otherwise
  const std::vector<Preset>& presets() const { return presets_; }
  const std::vector<ModelFacts>& models() const { return models_; }
  const Preset* preset(const std::string& name) const;
  // Facts of "PRESET:MODEL"; only the name if the model is not listed.
  ModelFacts facts(const std::string& preset, const std::string& model) const;

 private:
  std::vector<Preset> presets_;
  std::vector<ModelFacts> models_;
  std::vector<RoleSettings> roles_;
  std::string date_, passed_;
};

// The source of keys: the preset's environment variable, removed from the environment by take_keys(), then what the
// program adds (the window: the system's keychain). Never a file.
void take_keys(const Catalogue& catalogue);  // moves the variables into Secrets, wipes and unsets them, forbids dumps
                                             // when there are any
void take_keys();  // call first in main: for the catalogue or, if the user's file is invalid, the shipped one
using KeyReader = std::function<std::optional<Secret>(const std::string& preset)>;
void add_key_reader(KeyReader reader);
Secret key_for(const Preset& preset);  // empty: none is known

struct Model {        // ready to use
  Endpoint endpoint;  // with its key
  ModelFacts facts;
  std::shared_ptr<Provider> provider;
  bool forwarded = false;  // the server at the endpoint forwards to a service, which needs the same consent as any host
};
// "PRESET:MODEL" ("anthropic:claude-sonnet-4-5", "ollama:qwen3-coder:30b"; split at the first colon). Errors say what
// to do: unknown preset (with the nearest), no key (with the variable), no plugin.
Result<Model> resolve(const Catalogue& catalogue, const std::string& selection);
// The same with key and provider optional: for lists, and for replay.
Result<Model> describe(const Catalogue& catalogue, const std::string& selection);

std::optional<double> cost(const ModelFacts& facts,
                           const Usage& usage);  // US dollars; empty if the price is unknown

}  // namespace ww::llm
