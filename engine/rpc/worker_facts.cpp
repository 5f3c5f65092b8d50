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

namespace {

std::string text_of(const Json& j, const char* key) {
  if (!j.is_object()) return {};
  const auto at = j.find(key);
  return at != j.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// An empty object where there is none.
const Json& part_of(const Json& j, const char* key) {
  static const Json none = Json::object();
  const auto at = j.is_object() ? j.find(key) : j.end();
  return j.is_object() && at != j.end() && at->is_structured() ? *at : none;
}

}  // namespace

WorkerReport worker_report(const std::string& describe) {
  WorkerReport out;
  const Json j = json::json_or_null(describe);
  out.read = j.is_object();
  if (const std::string version = text_of(part_of(j, "compiler"), "version"); !version.empty())
    out.compiler = "NVRTC " + version;
  for (const Json& d : part_of(j, "devices")) {
    if (!d.is_object()) continue;
    WorkerDevice device = {text_of(d, "name"), text_of(d, "description"), text_of(d, "gpu"), text_of(d, "provenance"),
                           text_of(d, "error")};
    if (!d.contains("gpu") &&
        device.provenance == enum_string(Provenance::measured))  // a report of 2026-11-22 or before
      device.gpu = device.description.substr(0, device.description.find(','));
    out.devices.push_back(std::move(device));
  }
  for (const auto& [name, p] : part_of(part_of(j, "worker"), "protections").items()) {
    Json one = p;
    if (!one.is_object()) continue;
    one["name"] = name;
    if (const Result<Protection> read = json::read<Protection>(one, "a protection cannot be read"))
      out.protections.push_back(*read);
  }
  const Json& counters = part_of(j, "counters");
  if (const auto at = counters.find("available"); at != counters.end() && at->is_boolean())
    out.counters = at->get<bool>();
  out.counters_error = text_of(counters, "error");
  return out;
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
    if (!effects.empty()) text += " Generated code that takes its worker over is not kept from: " + effects + ".";
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
