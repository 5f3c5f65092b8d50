// SPDX-License-Identifier: Apache-2.0
#include "measured.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "console.h"
#include "explore/options_json.h"
#include "op/parse.h"
#include "profile/measurement_json.h"

namespace ww::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* not_known = "-";

std::string short_number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : not_known; }

// The candidate with each open choice made, as 'check' does it.
Status take_candidate(Measured& m, std::string text, candidate::Language language) {
  const Result<candidate::Candidate> parsed = candidate::parse(text, language);
  if (!parsed)
    return fail(Code::invalid_argument, m.label + " is not a candidate: " + parsed.error().message,
                parsed.error().cause);
  candidate::Candidate c = *parsed;
  m.tuning = pin_first(c);
  m.text = c.text;
  m.hash = c.hash;
  m.title = c.title;
  m.structure = c.structure;
  m.language = language;
  return {};
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

double floor_us(const profile::Roofline& r) { return std::isfinite(r.measured.us) ? r.measured.us : r.datasheet.us; }

struct Clocks {
  double mhz = profile::unknown;
  std::uint64_t throttle = 0;
  bool throttle_known = false;
};
Clocks clocks_of(const profile::SubjectTiming& t) {
  std::vector<double> mhz;
  Clocks c;
  for (const profile::TimedSample& s : t.samples) {
    mhz.push_back(s.clocks.sm_mhz);
    c.throttle_known = c.throttle_known || s.clocks.throttle_known;
    if (s.clocks.throttle_known) c.throttle |= s.clocks.throttle;
  }
  c.mhz = profile::summarise(mhz).median;
  return c;
}

Json roof_json(const profile::Roof& r) {
  return {{"us", number_json(r.us)},
          {"limit", r.limit},
          {"memory_us", number_json(r.memory_us)},
          {"compute_us", number_json(r.compute_us)},
          {"bandwidth", number_json(r.bandwidth)},
          {"rate", number_json(r.rate)}};
}

}  // namespace

Result<Measured> resolve_case(const op::Library& library, const std::string& op, const std::vector<std::string>& set) {
  Subject subject = WW_TRY(resolve_subject(library, op));
  if (!subject.spec)
    return fail(Code::invalid_argument, "'" + op + "' is not understood as an op; give its name, FILE.op or a sentence",
                unclear_text(*subject.understanding));
  Measured m;
  m.spec = std::move(*subject.spec);
  m.spec_text = subject.text;
  op::Binding binding = WW_TRY(case_of(m.spec, {}, set));
  m.binding = std::move(binding);
  return m;
}

Result<Measured> resolve_measured(const Common& common, const op::Library& library, const std::string& given,
                                  const std::string& op, const std::vector<std::string>& set) {
  Measured m;
  op::Binding base;
  const fs::path file(given);
  if (file.extension() == ".cu" || file.extension() == ".ptx") {
    Subject subject = WW_TRY(resolve_candidate(library, file, op));
    m.spec = std::move(*subject.spec);
    m.spec_text = subject.text;
    m.label = file.filename().string();
    WW_TRY(take_candidate(m, subject.candidate->text, subject.candidate->language));
  } else {
    Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, false);
    if (!workspace && workspace.error().code == Code::not_found)
      return fail(Code::invalid_argument,
                  "'" + given +
                      "' is neither FILE.cu nor FILE.ptx, and there is no workspace that could hold a candidate of "
                      "this number or hash",
                  workspace.error().message);
    WW_CHECK(workspace);
    const store::CandidateRecord c = WW_TRY((*workspace)->find_candidate(given));
    const store::RunRecord run = WW_TRY((*workspace)->run(c.run));
    m.label = "candidate " + std::to_string(c.id);
    if (!op.empty()) {
      Measured named = WW_TRY(resolve_case(library, op, {}));
      m.spec = std::move(named.spec);
      m.spec_text = named.spec_text;
    } else {
      const store::OpRecord record = WW_TRY((*workspace)->op(run.op));
      op::Spec spec = WW_TRY(op::parse_spec(record.text, record.name));
      m.spec = std::move(spec);
      m.spec_text = record.text;
      if (const Result<explore::RunOptions> options = explore::options_from_json(run.options)) base = options->binding;
    }
    const candidate::Language language = WW_TRY(candidate::language_from_name(c.language));
    WW_TRY(take_candidate(m, c.text, language));
    if (m.title.empty()) m.title = c.title;
  }
  op::Binding binding = WW_TRY(case_of(m.spec, base, set));
  m.binding = std::move(binding);
  return m;
}

