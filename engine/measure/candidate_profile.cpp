// SPDX-License-Identifier: Apache-2.0
#include "measure/candidate_profile.h"
#include <algorithm>
#include <cmath>
#include "base/device_name.h"
#include "evidence/metric.h"
#include "evidence/case_kind.h"
#include "evidence/explain.h"
#include "appraisal/advice.h"
#include "generator/run_options.h"
#include "appraisal/rank.h"
#include "measure/keep.h"
#include "op/parse.h"
#include "profile/launches.h"
#include "profile/statistics.h"
#include "store/paste.h"

namespace ww::measure {

struct ProfileReader::Rules {
  std::optional<appraisal::RankRules> rank;
  std::optional<profile::AdviceRules> advice;
  std::string rank_problem, advice_problem;
};

ProfileReader::ProfileReader() = default;
ProfileReader::~ProfileReader() = default;

namespace {

using profile::Measurement;

// The case that the counts are of, else the run's default.
op::Binding case_of_view(const store::CandidateRecord& record, const op::Spec& spec, const op::Binding& of_run) {
  op::Binding binding = of_run;
  if (record.verdict) {
    const std::string wanted =
        record.verdict->metrics ? record.verdict->metrics->case_name : evidence::case_names::asked;
    for (const evidence::CaseCoverage& c : record.verdict->coverage)
      if (c.case_name == wanted) binding = c.binding;
  }
  if (const Result<op::Resolved> r = op::resolve(spec, binding)) binding.symbols = r->symbols;
  return binding;
}

bool same_case(const op::Spec& spec, const op::Binding& a, const op::Binding& b) {
  const Result<op::Resolved> x = op::resolve(spec, a), y = op::resolve(spec, b);
  if (!x || !y || x->symbols != y->symbols || x->constants.size() != y->constants.size()) return false;
  for (std::size_t i = 0; i < x->constants.size(); ++i)
    if (x->constants[i].real != y->constants[i].real || x->constants[i].integer != y->constants[i].integer)
      return false;
  return true;
}

// Why a number from a GPU is missing.
std::string why_not_measured(const CandidateProfile& v, const std::string& what, const char* command) {
  const store::CandidateRecord& c = v.record;
  const std::string how = " '" + store::pasted(v.workspace, command + (" " + std::to_string(c.id))) +
                          "' on a machine with a GPU measures them.";
  if (c.state == store::CandidateState::duplicate)
    return what + " were not measured: it is a duplicate and was not judged separately.";
  if (!c.verdict) return what + " were not measured: the candidate has not been judged yet." + how;
  if (!c.verdict->accepted) return what + " were not measured: the candidate was not proved.";
  if (c.verdict->metrics && c.verdict->metrics->provenance == Provenance::simulated)
    return what + " were not measured: this run was judged on the SIMT machine, which has no clock." + how;
  if (c.verdict->metrics)
    if (const std::string& why = c.verdict->metrics->counters_why_not; !why.empty())
      return what + " were not measured: " + why;
  return what + " were not measured." + how;
}

// The rate that the floor of the run was made of, so that its ceiling is known even where the rates themselves were not
// stored.
profile::Ceilings ceilings_of_run(const evidence::Metrics& metrics, const profile::Roofline& work) {
  profile::Ceilings c;
  const std::optional<evidence::Floor>& floor = metrics.floor;
  if (!floor || !(floor->us > 0) || floor->rates != evidence::Floor::Rates::measured) return c;
  if (floor->limit == profile::Limit::memory)
    c.copy_bandwidth = (work.bytes_read + work.bytes_written) / floor->us * 1e6;
  else if (floor->limit == profile::Limit::compute)
    c.matrix_rate.emplace_back(work.unit, work.flops / floor->us * 1e6);
  c.device = metrics.conditions.gpu;
  c.driver = metrics.conditions.driver;
  c.why_not =
      "this workspace has not measured this GPU itself; the rate is the one that the run's floor was calculated with";
  return c;
}

TimeView time_of(const profile::SubjectTiming& timing, const KeptMeasurement& m) {
  const profile::Summary s = profile::summarise(profile::times_of(timing));
  return {s.median, s.q1, s.q3, s.count, "by '" + enum_string(m.record.kind) + "', " + m.record.created};
}

bool same_gpu(const CandidateProfile& v, const std::string& gpu) {
  if (!v.modelled_gpu) return v.gpu.has_value() || gpu.empty();
  const std::optional<profile::Datasheet> now = profile::modelled_gpu(gpu, v.architecture);
  return now && now->gpu == v.modelled_gpu->gpu;
}

bool counts_something(const Measurement& m) { return m.counters && !m.counters->kernels.empty(); }

}  // namespace

// Fills a profile part by part; one use.
class ProfileReader::Filler {
 public:
  Filler(ProfileReader& reader, store::Workspace& workspace, CandidateProfile& profile, const Rules& rules,
         const op::Binding* binding, const std::string& gpu)
      : reader_(reader), workspace_(workspace), v_(profile), rules_(rules), binding_(binding), wanted_gpu_(gpu) {}

