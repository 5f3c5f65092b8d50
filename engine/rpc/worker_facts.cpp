// SPDX-License-Identifier: Apache-2.0
#include "rpc/worker_facts.h"
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

}  // namespace

std::vector<std::pair<std::string, std::string>> worker_facts(const std::string& describe) {
  std::vector<std::pair<std::string, std::string>> rows;
  const Result<Json> j = json::read_json(describe);
  if (!j)
    rows.emplace_back("worker", describe);
  else
    add(rows, {}, *j);
  return rows;
}

std::vector<Protection> protections_of(const std::string& describe) {
  std::vector<Protection> all;
  const Json j = json::json_or_null(describe);
  const Json worker = j.is_object() ? j.value("worker", Json()) : Json();
  const Json protections = worker.is_object() ? worker.value("protections", Json()) : Json();
  if (!protections.is_object()) return all;
  for (const auto& [name, p] : protections.items()) {
    Json one = p;
    if (!one.is_object()) continue;
    one["name"] = name;
    if (const Result<Protection> read = json::read<Protection>(one, "a protection cannot be read"))
      all.push_back(*read);
  }
  return all;
}

std::string missing_text(const std::vector<Protection>& all) {
  if (all.empty()) return "all (the worker reports none)";
  std::string text;
  for (const Protection& p : all)
    if (p.missing()) text += (text.empty() ? "" : ", ") + p.name + (p.detail.empty() ? "" : " (" + p.detail + ")");
  return text;
}

std::vector<WorkerDevice> worker_devices(const std::string& describe) {
  std::vector<WorkerDevice> list;
  const Json j = json::json_or_null(describe);
  const auto devices = j.is_object() ? j.find("devices") : j.end();
  if (devices == j.end() || !devices->is_array()) return list;
  const auto text = [](const Json& d, const char* key) {
    const auto at = d.find(key);
    return at != d.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  for (const Json& d : *devices)
    if (d.is_object()) list.push_back({text(d, "name"), text(d, "description"), text(d, "error")});
  return list;
}

}  // namespace ww::rpc
