// SPDX-License-Identifier: Apache-2.0
// Messages of time, profile, device and execute.
#include <cmath>
#include <limits>
#include <set>
#include "gate/verdict_json.h"
#include "profile/measurement_json.h"
#include "rpc/messages.h"
#include "rpc/params.h"

namespace ww::rpc {
namespace {

constexpr std::size_t max_subjects = 64;
constexpr int max_rounds = 10'000, max_samples = 1000;

Json binding_params(const op::Binding& binding) { return Json::parse(gate::binding_to_json(binding)); }

Json real_json(double v) {
  if (std::isnan(v)) return nullptr;
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return v;
}

Status read_real(const Json& j, const char* name, double& into) {
  const auto at = j.find(name);
  if (at == j.end() || at->is_null())
    into = profile::unknown;
  else if (at->is_number())
    into = at->get<double>();
  else if (*at == "inf")
    into = std::numeric_limits<double>::infinity();
  else if (*at == "-inf")
    into = -std::numeric_limits<double>::infinity();
  else
    return fail(Code::invalid_argument, std::string("the member '") + name + "' is no number");
  return {};
}

Status first_of(std::initializer_list<Status> all) {
  for (const Status& s : all)
    if (!s) return s;
  return {};
}

tl::unexpected<Error> unreadable(const char* method, const Error& e) {
  return fail(Code::corrupt, std::string("the reply to ") + method + " cannot be read", e.text());
}

const Json* list_of(const Json& j, const char* name) {
  if (!j.is_object()) return nullptr;
  const auto at = j.find(name);
  if (at == j.end() || !at->is_array()) return nullptr;
  for (const Json& one : *at)
    if (!one.is_object()) return nullptr;
  return &*at;
}

}  // namespace

Json time_params(const TimeRequest& r) {
  Json subjects = Json::array();
  for (const TimeSubject& s : r.subjects) {
    Json j = {{"name", s.name}};
    if (s.candidate.empty())
      j["baseline"] = s.baseline;
    else {
      j["candidate"] = s.candidate;
      j["language"] = candidate::language_name(s.language);
    }
    subjects.push_back(std::move(j));
  }
  return {{"spec", r.spec},
          {"device", r.device},
          {"architecture", r.architecture},
          {"binding", binding_params(r.binding)},
          {"subjects", subjects},
          {"rounds", r.rounds},
          {"samples", r.samples},
          {"cold", r.cold},
          {"warm", r.warm},
          {"order_seed", r.order_seed},
          {"round_offset", r.round_offset},
          {"verify", r.verify}};
}

Result<TimeRequest> time_request(const Json& p) {
  TimeRequest r;
  WW_TRY(first_of({read(p, "spec", r.spec), read(p, "device", r.device), read_architecture(p, r.architecture),
                   read_binding(p, r.binding), read(p, "rounds", r.rounds), read(p, "samples", r.samples),
                   read(p, "cold", r.cold), read(p, "warm", r.warm), read(p, "order_seed", r.order_seed),
                   read(p, "round_offset", r.round_offset), read(p, "verify", r.verify)}));
  if (r.rounds < 1 || r.rounds > max_rounds)
    return fail(Code::invalid_argument, "the number of rounds must lie between 1 and " + std::to_string(max_rounds));
  if (r.samples < 1 || r.samples > max_samples)
    return fail(Code::invalid_argument, "the number of samples must lie between 1 and " + std::to_string(max_samples));
  if (r.round_offset < 0) return fail(Code::invalid_argument, "the offset of rounds must not be negative");
  if (!r.cold && !r.warm) return fail(Code::invalid_argument, "neither the cold nor the warm cache is asked for");
  const Json* subjects = list_of(p, "subjects");
  if (!subjects || subjects->empty())
    return fail(Code::invalid_argument, "the parameter 'subjects' must be a list of at least one object");
  if (subjects->size() > max_subjects)
    return fail(Code::invalid_argument, "at most " + std::to_string(max_subjects) + " subjects can be timed at once");
  std::set<std::string> names;
  for (const Json& j : *subjects) {
    TimeSubject s;
    WW_TRY(first_of({read(j, "name", s.name), read(j, "candidate", s.candidate), read_language(j, s.language),
                     read(j, "baseline", s.baseline)}));
    if (s.name.empty() || !names.insert(s.name).second)
      return fail(Code::invalid_argument, "every subject needs a name of its own");
    if (s.candidate.empty() == s.baseline.empty())
      return fail(Code::invalid_argument, "the subject '" + s.name + "' must be a candidate or a baseline");
    r.subjects.push_back(std::move(s));
  }
  return r;
}

Json time_result(const TimeReply& r) {
  Json j = {{"device", profile::json_of(r.device)}, {"subjects", Json::array()}, {"seconds", r.seconds}};
  for (const TimedOutcome& s : r.subjects) {
    Json out = {
        {"name", s.name}, {"error", s.error}, {"verified", s.verified}, {"note", s.note}, {"timings", Json::array()}};
    for (const profile::SubjectTiming& t : s.timings) out["timings"].push_back(profile::json_of(t));
    j["subjects"].push_back(std::move(out));
  }
  return j;
}

Result<TimeReply> time_reply(const Json& j) {
  const Json* subjects = list_of(j, "subjects");
  if (!subjects || !j.contains("device"))
    return unreadable("time", {Code::corrupt, "it has no subjects or no device", {}});
  TimeReply r;
  Result<profile::DeviceDetails> details = profile::details_of(j["device"]);
  if (!details) return unreadable("time", details.error());
  r.device = std::move(*details);
  if (Status s = read(j, "seconds", r.seconds); !s) return unreadable("time", s.error());
  for (const Json& one : *subjects) {
    TimedOutcome out;
    if (Status s = first_of({read(one, "name", out.name), read(one, "error", out.error),
                             read(one, "verified", out.verified), read(one, "note", out.note)});
        !s)
      return unreadable("time", s.error());
    const Json* timings = list_of(one, "timings");
    if (!timings) return unreadable("time", {Code::corrupt, "a subject has no timings", {}});
    for (const Json& t : *timings) {
      Result<profile::SubjectTiming> timing = profile::timing_of(t);
      if (!timing) return unreadable("time", timing.error());
      out.timings.push_back(std::move(*timing));
    }
    r.subjects.push_back(std::move(out));
  }
  return r;
}

Json count_params(const CountRequest& r) {
  return {{"spec", r.spec},     {"candidate", r.candidate},       {"language", candidate::language_name(r.language)},
          {"device", r.device}, {"architecture", r.architecture}, {"binding", binding_params(r.binding)},
          {"set", r.set}};
}

Result<CountRequest> count_request(const Json& p) {
  CountRequest r;
  WW_TRY(first_of({read(p, "spec", r.spec), read(p, "candidate", r.candidate), read_language(p, r.language),
                   read(p, "device", r.device), read_architecture(p, r.architecture), read_binding(p, r.binding),
                   read(p, "set", r.set)}));
  return r;
}

Json device_params(const DeviceRequest& r) { return {{"name", r.name}, {"ceilings", r.ceilings}}; }

Result<DeviceRequest> device_request(const Json& p) {
  DeviceRequest r;
  WW_TRY(first_of({read(p, "name", r.name), read(p, "ceilings", r.ceilings)}));
  return r;
}

Json device_result(const DeviceReply& r) {
  Json j = {{"details", profile::json_of(r.details)}};
  if (r.ceilings) j["ceilings"] = profile::json_of(*r.ceilings);
  return j;
}

Result<DeviceReply> device_reply(const Json& j) {
  if (!j.is_object() || !j.contains("details")) return unreadable("device", {Code::corrupt, "it has no details", {}});
  DeviceReply r;
  Result<profile::DeviceDetails> details = profile::details_of(j["details"]);
  if (!details) return unreadable("device", details.error());
  r.details = std::move(*details);
  if (!j.contains("ceilings")) return r;
  Result<profile::Ceilings> ceilings = profile::ceilings_of(j["ceilings"]);
  if (!ceilings) return unreadable("device", ceilings.error());
  r.ceilings = std::move(*ceilings);
  return r;
}

Json execute_params(const ExecuteRequest& r) {
  return {{"spec", r.spec},
          {"candidate", r.candidate},
          {"language", candidate::language_name(r.language)},
          {"device", r.device},
          {"architecture", r.architecture},
          {"binding", binding_params(r.binding)},
          {"distribution", op::distribution_name(r.distribution)},
          {"seed", r.seed}};
}

Result<ExecuteRequest> execute_request(const Json& p) {
  ExecuteRequest r;
  std::string distribution(op::distribution_name(r.distribution));
  WW_TRY(first_of({read(p, "spec", r.spec), read(p, "candidate", r.candidate), read_language(p, r.language),
                   read(p, "device", r.device), read_architecture(p, r.architecture), read_binding(p, r.binding),
                   read(p, "distribution", distribution), read(p, "seed", r.seed)}));
  const Result<op::Distribution> d = op::distribution_from_name(distribution);
  if (!d) return fail(Code::invalid_argument, d.error().message, d.error().cause);
  r.distribution = *d;
  return r;
}

Json execute_result(const ExecuteReply& r) {
  Json j = {{"right", r.right},
            {"message", r.message},
            {"printed", r.printed},
            {"outputs", Json::array()},
            {"resources", gate::resources_json(r.resources)},
            {"seconds", r.seconds}};
  if (r.fault) j["fault"] = gate::json_of(*r.fault);
  for (const ExecutedOutput& o : r.outputs) {
    Json out = {{"tensor", o.tensor},
                {"dtype", dtype_name(o.dtype)},
                {"shape", o.shape},
                {"total", o.total},
                {"unchecked", o.unchecked},
                {"wrong", o.wrong},
                {"largest_ratio", real_json(o.largest_ratio)},
                {"least", real_json(o.least)},
                {"most", real_json(o.most)},
                {"mean", real_json(o.mean)},
                {"nans", o.nans},
                {"infinities", o.infinities}};
    if (o.worst) out["worst"] = gate::json_of(*o.worst);
    j["outputs"].push_back(std::move(out));
  }
  return j;
}

Result<ExecuteReply> execute_reply(const Json& j) {
  const Json* outputs = list_of(j, "outputs");
  if (!outputs || !j.contains("resources"))
    return unreadable("execute", {Code::corrupt, "it has no outputs or no resources", {}});
  ExecuteReply r;
  if (Status s = first_of({read(j, "right", r.right), read(j, "message", r.message), read(j, "printed", r.printed),
                           read(j, "seconds", r.seconds)});
      !s)
    return unreadable("execute", s.error());
  Result<std::vector<compile::KernelResources>> resources = gate::resources_of(j["resources"]);
  if (!resources) return unreadable("execute", resources.error());
  r.resources = std::move(*resources);
  if (j.contains("fault")) {
    Result<gate::Fault> fault = gate::fault_of(j["fault"]);
    if (!fault) return unreadable("execute", fault.error());
    r.fault = std::move(*fault);
  }
  for (const Json& one : *outputs) {
    ExecutedOutput o;
    std::string dtype;
    if (Status s = first_of({read(one, "tensor", o.tensor), read(one, "dtype", dtype), read(one, "total", o.total),
                             read(one, "unchecked", o.unchecked), read(one, "wrong", o.wrong),
                             read_real(one, "largest_ratio", o.largest_ratio), read_real(one, "least", o.least),
                             read_real(one, "most", o.most), read_real(one, "mean", o.mean), read(one, "nans", o.nans),
                             read(one, "infinities", o.infinities)});
        !s)
      return unreadable("execute", s.error());
    const std::optional<DType> type = dtype_from_name(dtype);
    if (!type) return unreadable("execute", {Code::corrupt, "there is no dtype '" + dtype + "'", {}});
    o.dtype = *type;
    const auto shape = one.find("shape");
    if (shape == one.end() || !shape->is_array())
      return unreadable("execute", {Code::corrupt, "an output has no shape", {}});
    for (const Json& extent : *shape) {
      if (!extent.is_number_integer())
        return unreadable("execute", {Code::corrupt, "a shape that is not of integers", {}});
      o.shape.push_back(extent.get<std::int64_t>());
    }
    if (one.contains("worst")) {
      Result<gate::FailingElement> worst = gate::element_of(one["worst"]);
      if (!worst) return unreadable("execute", worst.error());
      o.worst = std::move(*worst);
    }
    r.outputs.push_back(std::move(o));
  }
  return r;
}

}  // namespace ww::rpc
