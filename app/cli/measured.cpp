// SPDX-License-Identifier: Apache-2.0
#include "measured.h"
#include <cmath>
#include <fmt/format.h>
#include "answer.h"
#include "op/parse.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char *not_known = "-", *from_here = "measured from the command line";

std::string short_number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : not_known; }
std::string us_text(double us) {
  return !std::isfinite(us) ? not_known
         : us < 10          ? fmt::format("{:.3f}", us)
         : us < 1000        ? fmt::format("{:.2f}", us)
                            : fmt::format("{:.1f}", us);
}

// The settings of `set`, with those of `base` that it leaves open.
Result<op::Binding> case_of(const op::Spec& spec, const op::Binding& base, const std::vector<std::string>& set) {
  Result<op::Binding> binding = binding_of(spec, set);
  if (!binding) return binding;
  binding->symbols.insert(base.symbols.begin(), base.symbols.end());
  binding->constants.insert(base.constants.begin(), base.constants.end());
  if (const Result<op::Resolved> r = op::resolve(spec, *binding); !r)
    return fail(Code::invalid_argument, r.error().message, r.error().cause);
  return binding;
}

Json case_json(const measure::Case& what) {
  Json symbols = Json::object(), constants = Json::object();
  if (const Result<op::Resolved> r = op::resolve(what.spec, what.binding)) {
    for (const std::string& s : what.spec.symbols) symbols[s] = r->symbols.at(s);
    for (const op::ResolvedConstant& c : r->constants)
      constants[c.name] = c.type == op::Type::real ? Json(c.real) : Json(c.integer);
  }
  return {{"op", what.spec.name}, {"symbols", symbols}, {"constants", constants}};
}

}  // namespace

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Result<Target> resolve_case(const op::Library& library, const std::string& op, const std::vector<std::string>& set) {
  CommandSubject subject = WW_TRY(resolve_subject(library, op));
  if (!subject.spec)
    return fail(Code::invalid_argument, "'" + op + "' is not an op; give the name of one, FILE.op or a sentence",
                unclear_text(*subject.understanding));
  Target t;
  t.what.spec = std::move(*subject.spec);
  t.what.spec_text = subject.text;
  t.what.binding = WW_TRY(case_of(t.what.spec, {}, set));
  return t;
}

Result<Target> resolve_target(const Common& common, const op::Library& library, const std::string& given,
                              const std::string& op, const std::vector<std::string>& set) {
  Target t;
  const fs::path file(given);
  if (file.extension() == ".cu" || file.extension() == ".ptx") {
    CommandSubject subject = WW_TRY(resolve_candidate(library, file, op));
    t.what.spec = std::move(*subject.spec);
    t.what.spec_text = subject.text;
    t.subject =
        WW_TRY(measure::subject_of(subject.candidate->text, subject.candidate->language, file.filename().string()));
  } else {
    const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
    if (!workspace && workspace.error().code == Code::not_found)
      return fail(
          Code::invalid_argument,
          "'" + given + "' is not a .cu or .ptx file, and there is no workspace in which to look up a candidate",
          workspace.error().message);
    WW_CHECK(workspace);
    measure::Stored stored = WW_TRY(measure::stored_subject(**workspace, WW_TRY((*workspace)->find_candidate(given))));
    if (!op.empty()) {
      t = WW_TRY(resolve_case(library, op, {}));
      t.what.binding = {};
    } else {
      t.what = std::move(stored.what);
    }
    t.subject = std::move(stored.subject);
  }
  t.what.binding = WW_TRY(case_of(t.what.spec, t.what.binding, set));
  return t;
}

