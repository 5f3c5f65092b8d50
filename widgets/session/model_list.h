// SPDX-License-Identifier: GPL-3.0-or-later
// The language models available for a run, as listed by the window, with their details.
#pragma once
#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "llm/roles.h"

namespace ww::widgets {

enum class KeyFrom { nowhere, environment, keychain, session };  // session: until the window closes
// untried: it has an address and the required key, and no request has been made yet.
enum class Reach { untried, answers, refuses, silent, no_key, no_address };

struct Service {                   // a preset of the catalogue
  std::string name, title, about;  // "anthropic", "Anthropic", "Messages API, with prompt caching"
  std::string base_url, host;      // empty: no address is known
  std::string key_variable;        // empty: it needs no key
  bool key_needed = true;
  bool this_machine = false;  // it runs here; a proxy may forward
  bool asks_first = false;    // the user has not allowed anything to be sent to it yet
  KeyFrom key = KeyFrom::nowhere;
  Reach reach = Reach::untried;
  std::string why_not;  // why it cannot be used now, and what to do
};
struct ModelEntry {
  std::string service, name;  // name: a "*" at its end matches a prefix
  std::string price;          // "$2 / $10 per million tokens", "free"; empty: unknown
  std::int64_t context = 0;   // tokens; 0: unknown
};
struct ModelList {
  std::vector<Service> services;
  std::vector<ModelEntry> models;        // in catalogue order, followed by those of local servers
  std::vector<llm::RoleSettings> roles;  // as the user's models.json sets them
  std::string error;                     // why the list could not be read
  std::string own_file;                  // where the user adds services and models
  bool asked = false;                    // servers on this machine were queried for their models
};

struct ModelReading {  // of "SERVICE:MODEL"
  bool usable = false;
  bool priced = false;  // its price is known, or it is free
  QString sentence;
};
const Service* service_of(const ModelList& list, const std::string& id);
ModelReading read_model(const ModelList& list, const QString& id);
// "Fixer: local:coder, effort low.": what is set for roles, of these alone; empty: nothing.
QString roles_text(const std::vector<llm::RoleSettings>& roles, const std::vector<std::string_view>& of);
QString role_title(std::string_view role);                  // "Fixer"
QString role_settings_text(const llm::RoleSettings& role);  // "local:coder, effort low"; empty: nothing is set
Reach reach_of(const Error& error);                         // of a service whose request failed
// The reply of a service whose request failed. A refused key is reported as such.
QString failure_text(const Service& service, const Error& error);
QString reach_text(Reach reach);
QString key_text(const Service& service);  // "from the environment", "in the keychain", "not set", "not needed"
// The first available model; empty: none.
QString first_usable(const ModelList& list);
// Why no service is available, and what to do. Empty: at least one is.
QString why_no_model(const ModelList& list);

}  // namespace ww::widgets