  Status fill(store::CandidateRecord record) {
    const store::RunRecord run = WW_TRY(workspace_.run(record.run));
    const store::OpRecord op = WW_TRY(workspace_.op(run.op));
    context_.spec = WW_TRY(op::parse_spec(op.text, op.name));
    v_.workspace = workspace_.folder();
    v_.record = std::move(record);
    take_run(run);
    kept_ = WW_TRY(measurements_of(workspace_, v_.record.id));
    if (binding_) std::erase_if(kept_, [&](const KeptMeasurement& m) { return !of_run(m); });
    choose_measurements();
    fill_times();
    fill_counters();
    fill_gpu();
    fill_limits();
    fill_launches();
    fill_cost();
    fill_roofline();
    fill_advice();
    return {};
  }

 private:
  void take_run(const store::RunRecord& run) {
    const store::CandidateRecord& c = v_.record;
    v_.name = "#" + std::to_string(c.id) + " " +
              (!c.title.empty()       ? c.title
               : !c.structure.empty() ? c.structure
                                      : c.hash.substr(0, 10));
    v_.device = run.device;
    v_.architecture = run.architecture;
    const Result<generator::RunOptions> options = generator::options_from_json(run.options);
    context_.binding = case_of_view(c, context_.spec, options ? options->binding : op::Binding{});
    if (binding_ && !same_case(context_.spec, *binding_, context_.binding)) {
      context_.binding = *binding_;
      if (v_.record.verdict) v_.record.verdict->metrics.reset();
    }
    context_.device = run.device;
    context_.architecture = v_.architecture;
    if (rules_.rank) context_.rules = *rules_.rank;
    context_.advice = rules_.advice;
    v_.case_name = evidence::binding_text(context_.binding);
  }

  Result<candidate::Plan> plan() const {
    const Result<candidate::Candidate> parsed = candidate::parse(v_.record.text, v_.record.language);
    if (!parsed) return fail(Code::parse, "It is not a candidate: " + parsed.error().text());
    Result<candidate::Plan> plan =
        candidate::plan(*parsed, context_.spec, context_.binding, candidate::first_tuning(*parsed));
    if (!plan) return fail(Code::invalid_argument, "There is no plan for this case: " + plan.error().text());
    return plan;
  }