Result<Opened> open_bench(const Common& common, const MeasureArgs& args, bool baselines, std::stop_token stop) {
  LiveLine live;
  Result<measure::Bench> bench = measure::Bench::open({args.device, args.architecture, args.rounds, args.samples},
                                                      baselines, stop, shown_on(live));
  if (!bench && !measure::why_not_measurable(args.device).empty())
    return fail(Code::unsupported,
                bench.error().message +
                    ". Name one with --device cuda:0; 'check' and 'explore' "
                    "show the SIMT machine's counts",
                bench.error().cause);
  WW_CHECK(bench);
  return Opened{std::move(*bench), WW_TRY(open_workspace(common, Access::create))};
}

measure::ProgressHandler shown_on(LiveLine& live) {
  return [&live](const measure::Progress& p) { live.show(fmt::format("{:3.0f} %  {}", 100 * p.fraction, p.text)); };
}

Watch shown_live(LiveLine& live) {
  return {{}, [&live](double fraction, const std::string& text) {
            live.show(fmt::format("{:3.0f} %  {}", 100 * fraction, text));
          }};
}

int print_measured(const Common& common, const MeasureArgs& args,
                   const std::function<Result<Answer>(Opened&, const Watch&)>& measure) {
  Result<Opened> opened = open_bench(common, args, false);
  if (!opened) return failed(common, opened.error(), Exit::environment);
  LiveLine live;
  Result<Answer> answer = measure(*opened, shown_live(live));
  live.clear();
  if (!answer) return failed(common, answer.error(), Exit::environment);
  return print_answer(common, std::move(*answer));
}

measure::ProgressHandler measuring(const Watch& watch) {
  return [&watch](const measure::Progress& p) { watch.progress(p.fraction, p.text); };
}

std::string device_text(const profile::Measurement& m) {
  return fmt::format("{} ({}, driver {})", m.device->gpu, m.device->name,
                     m.device->driver.empty() ? "unknown" : m.device->driver);
}

std::string tuning_text(const measure::Subject& subject) {
  return subject.tuning.empty() ? "" : "Tuned with the first values: " + subject.tuning + '\n';
}

Json common_json(const measure::Case& what, const profile::Measurement& m,
                 const std::optional<profile::Roofline>& roofline) {
  Json raw = Json::array();
  for (const profile::MeasuredSubject& s : m.subjects)
    for (const profile::SubjectTiming& t : s.timings) raw.push_back(json::of(t));
  return {{"case", case_json(what)},
          {"roofline", json::of(roofline)},
          {"device", json::of(*m.device)},
          {"ceilings", json::of(m.ceilings)},
          {"raw", raw}};
}

Result<Json> keep_json(Opened& opened, const measure::Case& what, const std::vector<measure::Subject>& subjects,
                       const profile::Measurement& m) {
  return json::of(WW_TRY(measure::keep(*opened.workspace, what, subjects, m, from_here)));
}

Result<Measured> measure_target(Opened& opened, const Target& target, const measure::Request& request,
                                const Watch& watch) {
  Measured done{
      WW_TRY(measure::measure_one(opened.bench, target.what, *target.subject, request, watch.stop, measuring(watch))),
      {}};
  done.kept =
      WW_TRY(measure::keep_one(*opened.workspace, target.what, *target.subject, done.counted.measurement, from_here));
  return done;
}

Json timing_json(const profile::SubjectTiming& t, const std::optional<profile::Roofline>& roofline) {
  const profile::TimingFacts f = profile::facts_of(t, roofline ? &*roofline : nullptr);
  const profile::Summary& s = f.summary;
  return {{"subject", t.subject},
          {"cache", enum_string(t.cache)},
          {"provenance", "measured"},
          {"samples", s.count},
          {"median_us", number_json(s.median)},
          {"q1_us", number_json(s.q1)},
          {"q3_us", number_json(s.q3)},
          {"least_us", number_json(s.least)},
          {"most_us", number_json(s.most)},
          {"floor_us", number_json(f.floor_us)},
          {"fraction", number_json(f.achieved.fraction)},
          {"bandwidth", number_json(f.achieved.bandwidth)},
          {"rate", number_json(f.achieved.rate)},
          {"impossible", f.achieved.impossible ? Json(f.achieved.why) : Json(nullptr)},
          {"sm_mhz", number_json(f.clocks.sm_mhz)},
          {"throttle", f.clocks.throttle ? Json(profile::throttle_words(*f.clocks.throttle)) : Json(nullptr)},
          {"note", t.note}};
}

