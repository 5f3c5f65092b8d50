// SPDX-License-Identifier: Apache-2.0
#include "gate/verdict_json.h"
#include <cmath>
#include <limits>
#include "base/json_members.h"

namespace ww::gate {
namespace {

using json::get, json::Json, json::list, json::member, json::Wrong;

Json real(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return v;
}

double get_real(const Json& j, const char* name) {
  const Json& v = member(j, name);
  if (v.is_number()) return v.get<double>();
  if (v == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (v == "inf") return std::numeric_limits<double>::infinity();
  if (v == "-inf") return -std::numeric_limits<double>::infinity();
  throw Wrong{std::string("the member '") + name + "' is not a number"};
}

template <class E, std::size_t N>
E by_name(const Json& j, const char* member_name, const E (&all)[N], std::string_view (*name_of)(E)) {
  const auto text = get<std::string>(j, member_name);
  for (const E e : all)
    if (name_of(e) == text) return e;
  throw Wrong{std::string("the member '") + member_name + "' has the unknown value '" + text + "'"};
}

Json binding_json(const op::Binding& b) {
  Json j;
  j["symbols"] = Json::object();
  for (const auto& [name, v] : b.symbols) j["symbols"][name] = v;
  for (const auto& [name, v] : b.constants) j["constants"][name] = real(v);
  return j;
}

op::Binding binding_of(const Json& j) {
  op::Binding b;
  const Json& symbols = member(j, "symbols");
  if (!symbols.is_object()) throw Wrong{"the member 'symbols' is not an object"};
  for (const auto& [name, v] : symbols.items()) b.symbols[name] = get<std::int64_t>(symbols, name.c_str());
  if (j.contains("constants")) {
    if (!j["constants"].is_object()) throw Wrong{"the member 'constants' is not an object"};
    for (const auto& [name, v] : j["constants"].items()) b.constants[name] = get_real(j["constants"], name.c_str());
  }
  return b;
}

Json triple(const std::uint32_t (&v)[3]) { return Json::array({v[0], v[1], v[2]}); }

void read_triple(const Json& j, const char* name, std::uint32_t (&v)[3]) {
  const Json& t = list(j, name);
  if (t.size() != 3) throw Wrong{std::string("the member '") + name + "' does not have three numbers"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!t[i].is_number_integer()) throw Wrong{std::string("the member '") + name + "' has the wrong type"};
    v[i] = t[i].get<std::uint32_t>();
  }
}

FailingElement read_element(const Json& e) {
  FailingElement out;
  out.tensor = get<std::string>(e, "tensor");
  for (const Json& i : list(e, "index")) {
    if (!i.is_number_integer()) throw Wrong{"the member 'index' has the wrong type"};
    out.index.push_back(i.get<std::int64_t>());
  }
  out.expected = get_real(e, "expected");
  out.actual = get_real(e, "actual");
  out.tolerance = get_real(e, "tolerance");
  out.error_ulps = get_real(e, "error_ulps");
  out.wrong = get<std::int64_t>(e, "wrong");
  out.total = get<std::int64_t>(e, "total");
  return out;
}

Fault read_fault(const Json& t) {
  Fault out;
  out.kind = get<std::string>(t, "kind");
  out.message = get<std::string>(t, "message");
  out.kernel = get<std::string>(t, "kernel");
  out.line = get<int>(t, "line");
  read_triple(t, "block", out.block);
  read_triple(t, "thread", out.thread);
  out.address = get<std::uint64_t>(t, "address");
  out.buffer = get<std::string>(t, "buffer");
  out.offset = get<std::int64_t>(t, "offset");
  return out;
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
  if (f.element) j["element"] = json_of(*f.element);
  if (f.fault) j["fault"] = json_of(*f.fault);
  return j;
}

Failure failure_of(const Json& j) {
  Failure f;
  if (j.contains("case")) f.case_name = get<std::string>(j, "case");
  if (j.contains("binding")) f.binding = binding_of(j["binding"]);
  const auto distribution = op::distribution_from_name(get<std::string>(j, "distribution"));
  if (!distribution) throw Wrong{distribution.error().message};
  f.distribution = *distribution;
  f.seed = get<std::uint64_t>(j, "seed");
  if (j.contains("element")) f.element = read_element(j["element"]);
  if (j.contains("fault")) f.fault = read_fault(j["fault"]);
  return f;
}

Json metrics_json(const Metrics& m) {
  Json j = {{"provenance", m.provenance}, {"device", m.device}, {"case", m.case_name}};
  j["values"] = Json::object();
  for (const auto& [name, v] : m.values) j["values"][name] = real(v);
  if (!m.conditions.empty()) j["conditions"] = Json::object();
  for (const auto& [name, text] : m.conditions) j["conditions"][name] = text;
  j["lines"] = Json::array();
  for (const LineCount& l : m.lines)
    j["lines"].push_back({{"line", l.line},
                          {"warp_instructions", l.warp_instructions},
                          {"thread_instructions", l.thread_instructions},
                          {"global_sectors", l.global_sectors},
                          {"shared_wavefronts", l.shared_wavefronts},
                          {"bank_conflicts", l.bank_conflicts},
                          {"divergent_branches", l.divergent_branches},
                          {"global_requests", l.global_requests},
                          {"global_bytes", l.global_bytes}});
  return j;
}

Metrics metrics_of(const Json& j) {
  Metrics m;
  m.provenance = get<std::string>(j, "provenance");
  m.device = get<std::string>(j, "device");
  m.case_name = get<std::string>(j, "case");
  const Json& values = member(j, "values");
  if (!values.is_object()) throw Wrong{"the member 'values' is not an object"};
  for (const auto& [name, v] : values.items()) m.values.emplace_back(name, get_real(values, name.c_str()));
  if (j.contains("conditions")) {
    const Json& conditions = j["conditions"];
    if (!conditions.is_object()) throw Wrong{"the member 'conditions' is not an object"};
    for (const auto& [name, text] : conditions.items())
      m.conditions.emplace_back(name, get<std::string>(conditions, name.c_str()));
  }
  for (const Json& l : list(j, "lines")) {
    LineCount out;
    out.line = get<int>(l, "line");
    out.warp_instructions = get<std::uint64_t>(l, "warp_instructions");
    out.thread_instructions = get<std::uint64_t>(l, "thread_instructions");
    out.global_sectors = get<std::uint64_t>(l, "global_sectors");
    out.shared_wavefronts = get<std::uint64_t>(l, "shared_wavefronts");
    out.bank_conflicts = get<std::uint64_t>(l, "bank_conflicts");
    out.divergent_branches = get<std::uint64_t>(l, "divergent_branches");
    if (l.contains("global_requests"))
      out.global_requests = get<std::uint64_t>(l, "global_requests");  // absent in verdicts of older versions
    if (l.contains("global_bytes")) out.global_bytes = get<std::uint64_t>(l, "global_bytes");
    m.lines.push_back(out);
  }
  return m;
}

Json verdict_json(const Verdict& v) {
  Json j = {{"version", 1},           {"candidate", v.candidate}, {"device", v.device},
            {"accepted", v.accepted}, {"summary", v.summary()},   {"seconds", real(v.seconds)}};
  j["stages"] = Json::array();
  for (const StageResult& s : v.stages) {
    Json stage = {{"stage", stage_name(s.stage)}, {"outcome", outcome_name(s.outcome)}, {"message", s.message}};
    if (!s.detail.empty()) stage["detail"] = s.detail;
    stage["seconds"] = real(s.seconds);
    if (s.failure) stage["failure"] = failure_json(*s.failure);
    j["stages"].push_back(std::move(stage));
  }
  j["coverage"] = Json::array();
  for (const CaseCoverage& c : v.coverage)
    j["coverage"].push_back(
        {{"case", c.case_name}, {"binding", binding_json(c.binding)}, {"claimed", c.claimed}, {"seeds", c.seeds}});
  j["resources"] = resources_json(v.resources);
  if (!v.ptx.empty()) j["ptx"] = v.ptx;
  if (v.metrics) j["metrics"] = metrics_json(*v.metrics);
  return j;
}

Verdict verdict_of(const Json& j) {
  if (get<int>(j, "version") != 1)
    throw Wrong{"it has version " + std::to_string(j["version"].get<int>()) + ", this build reads version 1"};
  Verdict v;
  v.candidate = get<std::string>(j, "candidate");
  v.device = get<std::string>(j, "device");
  v.accepted = get<bool>(j, "accepted");
  v.seconds = get_real(j, "seconds");
  constexpr Outcome outcomes[] = {Outcome::passed, Outcome::failed, Outcome::skipped};
  for (const Json& s : list(j, "stages")) {
    StageResult out;
    out.stage = by_name(s, "stage", all_stages, stage_name);
    out.outcome = by_name(s, "outcome", outcomes, outcome_name);
    out.message = get<std::string>(s, "message");
    if (s.contains("detail")) out.detail = get<std::string>(s, "detail");
    out.seconds = get_real(s, "seconds");
    if (s.contains("failure")) out.failure = failure_of(s["failure"]);
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
  v.resources = read_resources(member(j, "resources"));
  if (j.contains("ptx")) v.ptx = get<std::string>(j, "ptx");
  if (j.contains("metrics")) v.metrics = metrics_of(j["metrics"]);
  return v;
}

// Text from compilers and kernels may hold any bytes: what is not UTF-8 is replaced, so that writing cannot fail.
std::string dump(const Json& j, int indent) { return j.dump(indent, ' ', false, Json::error_handler_t::replace); }

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
  try {
    return guarded(what, Json::parse(text), read);
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "this is not a " + std::string(what) + " in JSON", e.what());
  }
}

}  // namespace