  void fill_launches() {
    const Result<candidate::Plan> planned = plan();
    if (!planned) {
      v_.launches_why_not = planned.error().text();
      return;
    }
    for (profile::LaunchUse& use :
         profile::launches_of(*planned, v_.record.resources, v_.limits ? &*v_.limits : nullptr)) {
      LaunchView l;
      l.kernel = use.launch.kernel;
      std::copy(use.launch.grid.begin(), use.launch.grid.end(), l.grid);
      std::copy(use.launch.block.begin(), use.launch.block.end(), l.block);
      l.shape = use.shape;
      l.occupancy = use.occupancy;
      if (use.resources) {
        l.spill_bytes = use.resources->spill_stores + use.resources->spill_loads;
        l.local_bytes = use.resources->stack;
      }
      if (!use.resources)
        l.why_not = "the assembler reported nothing about the kernel " + l.kernel;
      else if (!use.occupancy)
        l.why_not = "the limits of " + limits_architecture() + " are not known";
      v_.launches.push_back(std::move(l));
    }
    if (v_.launches.empty()) v_.launches_why_not = "Its plan launches nothing.";
  }

  void fill_cost() {
    const evidence::Metrics* m = simulated(v_);
    if (!m) {
      v_.cost_why_not = is_simt(v_.device) ? "It was not counted: the SIMT machine counts proved candidates."
                                           : "It was not simulated: this run was judged on a GPU.";
      return;
    }
    const Result<appraisal::Cost> cost = rules_.rank ? appraisal::simulated_cost(*rules_.rank, *m, v_.architecture)
                                                     : Result<appraisal::Cost>(fail(Code::io, rules_.rank_problem));
    if (!cost) {
      v_.cost_why_not = "Its cost is not known: " + cost.error().text();
      return;
    }
    for (const appraisal::CostPart& p : cost->parts) v_.cost.emplace_back(p.group, p.cost);
    v_.cost_total = cost->total;
    v_.cost_unit = rules_.rank->unit;
  }

  bool of_run(const KeptMeasurement& m) const {
    return same_case(context_.spec, m.measurement.binding, context_.binding);
  }

  // The newest of the run's case, else the newest of all.
  void choose_measurements() {
    for (const bool wanted : {true, false})
      for (const KeptMeasurement& m : kept_) {
        if (wanted != of_run(m)) continue;
        const profile::MeasuredSubject* subject = profile::subject_of(m.measurement, v_.record.hash);
        if (!timed_ && subject && !subject->timings.empty() && (wanted || !measured(v_)))
          timed_ = &m, subject_ = subject;
        if (!counted_ && counts_something(m.measurement) && (wanted || !has_counters(v_))) counted_ = &m;
      }
  }

  void fill_times_of_run() {
    const evidence::Metrics* m = measured(v_);
    if (!m) return;
    const evidence::Times t = evidence::times_of(*m);
    if (std::isfinite(t.median))
      v_.cold =
          TimeView{t.median, t.q1, t.q3, std::isfinite(t.samples) ? static_cast<int>(t.samples) : 0, "of the run"};
    if (std::isfinite(t.median_warm))
      v_.warm = TimeView{t.median_warm, profile::unknown, profile::unknown, 0, "of the run"};
  }

  void fill_times() {
    fill_times_of_run();
    timed_case_ = context_.binding;
    if (timed_) {
      for (const profile::SubjectTiming& t : subject_->timings)
        if (!t.samples.empty()) {
          v_.timings.push_back(t);
          std::optional<TimeView>& time = t.cache == profile::Cache::cold ? v_.cold : v_.warm;
          // One time with one definition everywhere: the run's, if it is for this case.
          if (time && !binding_ && of_run(*timed_))
            v_.measured_later.push_back(time_of(t, *timed_));
          else
            time = time_of(t, *timed_);
        }
      if (!of_run(*timed_)) {
        timed_case_ = timed_->measurement.binding;
        v_.timings_case = evidence::binding_text(timed_case_);
      }
    }
    if (!v_.cold && !v_.warm) v_.timings_why_not = why_not_measured(v_, "Times", "time");
  }