Json timings_json(const profile::MeasuredSubject& subject, const std::optional<profile::Roofline>& roofline) {
  Json list = Json::array();
  for (const profile::SubjectTiming& t : subject.timings) list.push_back(timing_json(t, roofline));
  return list;
}

std::vector<std::string> timing_headers() {
  return {"Subject",   "Cache",     "#Median us", "#IQR us", "#Samples",
          "#Floor us", "#Of floor", "#GB/s",      "#MHz",    "Clocks held by"};
}

std::vector<std::string> timing_row(const profile::SubjectTiming& t, const std::optional<profile::Roofline>& roofline) {
  const profile::TimingFacts f = profile::facts_of(t, roofline ? &*roofline : nullptr);
  const profile::Achieved& a = f.achieved;
  const std::string held = f.clocks.throttle ? profile::throttle_words(*f.clocks.throttle) : not_known;
  return {safe(t.subject),
          enum_string(t.cache),
          us_text(f.summary.median),
          us_text(f.summary.iqr()),
          std::to_string(f.summary.count),
          us_text(f.floor_us),
          a.impossible                ? "impossible"
          : std::isfinite(a.fraction) ? fmt::format("{:.0f} %", 100 * a.fraction)
                                      : not_known,
          std::isfinite(a.bandwidth) ? fmt::format("{:.0f}", a.bandwidth / 1e9) : not_known,
          std::isfinite(f.clocks.sm_mhz) ? fmt::format("{:.0f}", f.clocks.sm_mhz) : not_known,
          held.empty() ? "nothing" : held};
}

std::string timing_remarks(const profile::MeasuredSubject& subject, const std::optional<profile::Roofline>& roofline) {
  std::string out;
  for (const profile::SubjectTiming& t : subject.timings) {
    const std::string who = safe(t.subject) + ", " + enum_string(t.cache) + ": ";
    if (!t.note.empty()) out += who + safe(t.note) + '\n';
    const profile::Achieved a = profile::facts_of(t, roofline ? &*roofline : nullptr).achieved;
    if (a.impossible) out += coloured(Colour::red, who + a.why) + '\n';
  }
  return out;
}

std::string floor_text(const std::optional<profile::Roofline>& r) {
  if (!r) return "Floor: not modelled for this op\n";
  std::string out = "Floor (modelled from the spec's bytes and operations): ";
  const auto roof = [](const profile::Roof& f) {
    return us_text(f.us) + " us" + (f.limit == profile::Limit::unknown ? "" : ", by " + enum_string(f.limit));
  };
  out += std::isfinite(r->measured.us) ? roof(r->measured) + " at the rates measured on this device"
                                       : std::string("no rates were measured on this device");
  if (std::isfinite(r->datasheet.us)) out += "; " + roof(r->datasheet) + " at the datasheet's";
  out += fmt::format("; {} bytes, {} operations\n", short_number(r->bytes_read + r->bytes_written),
                     short_number(r->flops));
  return out;
}

std::string timing_text(const profile::MeasuredSubject& subject, const std::optional<profile::Roofline>& roofline) {
  std::vector<std::vector<std::string>> rows;
  for (const profile::SubjectTiming& t : subject.timings) rows.push_back(timing_row(t, roofline));
  return table(timing_headers(), rows) + floor_text(roofline) + timing_remarks(subject, roofline);
}

std::string ratio_text(const profile::Ratio& r) {
  if (r.call == profile::Call::not_comparable) return "not comparable: " + r.why;
  return fmt::format("{:.3f} ({:.3f} to {:.3f}), {}", r.ratio, r.low, r.high, enum_name(r.call));
}

}  // namespace ww::cli
