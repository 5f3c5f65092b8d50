// SPDX-License-Identifier: Apache-2.0
#include "rpc/worker_report.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/json_reader.h"

namespace ww::rpc {
namespace {

using json::Json;

void add(std::vector<std::pair<std::string, std::string>>& rows, const std::string& name, const Json& value) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) add(rows, name.empty() ? key : name + ", " + key, member);
  } else if (value.is_array()) {
    const bool plain = std::none_of(value.begin(), value.end(), [](const Json& v) { return v.is_structured(); });
    if (!plain) {
      for (const Json& member : value) add(rows, name, member);
      return;
    }
    std::string text;
    for (const Json& v : value) text += (text.empty() ? "" : ", ") + (v.is_string() ? v.get<std::string>() : v.dump());
    rows.emplace_back(name, text);
  } else {
    rows.emplace_back(name, value.is_string()    ? value.get<std::string>()
                            : value.is_boolean() ? (value.get<bool>() ? "yes" : "no")
                                                 : value.dump());
  }
}

// Reports of 2026-11-23 and before: protections by name in "worker", which held the profile, too; before 2026-11-23 the
// GPU's name was the first part of the device's description.
void bring_up_to_date(Json& j) {
  const Json worker = j.value("worker", Json());  // a copy: new members move those that are there
  if (worker.is_object() && !j.contains("protections")) {
    if (worker.contains("profile")) j["profile"] = worker["profile"];
    Json list = Json::array();
    if (const auto all = worker.find("protections"); all != worker.end() && all->is_object())
      for (const auto& [name, p] : all->items()) {
        Json one = p;
        if (!one.is_object()) continue;
        one["name"] = name;
        list.push_back(std::move(one));
      }
    j["protections"] = std::move(list);
  }
  const auto devices = j.find("devices");
  if (devices == j.end() || !devices->is_array()) return;
  for (Json& d : *devices) {
    const auto text = [&](const char* name) {
      return d.is_object() && d.contains(name) && d[name].is_string() ? d[name].get<std::string>() : std::string();
    };
    const std::string description = text("description");
    if (d.is_object() && !d.contains("gpu") && text("provenance") == enum_name(Provenance::measured))
      d["gpu"] = description.substr(0, description.find(','));
  }
}

}  // namespace

std::string json_of(const WorkerReport& report) { return json::dump(json::of(report), 2); }

std::optional<WorkerReport> worker_report(const std::string& text) {
  Json j = json::json_or_null(text);
  if (!j.is_object()) return std::nullopt;
  bring_up_to_date(j);
  Result<WorkerReport> report = json::read<WorkerReport>(j, "this is no report of a worker");
  return report ? std::optional(std::move(*report)) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> worker_facts(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (const std::optional<WorkerReport> report = worker_report(text))
    add(rows, {}, json::of(*report));
  else
    rows.emplace_back("worker", text);
  return rows;
}

std::string protections_text(const std::vector<Protection>& all) {
  if (all.empty())
    return "The worker reports no protections: nothing is known to keep generated code from this machine.";
  std::string missing, effects, given_up;
  std::size_t count = 0, left = 0;
  const auto add = [](std::string& list, const std::string& one) {
    if (!one.empty()) list += (list.empty() ? "" : ", ") + one;
  };
  for (const Protection& p : all) {
    if (p.given_up && !p.active) ++left, add(given_up, p.name);
    if (!p.missing()) continue;
    ++count;
    add(missing, p.name);
    add(effects, p.effect);
  }
  const std::string of = " of " + std::to_string(all.size()) + " protections of the sandbox ";
  std::string text;
  if (count > 0) {
    text = std::to_string(count) + of + (count == 1 ? "is missing: " : "are missing: ") + missing + ".";
    if (!effects.empty()) text += " Generated code that compromises its worker is not kept from: " + effects + ".";
  } else if (left > 0) {
    text = std::to_string(all.size() - left) + of + "are on.";
  } else {
    text = "All " + std::to_string(all.size()) + " protections of the sandbox are on.";
  }
  if (left > 0) text += " A GPU's driver cannot work behind: " + given_up + ".";
  return text;
}

std::string missing_text(const std::vector<Protection>& all) {
  if (all.empty()) return "all (the worker reports none)";
  std::string text;
  for (const Protection& p : all)
    if (p.missing()) text += (text.empty() ? "" : ", ") + p.name + (p.detail.empty() ? "" : " (" + p.detail + ")");
  return text;
}

}  // namespace ww::rpc
