// SPDX-License-Identifier: Apache-2.0
// Parses the errors of services, in any of their forms, and explains them to a person.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include "base/result.h"
#include "llm/message.h"

namespace ww::providers {

struct Fault {
  int status = 0;       // HTTP's; for an error inside of a reply of status 200: what its own words amount to
  std::string kind;     // its own type or code: "insufficient_quota", "overloaded_error"
  std::string message;  // its own words, cut
};

Fault read_fault(int status, std::string_view body);             // of a refused request: JSON, text or a web page
Fault fault_in(int status, const nlohmann::ordered_json& body);  // an object with an error in it

bool is_quota(const Fault& fault);  // money has run out: waiting does not help
bool may_pass(const Fault& fault);  // the same request could succeed later

// Takes the optional part of `request` that the service refuses out of it, and names it ("seed"). Empty: the fault is
// of another kind, or names none that is in it.
std::string leave_out(const Fault& fault, llm::Request& request);

struct Asked {                       // of whom, for what
  std::string service, host, model;  // "openai", "api.openai.com", "gpt-5"; an empty model: its list of models
  bool key = false;                  // one was sent
  int attempts = 1;
};
// One sentence that says what to do; the service's own words as cause. The caller redacts them.
Error explain(const Fault& fault, const Asked& asked);

}  // namespace ww::providers