Result<Bench> Bench::open(const Common& common, const MeasureArgs& args, bool baselines) {
  Bench b;
  b.args_ = &args;
  rpc::WorkerOptions options;
  options.profile = worker_profile(args.device);
  options.baselines = baselines;
  b.worker_ = std::make_unique<rpc::Supervisor>(options);
  if (args.device == "simt")
    return fail(Code::unsupported,
                "the SIMT machine counts work but has no clock, so nothing can be timed there; 'check' and 'explore' "
                "show its counts. Name a GPU with --device cuda:0");
  rpc::DeviceRequest request;
  request.name = args.device;
  request.ceilings = true;
  Result<rpc::DeviceReply> reply = fail(Code::internal, "");
  {
    LiveLine live;
    live.show("opening " + args.device + " (the first time its ceilings are measured, which takes some seconds)");
    reply = b.worker_->device(request);
  }
  WW_CHECK(reply);
  b.device_ = std::move(reply->details);
  b.ceilings_ = std::move(reply->ceilings);
  std::unique_ptr<store::Workspace> workspace = WW_TRY(open_workspace(common, true));
  b.workspace_ = std::move(workspace);
  return b;
}

std::string Bench::device_text() const {
  return fmt::format("{} ({}, driver {})", device_.gpu, device_.name,
                     device_.driver.empty() ? "unknown" : device_.driver);
}

rpc::TimeRequest Bench::time_request(const Measured& what) const {
  rpc::TimeRequest r;
  r.spec = what.spec_text;
  r.device = args_->device;
  r.architecture = args_->architecture;
  r.binding = what.binding;
  r.rounds = args_->rounds;
  r.samples = args_->samples;
  return r;
}

Result<Json> Bench::keep(const std::vector<const Measured*>& whose, const std::string& kind, const Json& members) {
  Json stored = Json::array();
  const std::string text = members.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (const Measured* m : whose) {
    const std::int64_t op = WW_TRY(workspace_->add_op(m->spec.name, m->spec_text, ""));
    store::MeasurementRecord record{0, op, 0, kind, device_.name, device_.gpu, device_.driver, text, ""};
    Json entry = {{"measurement", 0}, {"candidate", nullptr}, {"run", nullptr}};
    if (!m->text.empty()) {
      std::int64_t run = 0;
      if (const Result<store::CandidateRecord> known = workspace_->find_candidate(m->hash)) {
        const Result<store::RunRecord> of = workspace_->run(known->run);
        const Result<store::OpRecord> op_there =
            of ? workspace_->op(of->op) : Result<store::OpRecord>(fail(of.error()));
        if (op_there && op_there->text == m->spec_text)
          record.candidate = known->id, record.op = op_there->id, run = known->run;
      }
      if (record.candidate == 0) {
        explore::RunOptions options;
        options.spec = m->spec_text;
        options.binding = m->binding;
        options.generator = "manual";
        options.device = args_->device;
        options.architecture = device_.architecture;
        options.given.push_back(
            {m->text, m->language, {}, m->structure, "measured from the command line: " + m->label});
        store::RunRecord r;
        r.op = op;
        r.generator = options.generator;
        r.device = options.device;
        r.architecture = options.architecture;
        r.options = explore::options_to_json(options);
        r.state = "done";
        const std::int64_t added = WW_TRY(workspace_->add_run(r));
        WW_TRY(workspace_->set_run_state(added, "done"));
        run = added;
        store::CandidateRecord c;
        c.run = run;
        c.hash = m->hash;
        c.text = m->text;
        c.title = m->title;
        c.structure = m->structure;
        c.generator = "manual";
        c.note = options.given.front().note;
        c.language = std::string(candidate::language_name(m->language));
        const std::int64_t id = WW_TRY(workspace_->add_candidate(c));
        record.candidate = id;
      }
      entry["candidate"] = record.candidate;
      entry["run"] = run;
    }
    const std::int64_t id = WW_TRY(workspace_->add_measurement(record));
    entry["measurement"] = id;
    stored.push_back(entry);
  }
  return stored;
}

Outcome& outcome_of(std::vector<Outcome>& all, const std::string& name) {
  for (Outcome& o : all)
    if (o.name == name) return o;
  all.push_back({name, {}, {}, false, {}});
  return all.back();
}