  void fill_counters() {
    if (counted_) {
      v_.counters = counted_->measurement.counters;
      v_.counters_when = "set " + v_.counters->set + ", " + counted_->record.created;
      if (!of_run(*counted_)) v_.counters_case = evidence::binding_text(counted_->measurement.binding);
    } else if (has_counters(v_)) {
      v_.counters_when = "of the run";
    } else {
      v_.counters_why_not = why_not_measured(v_, "Counters", "profile");
      for (const KeptMeasurement& m : kept_)
        if (m.measurement.counters && !m.measurement.counters->why_not.empty()) {
          v_.counters_why_not = "Counters were not measured: " + m.measurement.counters->why_not;
          break;
        }
    }
  }

  // The GPU that it was measured on.
  void fill_gpu() {
    std::string gpu, driver;
    for (const KeptMeasurement* m : {timed_, counted_})
      if (m && gpu.empty() && m->measurement.device) {
        v_.gpu = m->measurement.device;
        v_.ceilings = m->measurement.ceilings;
        gpu = v_.gpu->gpu;
        driver = m->record.driver;
      }
    if (const evidence::Metrics* metrics = measured(v_); gpu.empty() && metrics) {
      gpu = metrics->conditions.gpu;
      driver = metrics->conditions.driver;
    }
    if (!gpu.empty() && (!v_.gpu || !v_.ceilings)) {
      const Gpu facts = reader_.facts_of(workspace_, gpu, driver);
      if (!v_.gpu) v_.gpu = facts.details;
      if (!v_.ceilings) v_.ceilings = facts.ceilings;
      if (!v_.gpu) {
        v_.gpu = profile::DeviceDetails{};
        v_.gpu->gpu = gpu;
        v_.gpu->driver = driver;
        v_.gpu->architecture = v_.architecture;
        if (Result<profile::Datasheet> sheet = profile::datasheet(gpu)) {
          v_.gpu->datasheet = sheet->rates;
          v_.gpu->datasheet_source = sheet->source;
        }
      }
    }
    if (v_.gpu) return;
    v_.gpu_why_not = "It was not measured on a GPU.";
    v_.modelled_gpu = profile::modelled_gpu(wanted_gpu_, v_.architecture);
  }

  std::string limits_architecture() const { return v_.modelled_gpu ? v_.modelled_gpu->architecture : v_.architecture; }

  void fill_limits() {
    if (Result<profile::DeviceLimits> limits = profile::device_limits(limits_architecture()))
      v_.limits = std::move(*limits);
    context_.details = v_.gpu;
    context_.modelled = v_.modelled_gpu;
  }

  Result<profile::Roofline> roofline() const {
    return profile::roofline(context_.spec, timed_case_, v_.gpu.value_or(profile::DeviceDetails{}),
                             v_.ceilings.value_or(profile::Ceilings{}));
  }

  void fill_roofline() {
    Result<profile::Roofline> made = roofline();
    if (const evidence::Metrics* metrics = measured(v_); made && metrics && !v_.ceilings) {
      profile::Ceilings known_rates = ceilings_of_run(*metrics, *made);
      if (!known_rates.device.empty()) {
        v_.ceilings = std::move(known_rates);
        made = roofline();
      }
    }
    if (!v_.ceilings)
      v_.ceilings_why_not = v_.gpu ? "The rates that this GPU reaches are not stored in this workspace."
                                   : "No GPU was measured, so its rates are unknown.";
    if (made)
      v_.roofline = std::move(*made);
    else
      v_.roofline_why_not = "There is no roofline: " + made.error().text();
  }

  void fill_advice() {
    const bool judged = v_.record.verdict && v_.record.verdict->metrics;
    if (!rules_.advice) {
      v_.advice_why_not = "The advice rules cannot be read: " + rules_.advice_problem;
    } else if (v_.counters_case.empty()) {
      v_.advice = appraisal::advice_of(context_, v_.record, v_.counters ? &*v_.counters : nullptr);
    } else if (judged) {
      v_.advice = appraisal::advice_of(context_, v_.record);  // numbers of two cases cannot be combined
    } else {
      context_.binding = counted_->measurement.binding;
      v_.advice = appraisal::advice_of(context_, v_.record, &*v_.counters);
    }
    if (v_.advice.empty() && v_.advice_why_not.empty())
      v_.advice_why_not = judged || v_.counters
                              ? "No rule applies to its numbers."
                              : "There are no numbers to base advice on: the candidate was not counted or measured.";
  }

