// SPDX-License-Identifier: Apache-2.0
#include "generator/run_options.h"
#include "base/described_json.h"

namespace ww::explore {
namespace {

constexpr const char* schema = "warpwright/run-options/2";
constexpr const char* before_models = "warpwright/run-options/1";  // without budget.tokens, budget.money and model

}  // namespace

std::string options_to_json(const RunOptions& o) {
  json::Json j = {{"schema", schema}};
  j.update(json::of(o));
  return json::dump(j);
}

Result<RunOptions> options_from_json(const std::string& text) {
  constexpr const char* unreadable = "the run's stored options cannot be read";
  const Result<json::Json> j = json::parse(text);
  if (!j) return fail(Code::corrupt, unreadable, j.error().message);
  if (!j->is_object() || !j->contains("schema")) return fail(Code::corrupt, unreadable, "they have no schema");
  if (const json::Json& version = j->at("schema"); version != schema && version != before_models)
    return fail(Code::unsupported, "the run's options were written by another version of Warpwright");
  return json::read<RunOptions>(*j, unreadable);
}

}  // namespace ww::explore
