// SPDX-License-Identifier: Apache-2.0
// Messages of time, profile and device.
#include <cmath>
#include <limits>
#include <set>
#include "base/described_json.h"
#include "evidence/verdict_json.h"
#include "profile/measurement_json.h"
#include "rpc/messages.h"
#include "rpc/params.h"

namespace ww::rpc {
namespace {

constexpr std::size_t max_subjects = 64;
constexpr int max_rounds = 10'000, max_samples = 1000;

Json binding_params(const op::Binding& binding) { return Json::parse(evidence::binding_to_json(binding)); }

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

}  // namespace ww::rpc