Json json_of(const FailingElement& e) {
  return {{"tensor", e.tensor},
          {"index", e.index},
          {"expected", real(e.expected)},
          {"actual", real(e.actual)},
          {"tolerance", real(e.tolerance)},
          {"error_ulps", real(e.error_ulps)},
          {"wrong", e.wrong},
          {"total", e.total}};
}

Json json_of(const Fault& t) {
  return {{"kind", t.kind},       {"message", t.message},     {"kernel", t.kernel},
          {"line", t.line},       {"block", triple(t.block)}, {"thread", triple(t.thread)},
          {"address", t.address}, {"buffer", t.buffer},       {"offset", t.offset}};
}

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

Result<FailingElement> element_of(const Json& j) { return guarded("failing element", j, &read_element); }
Result<Fault> fault_of(const Json& j) { return guarded("fault", j, &read_fault); }
Result<std::vector<compile::KernelResources>> resources_of(const Json& j) {
  return guarded("list of kernels' resources", j, &read_resources);
}
std::string resources_to_json(const std::vector<compile::KernelResources>& resources) {
  return dump(resources_json(resources), -1);
}
Result<std::vector<compile::KernelResources>> resources_from_json(std::string_view json) {
  return parsed("list of kernels' resources", json, &read_resources);
}

std::string verdict_to_json(const Verdict& verdict, int indent) { return dump(verdict_json(verdict), indent); }
Result<Verdict> verdict_from_json(std::string_view json) { return parsed("verdict", json, &verdict_of); }
std::string binding_to_json(const op::Binding& binding) { return dump(binding_json(binding), -1); }
Result<op::Binding> binding_from_json(std::string_view json) { return parsed("binding", json, &binding_of); }

}  // namespace ww::gate
