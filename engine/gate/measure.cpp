// SPDX-License-Identifier: Apache-2.0
#include "gate/measure.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "evidence/metric.h"
#include "evidence/verdict_json.h"
#include "profile/roofline.h"
#include "profile/statistics.h"

namespace ww::gate {
namespace {

constexpr double time_limit = 5;  // seconds for the rounds
constexpr double counted_us =
    30'000;  // of the cold median: the set takes a dozen replays, some of them instrumented and tens of times slower
constexpr const char* counter_set = "small";

std::string rounded(double v, const char* format = "%.4g") {
  char text[40];
  std::snprintf(text, sizeof text, format, v);
  return text;
}

class Measurer {
 public:
  explicit Measurer(const MeasureRequest& request) : r_(request) {
    const device::Facts& facts = r_.device.facts();
    out_.metrics.provenance = facts.provenance;
    out_.metrics.device = facts.name;
    out_.metrics.case_name = r_.what.name;
  }

  Result<MeasureResult> run() {
    std::unique_ptr<device::Execution> execution = WW_TRY(r_.module.execution());
    Trial trial(r_.spec, r_.plan, std::move(execution));
    WW_TRY(time(trial));
    if (out_.wrong) return std::move(out_);
    compare_with_roofline();
    WW_TRY(count(trial));
    return std::move(out_);
  }

 private:
  void value(std::string_view name, double v) {
    if (!std::isnan(v)) out_.metrics.values.emplace_back(name, v);
  }

  Status time(Trial& trial) {
    device::TimeOptions options;
    options.rounds = r_.rounds;
    options.samples = r_.samples;
    options.limit_seconds = time_limit;
    options.stop = r_.stop;
    TimedTrial timed;
    timed.name = "candidate";
    timed.trial = &trial;
    std::vector<profile::SubjectTiming> timings =
        WW_TRY(time_trials(r_.device, {&timed, 1}, r_.sets, 0, true, options));
    if (timed.wrong) {
      out_.wrong = std::move(timed.wrong);
      out_.wrong_set = timed.wrong_set;
      return {};
    }
    for (const profile::SubjectTiming& t : timings) {
      const profile::Summary s = profile::summarise(profile::times_of(t));
      if (t.cache == profile::Cache::cold)
        cold_ = s, notes_ = t.note;
      else
        warm_ = s;
      clocks_.insert(clocks_.end(), t.samples.begin(), t.samples.end());
    }
    if (cold_.count == 0) return fail(Code::device, "no time was measured");
    value(evidence::metric::median_us, cold_.median);
    value(evidence::metric::q1_us, cold_.q1);
    value(evidence::metric::q3_us, cold_.q3);
    value(evidence::metric::median_warm_us, warm_.median);
    value(evidence::metric::samples, cold_.count);
    describe_conditions();
    return {};
  }

  void describe_conditions() {
    evidence::Conditions& c = out_.metrics.conditions;
    if (const Result<const profile::DeviceDetails*> d = r_.resident.details(); d) {
      c.gpu = (*d)->gpu;
      c.driver = (*d)->driver;
      c.cuda = (*d)->cuda;
    }
    std::vector<double> sm, memory, temperature;
    std::optional<std::uint64_t> throttle;
    for (const profile::TimedSample& s : clocks_) {
      sm.push_back(s.clocks.sm_mhz);
      memory.push_back(s.clocks.memory_mhz);
      temperature.push_back(s.clocks.temperature_c);
      if (s.clocks.throttle) throttle = throttle.value_or(0) | *s.clocks.throttle;
    }
    c.sm_mhz = range_text(sm);
    c.memory_mhz = range_text(memory);
    c.temperature_c = range_text(temperature);
    if (throttle) {
      const std::string words = profile::throttle_words(*throttle);
      c.throttle = words.empty() ? "none" : words;
    }
    c.cache = "median_us: L2 overwritten before each replay; median_warm_us: L2 as the previous replay left it";
    c.rounds = std::to_string(r_.rounds) + " of " + std::to_string(r_.samples) + " samples";
    for (const TimedSet& s : r_.sets)
      c.inputs += (c.inputs.empty() ? "" : ", ") + std::string(op::distribution_name(s.what.distribution)) + " seed " +
                  std::to_string(s.what.seed);
    c.note = notes_;
  }

