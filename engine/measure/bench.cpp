// SPDX-License-Identifier: Apache-2.0
#include "measure/bench.h"
#include <algorithm>
#include <fmt/format.h>
#include "base/device_name.h"

namespace ww::measure {
namespace {

void report(const ProgressHandler& progress, double fraction, std::string text) {
  if (progress) progress({fraction, std::move(text)});
}

rpc::TimeSubject timed(const Subject& s) { return {s.label, s.text, s.language, ""}; }

profile::MeasuredSubject named(const Subject& s) { return {s.label, s.hash, s.title, s.tuning, {}, false, {}, {}}; }

}  // namespace

std::string why_not_measurable(const std::string& device) {
  return is_simt(device)
             ? "the SIMT machine counts work but has no clock, so nothing can be timed there: it needs a GPU"
             : "";
}

Result<Bench> Bench::open(const Setup& setup, bool baselines, const std::stop_token& cancel,
                          const ProgressHandler& progress) {
  if (const std::string why = why_not_measurable(setup.device); !why.empty()) return fail(Code::unsupported, why);
  Bench b;
  b.setup_ = setup;
  rpc::WorkerOptions options;
  options.profile = rpc::WorkerProfile::cuda;
  options.baselines = baselines;
  b.worker_ = std::make_unique<rpc::Supervisor>(options);
  report(progress, 0,
         "opening " + setup.device + " (the first time its ceilings are measured, which takes some seconds)");
  rpc::DeviceRequest request;
  request.name = setup.device;
  request.ceilings = true;
  rpc::DeviceReply reply = WW_TRY(b.worker_->device(request, cancel));
  b.device_ = std::move(reply.details);
  b.ceilings_ = std::move(reply.ceilings);
  return b;
}

rpc::TimeRequest Bench::time_request(const Case& what) const {
  return {.spec = what.spec_text,
          .device = setup_.device,
          .architecture = setup_.architecture,
          .binding = what.binding,
          .rounds = setup_.rounds,
          .samples = setup_.samples};
}

profile::Measurement Bench::begin(profile::MeasurementKind kind, const Case& what) const {
  profile::Measurement m;
  m.kind = kind;
  m.op = what.spec.name;
  m.binding = full_binding(what);
  m.device = device_;
  m.ceilings = ceilings_;
  return m;
}

Result<profile::Measurement> time(Bench& bench, const Case& what, const Subject& subject, const std::stop_token& cancel,
                                  const ProgressHandler& progress) {
  rpc::TimeRequest request = bench.time_request(what);
  request.subjects.push_back(timed(subject));
  rpc::TimeReply reply = WW_TRY(bench.worker().time(
      request, cancel, [&](const rpc::Progress& p) { report(progress, p.fraction, p.stage + ": " + p.message); }));
  if (reply.subjects.size() != 1) return fail(Code::corrupt, "the worker's answer does not match the request");
  rpc::TimedOutcome& outcome = reply.subjects.front();
  profile::MeasuredSubject s = named(subject);
  s.why_not = outcome.error;
  s.verified = outcome.verified;
  s.note = outcome.note;
  s.timings = std::move(outcome.timings);
  profile::Measurement m = bench.begin(profile::MeasurementKind::time, what);
  m.subjects.push_back(std::move(s));
  return m;
}

Result<profile::Measurement> compare(Bench& bench, const Case& what, const std::vector<Subject>& subjects,
                                     const std::stop_token& cancel, const ProgressHandler& progress) {
  profile::Measurement m = bench.begin(profile::MeasurementKind::compare, what);
  rpc::TimeRequest request = bench.time_request(what);
  for (const Subject& s : subjects) {
    request.subjects.push_back(timed(s));
    m.subjects.push_back(named(s));
  }
  for (int round = 0; round < request.rounds && request.subjects.size() > 1; ++round)
    WW_TRY(time_round(bench, request, round, m.subjects, cancel, progress));
  return m;
}

Result<Counted> count(Bench& bench, const Case& what, const Subject& subject, const std::string& set,
                      const std::stop_token& cancel, const ProgressHandler& progress) {
  report(progress, 0, "counting");
  const rpc::CountRequest request{.spec = what.spec_text,
                                  .candidate = subject.text,
                                  .language = subject.language,
                                  .device = bench.setup().device,
                                  .architecture = bench.setup().architecture,
                                  .binding = what.binding,
                                  .set = set};
  Counted counted;
  counted.measurement = bench.begin(profile::MeasurementKind::counters, what);
  counted.measurement.counters = WW_TRY(bench.worker().count(request, cancel));
  counted.measurement.subjects.push_back(named(subject));
  if (counted.measurement.counters->why_not.empty()) return counted;

  // The facts that are known without counters.
  profile::MeasuredSubject& s = counted.measurement.subjects.front();
  Result<profile::Measurement> timing = time(bench, what, subject, cancel, progress);
  if (!timing && timing.error().code == Code::cancelled) return fail(timing.error());
  if (timing)
    s = std::move(timing->subjects.front());
  else
    s.why_not = timing.error().text();
  rpc::CompileRequest compile;
  compile.candidate = subject.text;
  compile.language = subject.language;
  compile.architecture = bench.setup().architecture.empty() ? bench.device().architecture : bench.setup().architecture;
  const Result<compile::Output> compiled = bench.worker().compile(compile, cancel);
  const Result<profile::DeviceLimits> limits = profile::device_limits(bench.device().architecture);
  const Result<candidate::Candidate> parsed = candidate::parse(subject.text, subject.language);
  if (!compiled || !limits || !parsed) return counted;
  if (const Result<candidate::Plan> plan =
          candidate::plan(*parsed, what.spec, what.binding, candidate::first_tuning(*parsed)))
    counted.launches = profile::launches_of(*plan, compiled->resources, &*limits);
  return counted;
}

profile::MeasuredSubject& outcome_of(std::vector<profile::MeasuredSubject>& all, const std::string& name) {
  for (profile::MeasuredSubject& o : all)
    if (o.name == name) return o;
  all.push_back({.name = name});
  return all.back();
}

void add_timing(profile::MeasuredSubject& o, const profile::SubjectTiming& t) {
  for (profile::SubjectTiming& earlier : o.timings) {
    if (earlier.cache != t.cache) continue;
    earlier.samples.insert(earlier.samples.end(), t.samples.begin(), t.samples.end());
    earlier.graph = earlier.graph && t.graph;
    if (earlier.note.empty()) earlier.note = t.note;
    return;
  }
  o.timings.push_back(t);
}

Status time_round(Bench& bench, rpc::TimeRequest& request, int round, std::vector<profile::MeasuredSubject>& all,
                  const std::stop_token& cancel, const ProgressHandler& progress) {
  if (request.subjects.empty()) return {};
  rpc::TimeRequest part = request;
  part.rounds = 1;
  part.round_offset = round;
  part.order_seed = static_cast<std::uint64_t>(round);
  part.verify = round == 0;
  if (round % 2 == 1) std::reverse(part.subjects.begin(), part.subjects.end());
  const rpc::TimeReply reply = WW_TRY(bench.worker().time(part, cancel, [&](const rpc::Progress& p) {
    report(progress, (round + p.fraction) / request.rounds,
           fmt::format("round {} of {}: {}: {}", round + 1, request.rounds, p.stage, p.message));
  }));
  for (const rpc::TimedOutcome& t : reply.subjects) {
    profile::MeasuredSubject& o = outcome_of(all, t.name);
    if (o.why_not.empty()) o.why_not = t.error;
    if (round == 0) o.note = t.note;
    o.verified = o.verified || t.verified;
    for (const profile::SubjectTiming& timing : t.timings) add_timing(o, timing);
    if (!t.error.empty()) std::erase_if(request.subjects, [&](const rpc::TimeSubject& s) { return s.name == t.name; });
  }
  return {};
}

std::optional<profile::Roofline> roofline_of(const Case& what, const profile::Measurement& m) {
  Result<profile::Roofline> r = profile::roofline(what.spec, what.binding, m.device.value_or(profile::DeviceDetails()),
                                                  m.ceilings.value_or(profile::Ceilings()));
  return r ? std::optional(std::move(*r)) : std::nullopt;
}

std::vector<CacheRatio> ratios_of(const profile::MeasuredSubject& a, const profile::MeasuredSubject& b) {
  std::vector<CacheRatio> list;
  for (const profile::Cache cache : {profile::Cache::cold, profile::Cache::warm}) {
    const profile::SubjectTiming *x = profile::timing_in(a, cache), *y = profile::timing_in(b, cache);
    if (x && y) list.push_back({cache, profile::compare(*x, *y)});
  }
  return list;
}

}  // namespace ww::measure