void add_timing(Outcome& o, const profile::SubjectTiming& t) {
  for (profile::SubjectTiming& there : o.timings) {
    if (there.cache != t.cache) continue;
    there.samples.insert(there.samples.end(), t.samples.begin(), t.samples.end());
    there.graph = there.graph && t.graph;
    if (there.note.empty()) there.note = t.note;
    return;
  }
  o.timings.push_back(t);
}

Status time_round(Bench& bench, rpc::TimeRequest& request, int round, std::vector<Outcome>& all,
                  const rpc::ProgressHandler& progress) {
  if (request.subjects.empty()) return {};
  rpc::TimeRequest part = request;
  part.rounds = 1;
  part.round_offset = round;
  part.order_seed = static_cast<std::uint64_t>(round);
  part.verify = round == 0;
  if (round % 2 == 1) std::reverse(part.subjects.begin(), part.subjects.end());
  const rpc::TimeReply reply = WW_TRY(bench.worker().time(part, {}, progress));
  for (const rpc::TimedOutcome& t : reply.subjects) {
    Outcome& o = outcome_of(all, t.name);
    if (o.error.empty()) o.error = t.error;
    if (round == 0) o.note = t.note;
    o.verified = o.verified || t.verified;
    for (const profile::SubjectTiming& timing : t.timings) add_timing(o, timing);
    if (!t.error.empty()) std::erase_if(request.subjects, [&](const rpc::TimeSubject& s) { return s.name == t.name; });
  }
  return {};
}

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json case_json(const Measured& m) {
  Json symbols = Json::object(), constants = Json::object();
  if (const Result<op::Resolved> r = op::resolve(m.spec, m.binding)) {
    for (const std::string& s : m.spec.symbols) symbols[s] = r->symbols.at(s);
    for (const op::ResolvedConstant& c : r->constants)
      constants[c.name] = c.type == op::Type::real ? Json(c.real) : Json(c.integer);
  }
  return {{"op", m.spec.name}, {"symbols", symbols}, {"constants", constants}};
}

std::string case_text(const Measured& m) {
  std::string out = m.spec.name;
  const Json j = case_json(m);
  for (const auto& [name, value] : j["symbols"].items()) out += ", " + name + " = " + value.dump();
  return out;
}

Json candidate_json(const Measured& m) {
  return m.text.empty() ? Json(nullptr)
                        : Json{{"label", m.label}, {"hash", m.hash}, {"title", m.title}, {"tuning", m.tuning}};
}

std::optional<profile::Roofline> roofline_of(const Bench& bench, const Measured& what) {
  Result<profile::Roofline> r =
      profile::roofline(what.spec, what.binding, bench.device(), bench.ceilings().value_or(profile::Ceilings()));
  return r ? std::optional(std::move(*r)) : std::nullopt;
}

Json roofline_json(const std::optional<profile::Roofline>& r) {
  if (!r) return nullptr;
  return {{"provenance", "modelled"},
          {"flops", number_json(r->flops)},
          {"bytes_read", number_json(r->bytes_read)},
          {"bytes_written", number_json(r->bytes_written)},
          {"intensity", number_json(r->intensity)},
          {"unit", r->unit},
          {"shares_work", r->shares_work},
          {"measured", roof_json(r->measured)},
          {"datasheet", roof_json(r->datasheet)},
          {"least_cold_us", r->least_cold_us},
          {"least_warm_us", r->least_warm_us},
          {"least_why", r->least_why}};
}

Json timing_json(const profile::SubjectTiming& t, const std::optional<profile::Roofline>& roofline) {
  const profile::Summary s = profile::summarise(profile::times_of(t));
  const Clocks clocks = clocks_of(t);
  Json j = {{"subject", t.subject},
            {"cache", std::string(profile::cache_name(t.cache))},
            {"provenance", "measured"},
            {"samples", s.count},
            {"median_us", number_json(s.median)},
            {"q1_us", number_json(s.q1)},
            {"q3_us", number_json(s.q3)},
            {"least_us", number_json(s.least)},
            {"most_us", number_json(s.most)},
            {"floor_us", nullptr},
            {"fraction", nullptr},
            {"bandwidth", nullptr},
            {"rate", nullptr},
            {"impossible", nullptr},
            {"sm_mhz", number_json(clocks.mhz)},
            {"throttle", clocks.throttle_known ? Json(profile::throttle_words(clocks.throttle)) : Json(nullptr)},
            {"note", t.note}};
  if (roofline && s.count > 0) {
    const profile::Achieved a = profile::achieved(*roofline, t.cache, s.median);
    j["floor_us"] = number_json(floor_us(*roofline));
    j["fraction"] = number_json(a.fraction);
    j["bandwidth"] = number_json(a.bandwidth);
    j["rate"] = number_json(a.rate);
    if (a.impossible) j["impossible"] = a.why;
  }
  return j;
}