  void compare_with_roofline() {
    Metrics& m = out_.metrics;
    const Result<const profile::DeviceDetails*> details = r_.resident.details();
    const Result<const profile::Ceilings*> ceilings = r_.resident.ceilings(r_.stop);
    if (!details) return (void)(m.floor_why_not = details.error().text());
    const profile::Ceilings none;
    const Result<profile::Roofline> roofline =
        profile::roofline(r_.spec, r_.what.binding, **details, ceilings ? **ceilings : none);
    if (!roofline) return (void)(m.floor_why_not = roofline.error().text());
    const bool measured = !std::isnan(roofline->measured.us);
    const profile::Roof& roof = measured ? roofline->measured : roofline->datasheet;
    if (!std::isnan(roof.us))
      m.floor = Floor{roof.us, measured ? Floor::Rates::measured : Floor::Rates::datasheet, roof.limit};
    for (const auto& [cache, summary] :
         {std::pair(profile::Cache::cold, cold_), std::pair(profile::Cache::warm, warm_)}) {
      if (summary.count == 0) continue;
      const profile::Achieved a = profile::achieved(*roofline, cache, summary.median);
      if (!a.impossible) continue;
      m.impossible = a.why;
      break;
    }
  }

  Status count(Trial& trial) {
    if (cold_.median > counted_us) {
      out_.metrics.counters_why_not = "the replays of a plan of " + rounded(cold_.median / 1000) +
                                      " ms would take too long here; profile it separately";
      return {};
    }
    if (Status s = trial.load(r_.sets[0].inputs, 0xFF); !s) return s;
    const Result<profile::CounterReport> report =
        r_.device.count(trial.execution(), r_.plan.launches, counter_set, r_.stop);
    if (!report) {
      if (report.error().code != Code::unsupported) return fail(report.error());
      out_.metrics.counters_why_not = report.error().text();
      return {};
    }
    out_.metrics.counters_why_not = report->why_not;
    if (report->why_not.empty())
      out_.metrics.conditions.counters = "set " + report->set + ", " + std::to_string(report->passes) +
                                         (report->passes == 1 ? " pass, " : " passes, ") +
                                         rounded(report->seconds, "%.2f") + " s";
    for (const auto& [name, v] : plan_counters(*report)) value(name, v);
    return {};
  }

  const MeasureRequest& r_;
  MeasureResult out_;
  profile::Summary cold_, warm_;
  std::vector<profile::TimedSample> clocks_;
  std::string notes_;
};

}  // namespace

std::vector<std::pair<std::string, double>> plan_counters(const profile::CounterReport& report) {
  std::vector<std::pair<std::string, double>> out;
  for (const profile::KernelCounters& k : report.kernels)
    for (const profile::Counter& c : k.values) {
      if (report.kernels.size() > 1 && !c.name.ends_with(".sum")) continue;
      const auto at = std::find_if(out.begin(), out.end(), [&](const auto& v) { return v.first == c.name; });
      if (at == out.end())
        out.emplace_back(c.name, c.value);
      else
        at->second += c.value;  // NaN stays NaN: a sum with a part that is not known is not known
    }
  return out;
}

std::string range_text(const std::vector<double>& values) {
  const profile::Summary s = profile::summarise(values);
  if (s.count == 0) return {};
  return s.least == s.most ? rounded(s.least) : rounded(s.least) + " to " + rounded(s.most);
}

Result<MeasureResult> measure(const MeasureRequest& request) { return Measurer(request).run(); }

}  // namespace ww::gate
