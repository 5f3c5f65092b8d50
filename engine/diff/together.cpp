// SPDX-License-Identifier: Apache-2.0
// What `warpwright-cli compare` stored: "first", "second" (label, hash), "case" (symbols), "raw"
// (profile/measurement_json.h, TIMING).
#include <nlohmann/json.hpp>
#include "diff/numbers.h"
#include "profile/measurement_json.h"

namespace ww::diff {
namespace {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& j, const char* object, const char* member) {
  const auto at = j.find(object);
  if (at == j.end() || !at->is_object()) return {};
  const auto value = at->find(member);
  return value != at->end() && value->is_string() ? value->get<std::string>() : std::string();
}

std::string place_of(const Json& j) {
  std::map<std::string, std::string> symbols;
  if (const auto at = j.find("case"); at != j.end() && at->is_object())
    if (const auto list = at->find("symbols"); list != at->end() && list->is_object())
      for (const auto& [name, value] : list->items()) symbols[name] = value.dump();
  std::string text;
  for (const auto& [name, value] : symbols) text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text;
}

}  // namespace

std::vector<Together> timed_together(const std::vector<store::MeasurementRecord>& of_right,
                                     const std::string& left_hash, const std::string& right_hash) {
  std::vector<Together> out;
  for (const store::MeasurementRecord& record : of_right) {  // newest first
    if (record.kind != "compare" || record.json.find(left_hash) == std::string::npos ||
        record.json.find(right_hash) == std::string::npos)
      continue;
    const Json j = Json::parse(record.json, nullptr, false);
    if (!j.is_object()) continue;
    const bool ordered = text_at(j, "first", "hash") == left_hash && text_at(j, "second", "hash") == right_hash;
    const bool swapped = text_at(j, "first", "hash") == right_hash && text_at(j, "second", "hash") == left_hash;
    if (!ordered && !swapped) continue;
    const std::string left = text_at(j, ordered ? "first" : "second", "label"),
                      right = text_at(j, ordered ? "second" : "first", "label");
    const auto raw = j.find("raw");
    if (raw == j.end() || !raw->is_array()) continue;
    for (const profile::Cache cache : {profile::Cache::cold, profile::Cache::warm}) {
      std::optional<profile::SubjectTiming> l, r;
      for (const Json& one : *raw) {
        auto timing = profile::timing_of(one);
        if (!timing || timing->cache != cache) continue;
        if (timing->subject == left)
          l = std::move(*timing);
        else if (timing->subject == right)
          r = std::move(*timing);
      }
      if (!l || !r) continue;
      Together t;
      t.cache = cache;
      t.place = place_of(j);
      t.when = record.created.substr(0, 10);
      t.device = record.gpu.empty() ? record.device : record.gpu + " (" + record.device + ")";
      bool known = false;
      for (const Together& newer : out)
        known |= newer.cache == cache && newer.place == t.place && newer.device == t.device;
      if (known) continue;
      const profile::Ratio ratio = profile::compare(*r, *l);
      t.ratio = ratio.ratio, t.low = ratio.low, t.high = ratio.high;
      t.call = ratio.call;
      t.why = ratio.why;
      t.left = profile::summarise(profile::times_of(*l));
      t.right = profile::summarise(profile::times_of(*r));
      out.push_back(std::move(t));
    }
  }
  return out;
}

}  // namespace ww::diff