std::string us_text(double us) {
  return !std::isfinite(us) ? not_known
         : us < 10          ? fmt::format("{:.3f}", us)
         : us < 1000        ? fmt::format("{:.2f}", us)
                            : fmt::format("{:.1f}", us);
}

std::vector<std::string> timing_headers() {
  return {"Subject",   "Cache",     "#Median us", "#IQR us", "#Samples",
          "#Floor us", "#Of floor", "#GB/s",      "#MHz",    "Clocks held by"};
}

std::vector<std::string> timing_row(const profile::SubjectTiming& t, const std::optional<profile::Roofline>& roofline) {
  const profile::Summary s = profile::summarise(profile::times_of(t));
  const Clocks clocks = clocks_of(t);
  std::string floor = not_known, fraction = not_known, bandwidth = not_known;
  if (roofline && s.count > 0) {
    const profile::Achieved a = profile::achieved(*roofline, t.cache, s.median);
    floor = us_text(floor_us(*roofline));
    fraction = a.impossible                ? "impossible"
               : std::isfinite(a.fraction) ? fmt::format("{:.0f} %", 100 * a.fraction)
                                           : not_known;
    bandwidth = std::isfinite(a.bandwidth) ? fmt::format("{:.0f}", a.bandwidth / 1e9) : not_known;
  }
  const std::string words = clocks.throttle_known ? profile::throttle_words(clocks.throttle) : std::string(not_known);
  return {safe(t.subject),
          std::string(profile::cache_name(t.cache)),
          us_text(s.median),
          us_text(s.iqr()),
          std::to_string(s.count),
          floor,
          fraction,
          bandwidth,
          std::isfinite(clocks.mhz) ? fmt::format("{:.0f}", clocks.mhz) : not_known,
          words.empty() ? "nothing" : words};
}

std::string timing_remarks(const std::vector<profile::SubjectTiming>& timings,
                           const std::optional<profile::Roofline>& roofline) {
  std::string out;
  for (const profile::SubjectTiming& t : timings) {
    const std::string who = safe(t.subject) + ", " + std::string(profile::cache_name(t.cache)) + ": ";
    if (!t.note.empty()) out += who + safe(t.note) + '\n';
    if (!roofline) continue;
    const profile::Achieved a = profile::achieved(*roofline, t.cache, profile::summarise(profile::times_of(t)).median);
    if (a.impossible) out += coloured(Colour::red, who + a.why) + '\n';
  }
  return out;
}

std::string floor_text(const std::optional<profile::Roofline>& r) {
  if (!r) return "Floor: not modelled for this op\n";
  std::string out = "Floor (modelled from the spec's bytes and operations): ";
  const auto roof = [](const profile::Roof& f) {
    return us_text(f.us) + " us" + (f.limit.empty() ? "" : ", by " + f.limit);
  };
  out += std::isfinite(r->measured.us) ? roof(r->measured) + " at the rates measured on this device"
                                       : std::string("no rates were measured on this device");
  if (std::isfinite(r->datasheet.us)) out += "; " + roof(r->datasheet) + " at the datasheet's";
  out += fmt::format("; {} bytes, {} operations\n", short_number(r->bytes_read + r->bytes_written),
                     short_number(r->flops));
  return out;
}

const profile::SubjectTiming* find_timing(const std::vector<profile::SubjectTiming>& all, const std::string& subject,
                                          profile::Cache cache) {
  for (const profile::SubjectTiming& t : all)
    if (t.subject == subject && t.cache == cache) return &t;
  return nullptr;
}

Json ratio_json(const profile::Ratio& r) {
  return {{"ratio", number_json(r.ratio)},
          {"low", number_json(r.low)},
          {"high", number_json(r.high)},
          {"call", std::string(profile::call_name(r.call))},
          {"why", r.why},
          {"rounds", r.rounds}};
}

std::string ratio_text(const profile::Ratio& r) {
  if (r.call == profile::Call::not_comparable) return "not comparable: " + r.why;
  return fmt::format("{:.3f} ({:.3f} to {:.3f}), {}", r.ratio, r.low, r.high, profile::call_name(r.call));
}

}  // namespace ww::cli
