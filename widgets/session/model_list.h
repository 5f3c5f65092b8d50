// SPDX-License-Identifier: GPL-3.0-or-later
// The language models that a run can be given, as the window lists them, and what it says about each.
#pragma once
#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"

namespace ww::widgets {

enum class KeyFrom { nowhere, environment, keychain, session };  // session: until the window closes
// untried: it has an address and the key that it needs, and nothing was sent to it yet.
enum class Reach { untried, answers, refuses, silent, no_key, no_address };

struct Service {                   // a preset of the catalogue
  std::string name, title, about;  // "anthropic", "Anthropic", "Messages API, with prompt caching"
  std::string base_url, host;      // empty: no address is known
  std::string key_variable;        // empty: it takes no key
  bool key_needed = true;
  bool this_machine = false;  // nothing leaves
  KeyFrom key = KeyFrom::nowhere;
  Reach reach = Reach::untried;
  std::string why_not;  // it cannot be asked now: the reason, and what to do
};
struct ModelEntry {
  std::string service, name;  // name: a "*" at its end matches a prefix
  std::string price;          // "$2 / $10 per million tokens", "free"; empty: unknown
  std::int64_t context = 0;   // tokens; 0: unknown
};
struct ModelList {
  std::vector<Service> services;
  std::vector<ModelEntry> models;  // in the catalogue's order; those that local servers have follow
  std::string error;               // the list could not be read
  std::string own_file;            // where the person adds services and models
  bool asked = false;              // servers on this machine were asked what they have
};

struct ModelReading {  // of "SERVICE:MODEL"
  bool usable = false;
  bool priced = false;  // its price is known, or it is free
  QString sentence;
};
const Service* service_of(const ModelList& list, const std::string& id);
ModelReading read_model(const ModelList& list, const QString& id);
Reach reach_of(const Error& error);  // of a service that was asked and failed
// What a service said that was asked and failed. A refused key is said as such.
QString failure_text(const Service& service, const Error& error);
QString reach_text(Reach reach);
QString key_text(const Service& service);  // "from the environment", "in the keychain", "not set", "not needed"
// The first model that can be asked, empty: none.
QString first_usable(const ModelList& list);
// No service can be asked: why, and what to do. Empty: at least one can.
QString why_no_model(const ModelList& list);

}  // namespace ww::widgets
