// SPDX-License-Identifier: Apache-2.0
// Parses services' error responses, in all their formats, and explains them to people.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include "base/result.h"
#include "llm/message.h"

namespace ww::providers {

struct Fault {
  int status = 0;       // HTTP's; for an error within a reply of status 200: the equivalent
  std::string kind;     // the service's type or code: "insufficient_quota", "overloaded_error"
  std::string message;  // the service's message, truncated
};

Fault read_fault(int status, std::string_view body);             // of a refused request: JSON, text or a web page
Fault fault_in(int status, const nlohmann::ordered_json& body);  // an object with an error in it

bool is_out_of_quota(const Fault& fault);  // out of money: waiting does not help
bool is_transient(const Fault& fault);     // the same request may succeed later

// Removes the optional part of `request` that the service refuses, and returns its name ("seed"). Empty: another kind
// of fault, or it names no part of the request.
std::string leave_out(const Fault& fault, llm::Request& request);

struct Asked {                       // the service and the purpose of a request
  std::string service, host, model;  // "openai", "api.openai.com", "gpt-5"; an empty model: its list of models
  bool key = false;                  // one was sent
  int attempts = 1;
  std::string target = {};  // the host that a redirect points to; empty: not known
};
// One sentence that says what to do; the service's message as cause. The caller redacts them.
Error explain(const Fault& fault, const Asked& asked);

}  // namespace ww::providers