  ProfileReader& reader_;
  store::Workspace& workspace_;
  CandidateProfile& v_;
  const Rules& rules_;
  const op::Binding* binding_;  // null: the run's
  std::string wanted_gpu_;
  appraisal::RunContext context_;
  std::vector<KeptMeasurement> kept_;
  const KeptMeasurement *timed_ = nullptr, *counted_ = nullptr;
  const profile::MeasuredSubject* subject_ = nullptr;  // of timed_
  op::Binding timed_case_;
};

std::shared_ptr<const ProfileReader::Rules> ProfileReader::rules() {
  std::lock_guard lock(mutex_);
  if (rules_) return rules_;
  auto made = std::make_shared<Rules>();
  Result<appraisal::RankRules> rank = appraisal::RankRules::load();
  if (rank)
    made->rank = std::move(*rank);
  else
    made->rank_problem = rank.error().text();
  Result<profile::AdviceRules> advice = profile::AdviceRules::load();
  if (advice)
    made->advice = std::move(*advice);
  else
    made->advice_problem = advice.error().text();
  if (made->rank && made->advice) rules_ = made;  // otherwise retries: the user may have fixed the file
  return made;
}

ProfileReader::Gpu ProfileReader::facts_of(store::Workspace& workspace, const std::string& gpu,
                                           const std::string& driver) {
  const std::string key = workspace.folder().string() + '\n' + gpu + '\n' + driver;
  {
    std::lock_guard lock(mutex_);
    if (const auto at = gpus_.find(key); at != gpus_.end()) return at->second;
  }
  Gpu found;
  const Result<std::vector<store::MeasurementRecord>> all = workspace.measurements(0);
  if (!all) return found;
  for (const store::MeasurementRecord& record : *all) {
    if (record.gpu != gpu || record.driver != driver) continue;
    const Result<Measurement> m = profile::measurement_from_json(record.kind, record.json);
    if (!m) continue;
    if (!found.details) found.details = m->device;
    if (!found.ceilings) found.ceilings = m->ceilings;
    if (found.details && found.ceilings) break;
  }
  if (found.details && found.ceilings) {
    std::lock_guard lock(mutex_);
    gpus_[key] = found;
  }
  return found;
}

Result<std::shared_ptr<const CandidateProfile>> ProfileReader::read(
    store::Workspace& workspace, std::int64_t candidate, const std::shared_ptr<const CandidateProfile>& known,
    const std::string& gpu) {
  store::CandidateRecord record = WW_TRY(workspace.candidate(candidate));
  const std::vector<store::MeasurementRecord> stored = WW_TRY(workspace.measurements(candidate));
  const std::int64_t newest = stored.empty() ? 0 : stored.front().id;
  if (known && known->record.order == record.order && known->record.state == record.state &&
      known->newest_measurement == newest && same_gpu(*known, gpu))
    return known;
  auto made = std::make_shared<CandidateProfile>();
  made->newest_measurement = newest;
  WW_TRY(Filler(*this, workspace, *made, *rules(), nullptr, gpu).fill(std::move(record)));
  return std::shared_ptr<const CandidateProfile>(std::move(made));
}

Result<std::shared_ptr<const CandidateProfile>> ProfileReader::read_at(store::Workspace& workspace,
                                                                       std::int64_t candidate,
                                                                       const op::Binding& binding) {
  auto made = std::make_shared<CandidateProfile>();
  WW_TRY(Filler(*this, workspace, *made, *rules(), &binding, {}).fill(WW_TRY(workspace.candidate(candidate))));
  return std::shared_ptr<const CandidateProfile>(std::move(made));
}

}  // namespace ww::measure
