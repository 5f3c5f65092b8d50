// SPDX-License-Identifier: Apache-2.0
#include "evidence/verdict_json.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/json_members.h"

namespace ww::evidence {
namespace {

using json::get, json::Json, json::list, json::member, json::Wrong;

template <class T>
T described(const Json& j) {
  T value{};
  if (const json::Problem p = json::detail::read(j, value)) throw Wrong{p.text()};
  return value;
}

template <class T>
T described(const Json& j, const char* name) {
  T value{};
  if (json::Problem p = json::detail::read(member(j, name), value))
    throw Wrong{json::detail::within(std::move(p), name).text()};
  return value;
}

Json binding_json(const op::Binding& b) {
  Json j;
  j["symbols"] = json::of(b.symbols);
  if (!b.constants.empty()) j["constants"] = json::of(b.constants);
  return j;
}

op::Binding binding_of(const Json& j) {
  op::Binding b;
  b.symbols = described<decltype(b.symbols)>(j, "symbols");
  if (j.contains("constants")) b.constants = described<decltype(b.constants)>(j, "constants");
  return b;
}

std::vector<compile::KernelResources> read_resources(const Json& resources) {
  if (!resources.is_array()) throw Wrong{"the resources are not a list"};
  std::vector<compile::KernelResources> all;
  for (const Json& r : resources) {
    compile::KernelResources out;
    out.kernel = get<std::string>(r, "kernel");
    out.registers = get<int>(r, "registers");
    out.static_shared = get<std::int64_t>(r, "static_shared");
    out.stack = get<std::int64_t>(r, "stack");
    out.spill_stores = get<std::int64_t>(r, "spill_stores");
    out.spill_loads = get<std::int64_t>(r, "spill_loads");
    out.constant = get<std::int64_t>(r, "constant");
    out.barriers = get<int>(r, "barriers");
    all.push_back(std::move(out));
  }
  return all;
}

Json failure_json(const Failure& f) {
  Json j;
  if (!f.case_name.empty()) j["case"] = f.case_name;
  if (f.binding != op::Binding{}) j["binding"] = binding_json(f.binding);
  j["distribution"] = op::distribution_name(f.distribution);
  j["seed"] = f.seed;
  if (f.element) j["element"] = json::of(*f.element);
  if (f.fault) j["fault"] = json::of(*f.fault);
  return j;
}

// Version 1 had any word as the kind of a fault.
Fault old_fault(Json j) {
  if (const Json& kind = member(j, "kind"); kind.is_string() && !enum_from_name<FaultKind>(kind.get<std::string>()))
    j["kind"] = enum_name(FaultKind::unknown);
  return described<Fault>(j);
}

Failure failure_of(const Json& j, int version) {
  Failure f;
  if (j.contains("case")) f.case_name = get<std::string>(j, "case");
  if (j.contains("binding")) f.binding = binding_of(j["binding"]);
  const auto distribution = op::distribution_from_name(get<std::string>(j, "distribution"));
  if (!distribution) throw Wrong{distribution.error().message};
  f.distribution = *distribution;
  f.seed = get<std::uint64_t>(j, "seed");
  if (j.contains("element")) f.element = described<FailingElement>(j["element"]);
  if (j.contains("fault")) f.fault = version == 1 ? old_fault(j["fault"]) : described<Fault>(j["fault"]);
  return f;
}

// Version 1 had the floor and the mark of an impossible time among the values, and the reason in words beside them.
void read_old_floor(Metrics& m) {
  const auto take = [&](std::string_view name) -> std::optional<double> {
    const auto at = std::find_if(m.values.begin(), m.values.end(), [&](const auto& v) { return v.first == name; });
    if (at == m.values.end()) return {};
    const double value = at->second;
    m.values.erase(at);
    return value;
  };
  if (const auto us = take("floor_us")) m.floor = Floor{*us};
  if (take("impossible").value_or(0) == 0) return;
  m.impossible = "why was not stored";
  for (const auto& [name, why] : m.conditions)
    if (name == "impossible") m.impossible = why;
}

Json verdict_json(const Verdict& v) {
  Json j = {{"version", 2},           {"candidate", v.candidate}, {"device", v.device},
            {"accepted", v.accepted}, {"summary", v.summary()},   {"seconds", json::of(v.seconds)}};
  j["stages"] = Json::array();
  for (const StageResult& s : v.stages) {
    Json stage = {{"stage", enum_name(s.stage)}, {"outcome", enum_name(s.outcome)}, {"message", s.message}};
    if (!s.detail.empty()) stage["detail"] = s.detail;
    if (s.outcome == Outcome::skipped) stage["skipped"] = enum_name(s.skipped);
    stage["seconds"] = json::of(s.seconds);
    if (s.failure) stage["failure"] = failure_json(*s.failure);
    j["stages"].push_back(std::move(stage));
  }
  j["coverage"] = Json::array();
  for (const CaseCoverage& c : v.coverage)
    j["coverage"].push_back(
        {{"case", c.case_name}, {"binding", binding_json(c.binding)}, {"claimed", c.claimed}, {"seeds", c.seeds}});
  j["proof"] = json::of(v.proof);
  j["resources"] = resources_json(v.resources);
  if (!v.ptx.empty()) j["ptx"] = v.ptx;
  if (v.metrics) j["metrics"] = json::of(*v.metrics);
  return j;
}

Verdict read_verdict(const Json& j) {
  const int version = get<int>(j, "version");
  if (version != 1 && version != 2)
    throw Wrong{"it has version " + std::to_string(version) + ", this build reads versions 1 and 2"};
  Verdict v;
  v.candidate = get<std::string>(j, "candidate");
  v.device = get<std::string>(j, "device");
  v.accepted = get<bool>(j, "accepted");
  v.seconds = described<double>(j, "seconds");
  for (const Json& s : list(j, "stages")) {
    StageResult out;
    out.stage = described<Stage>(s, "stage");
    out.outcome = described<Outcome>(s, "outcome");
    out.message = get<std::string>(s, "message");
    if (s.contains("detail")) out.detail = get<std::string>(s, "detail");
    out.seconds = described<double>(s, "seconds");
    if (version > 1 && out.outcome == Outcome::skipped) out.skipped = described<SkipReason>(s, "skipped");
    if (s.contains("failure")) out.failure = failure_of(s["failure"], version);
    v.stages.push_back(std::move(out));
  }
  for (const Json& c : list(j, "coverage")) {
    CaseCoverage out;
    out.case_name = get<std::string>(c, "case");
    out.binding = binding_of(member(c, "binding"));
    out.claimed = get<bool>(c, "claimed");
    out.seeds = get<int>(c, "seeds");
    v.coverage.push_back(std::move(out));
  }
  if (version > 1) v.proof = described<Proof>(j, "proof");
  v.resources = read_resources(member(j, "resources"));
  if (j.contains("ptx")) v.ptx = get<std::string>(j, "ptx");
  if (j.contains("metrics")) v.metrics = described<Metrics>(j, "metrics");
  if (version == 1 && v.metrics) read_old_floor(*v.metrics);
  return v;
}

template <class T>
Result<T> guarded(std::string_view what, const Json& j, T (*read)(const Json&)) {
  const std::string sentence = "this is not a " + std::string(what) + " in JSON";
  try {
    return read(j);
  } catch (const Wrong& wrong) { return fail(Code::corrupt, sentence, wrong.what); } catch (const std::exception& e) {
    return fail(Code::corrupt, sentence, e.what());
  }
}

template <class T>
Result<T> parsed(std::string_view what, std::string_view text, T (*read)(const Json&)) {
  const Result<Json> j = json::parse(text);
  if (!j) return fail(Code::corrupt, "this is not a " + std::string(what) + " in JSON", j.error().message);
  return guarded(what, *j, read);
}

}  // namespace

Json resources_json(const std::vector<compile::KernelResources>& resources) {
  Json all = Json::array();
  for (const compile::KernelResources& r : resources)
    all.push_back({{"kernel", r.kernel},
                   {"registers", r.registers},
                   {"static_shared", r.static_shared},
                   {"stack", r.stack},
                   {"spill_stores", r.spill_stores},
                   {"spill_loads", r.spill_loads},
                   {"constant", r.constant},
                   {"barriers", r.barriers}});
  return all;
}

Result<std::vector<compile::KernelResources>> resources_of(const Json& j) {
  return guarded("list of kernels' resources", j, &read_resources);
}
std::string resources_to_json(const std::vector<compile::KernelResources>& resources) {
  return json::dump(resources_json(resources));
}
Result<std::vector<compile::KernelResources>> resources_from_json(std::string_view json) {
  return parsed("list of kernels' resources", json, &read_resources);
}

std::string verdict_to_json(const Verdict& verdict, int indent) { return json::dump(verdict_json(verdict), indent); }
Result<Verdict> verdict_of(const Json& j) { return guarded("verdict", j, &read_verdict); }
Result<Verdict> verdict_from_json(std::string_view json) { return parsed("verdict", json, &read_verdict); }
std::string binding_to_json(const op::Binding& binding) { return json::dump(binding_json(binding)); }
Result<op::Binding> binding_from_json(std::string_view json) { return parsed("binding", json, &binding_of); }

}  // namespace ww::evidence
