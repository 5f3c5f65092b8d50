// SPDX-License-Identifier: Apache-2.0
// JSON Schemas in the form that services accept.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include "base/result.h"

namespace ww::providers {

Result<nlohmann::ordered_json> read_schema(const std::string& json);
// Every object requires all its members and allows no others, as OpenAI's strict mode demands.
bool is_strict(const nlohmann::ordered_json& schema);
// The schema without the bounds on numbers and lengths that Anthropic's constrained output refuses, and with
// "additionalProperties": false in every object.
nlohmann::ordered_json without_bounds(nlohmann::ordered_json schema);

}  // namespace ww::providers
