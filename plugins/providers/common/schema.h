// SPDX-License-Identifier: Apache-2.0
// JSON Schemas as services take them.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include "base/result.h"

namespace ww::providers {

Result<nlohmann::ordered_json> read_schema(const std::string& json);
// Every object names all its members as required and allows no others: what OpenAI's strict mode demands.
bool is_strict(const nlohmann::ordered_json& schema);
// The schema without the bounds on numbers and lengths that Anthropic's constrained output refuses, and with
// "additionalProperties": false in every object.
nlohmann::ordered_json without_bounds(nlohmann::ordered_json schema);

}  // namespace ww::providers
