// SPDX-License-Identifier: GPL-3.0-or-later
#include "local/profile_of.h"
#include <algorithm>
#include <cmath>
#include "explore/explain.h"
#include "explore/facts.h"
#include "explore/kernel_use.h"
#include "explore/options_json.h"
#include "explore/rank.h"
#include "local/measured_of.h"
#include "op/parse.h"
#include "profile/statistics.h"

namespace ww::widgets {

struct ProfileReader::Rules {
  std::optional<explore::RankRules> rank;
  std::optional<profile::AdviceRules> advice;
  std::string rank_problem, advice_problem;
};

ProfileReader::~ProfileReader() = default;

namespace {

std::string condition_of(const gate::Metrics& metrics, std::string_view name) {
  for (const auto& [n, value] : metrics.conditions)
    if (n == name) return value;
  return {};
}

// The case that the counts are of, else the run's default.
op::Binding case_of_view(const store::CandidateRecord& record, const op::Spec& spec, const op::Binding& of_run) {
  op::Binding binding = of_run;
  if (record.verdict) {
    const std::string wanted = record.verdict->metrics ? record.verdict->metrics->case_name : "default";
    for (const gate::CaseCoverage& c : record.verdict->coverage)
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

// Why a number that a GPU would give is not there.
std::string why_not_measured(const ProfileView& v, const std::string& what, const char* command) {
  const store::CandidateRecord& c = v.record;
  const std::string how = " 'warpwright-cli " + std::string(command) + " " + std::to_string(c.id) +
                          "' on a machine with a GPU measures them.";
  if (c.state == "duplicate") return what + " were not measured: it is a duplicate, and was not judged by itself.";
  if (!c.verdict) return what + " were not measured: the candidate has not been judged yet." + how;
  if (!c.verdict->accepted) return what + " were not measured: the candidate was not accepted.";
  if (c.verdict->metrics && c.verdict->metrics->provenance == "simulated")
    return what + " were not measured: this run was judged on the SIMT machine, which has no clock." + how;
  if (c.verdict->metrics)
    if (const std::string counters = condition_of(*c.verdict->metrics, "counters"); counters.starts_with("none: "))
      return what + " were not measured: " + counters.substr(6);
  return what + " were not measured." + how;
}

void fill_launches(ProfileView& v, const explore::Ground& g) {
  for (const explore::KernelUse& use : explore::uses_of(g, v.record)) {
    LaunchView l;
    l.kernel = use.launch.kernel;
    for (int i = 0; i < 3; ++i) {
      l.grid[i] = use.launch.grid[i];
      l.block[i] = use.launch.block[i];
    }
    l.shape = {use.threads, 0, 0, static_cast<std::int64_t>(use.launch.shared_bytes)};
    l.occupancy = use.occupancy;
    if (use.resources) {
      l.shape.registers = use.resources->registers;
      l.shape.static_shared = use.resources->static_shared;
      l.spill_bytes = use.resources->spill_stores + use.resources->spill_loads;
      l.local_bytes = use.resources->stack;
    }
    if (!use.resources)
      l.why_not = "the assembler reported nothing about the kernel " + l.kernel;
    else if (!use.occupancy)
      l.why_not = "the limits of " + v.architecture + " are not known";
    v.launches.push_back(std::move(l));
  }
  if (!v.launches.empty()) return;
  const auto parsed = candidate::parse(v.record.text, v.record.language == "ptx" ? candidate::Language::ptx
                                                                                 : candidate::Language::cuda);
  if (!parsed)
    v.launches_why_not = "It is not a candidate: " + parsed.error().text();
  else if (const auto plan = candidate::plan(*parsed, g.spec, g.binding, candidate::first_tuning(*parsed)); !plan)
    v.launches_why_not = "There is no plan for this case: " + plan.error().text();
  else
    v.launches_why_not = "Its plan launches nothing.";
}

void fill_times_of_run(ProfileView& v) {
  const gate::Metrics* m = measured(v);
  if (!m) return;
  const auto value = [&](const char* name) { return value_of(m->values, name); };
  const double samples = value("samples");
  if (std::isfinite(value("median_us")))
    v.cold = TimeView{value("median_us"), value("q1_us"), value("q3_us"),
                      std::isfinite(samples) ? static_cast<int>(samples) : 0, "of the run"};
  if (std::isfinite(value("median_warm_us")))
    v.warm = TimeView{value("median_warm_us"), profile::unknown, profile::unknown, 0, "of the run"};
}

TimeView time_of(const profile::SubjectTiming& timing, const StoredMeasurement& m) {
  const profile::Summary s = profile::summarise(profile::times_of(timing));
  return {s.median, s.q1, s.q3, s.count, "by '" + m.kind + "', " + m.created};
}

// The rate that the floor of the run was made of, so that its ceiling is known even where the rates themselves were not
// stored.
profile::Ceilings ceilings_of_run(const gate::Metrics& metrics, const profile::Roofline& work) {
  profile::Ceilings c;
  const std::string how = condition_of(metrics, "floor");
  const double floor = value_of(metrics.values, "floor_us");
  if (!std::isfinite(floor) || floor <= 0 || how.find("at measured rates") == std::string::npos) return c;
  if (how.find("memory") != std::string::npos)
    c.copy_bandwidth = (work.bytes_read + work.bytes_written) / floor * 1e6;
  else if (how.find("compute") != std::string::npos)
    c.matrix_rate.emplace_back(work.unit, work.flops / floor * 1e6);
  c.device = condition_of(metrics, "gpu");
  c.driver = condition_of(metrics, "driver");
  c.why_not =
      "this workspace holds no measurement of its own of this GPU; the rate is the one that the run's floor was made "
      "of";
  return c;
}

std::vector<profile::Datasheet> sheets_of(const std::optional<profile::DeviceLimits>& limits) {
  std::vector<profile::Datasheet> list;
  const Result<std::vector<profile::Datasheet>> all = profile::datasheets();
  if (!limits || !all) return list;
  for (const profile::Datasheet& sheet : *all)
    for (std::size_t at = 0; at < limits->examples.size();) {  // "H100, H200"
      const std::size_t end = std::min(limits->examples.find(", ", at), limits->examples.size());
      const std::string example = limits->examples.substr(at, end - at);
      at = end + 2;
      if (!sheet.gpu.starts_with(example)) continue;
      list.push_back(sheet);
      break;
    }
  return list;
}

}  // namespace

std::shared_ptr<const ProfileReader::Rules> ProfileReader::rules() {
  std::lock_guard lock(mutex_);
  if (rules_) return rules_;
  auto made = std::make_shared<Rules>();
  Result<explore::RankRules> rank = explore::RankRules::load();
  if (rank)
    made->rank = std::move(*rank);
  else
    made->rank_problem = rank.error().text();
  Result<profile::AdviceRules> advice = profile::AdviceRules::load();
  if (advice)
    made->advice = std::move(*advice);
  else
    made->advice_problem = advice.error().text();
  if (made->rank && made->advice) rules_ = made;  // else it is tried again: the person may have mended the file
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
    const Result<StoredMeasurement> m = read_measurement(record, {});
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

Result<std::shared_ptr<const ProfileView>> ProfileReader::read(store::Workspace& workspace, std::int64_t candidate,
                                                               const std::shared_ptr<const ProfileView>& known) {
  store::CandidateRecord record = WW_TRY(workspace.candidate(candidate));
  const std::vector<store::MeasurementRecord> stored = WW_TRY(workspace.measurements(candidate));
  const std::int64_t newest = stored.empty() ? 0 : stored.front().id;
  if (known && known->record.order == record.order && known->record.state == record.state &&
      known->newest_measurement == newest)
    return known;
  const store::RunRecord run = WW_TRY(workspace.run(record.run));
  const store::OpRecord op_record = WW_TRY(workspace.op(run.op));
  op::Spec spec = WW_TRY(op::parse_spec(op_record.text, op_record.name));

  auto made = std::make_shared<ProfileView>();
  ProfileView& v = *made;
  v.record = std::move(record);
  v.newest_measurement = newest;
  const std::string& title = !v.record.title.empty()       ? v.record.title
                             : !v.record.structure.empty() ? v.record.structure
                                                           : v.record.hash.substr(0, 10);
  v.name = "#" + std::to_string(candidate) + " " + title;
  v.device = run.device;
  v.architecture = run.architecture;
  if (Result<profile::DeviceLimits> limits = profile::device_limits(v.architecture)) v.limits = std::move(*limits);

  explore::Ground ground;
  ground.spec = spec;
  const Result<explore::RunOptions> options = explore::options_from_json(run.options);
  ground.binding = case_of_view(v.record, spec, options ? options->binding : op::Binding{});
  ground.device = run.device;
  ground.architecture = v.architecture;
  const std::shared_ptr<const Rules> rules = this->rules();
  if (rules->rank) ground.rules = *rules->rank;
  ground.advice = rules->advice;
  v.case_name = explore::binding_text(ground.binding);
  fill_launches(v, ground);

  if (const gate::Metrics* m = simulated(v)) {
    const Result<explore::Cost> cost = rules->rank ? explore::simulated_cost(*rules->rank, *m, v.architecture)
                                                   : Result<explore::Cost>(fail(Code::io, rules->rank_problem));
    if (cost) {
      for (const explore::CostPart& p : cost->parts) v.cost.emplace_back(p.group, p.cost);
      v.cost_total = cost->total;
      v.cost_unit = rules->rank->unit;
    } else {
      v.cost_why_not = "Its cost is not known: " + cost.error().text();
    }
  } else {
    v.cost_why_not = v.device == "simt" ? "It was not counted: the SIMT machine counts accepted candidates."
                                        : "It was not simulated: this run was judged on a GPU.";
  }

  // Of the stored measurements the newest of the run's case, else the newest of all.
  const StoredMeasurement *timed = nullptr, *counted = nullptr;
  std::vector<StoredMeasurement> list;
  for (const store::MeasurementRecord& r : stored)
    if (Result<StoredMeasurement> m = read_measurement(r, v.record.hash)) list.push_back(std::move(*m));
  for (const bool of_run : {true, false})
    for (const StoredMeasurement& m : list) {
      if (of_run != same_case(spec, m.binding, ground.binding)) continue;
      if (!timed && !m.timings.empty() && (of_run || !measured(v))) timed = &m;
      if (!counted && m.counters && !m.counters->kernels.empty() && (of_run || !has_counters(v))) counted = &m;
    }
  fill_times_of_run(v);
  op::Binding timed_case = ground.binding;
  if (timed) {
    v.timings = timed->timings;
    for (const profile::SubjectTiming& t : v.timings)
      (t.cache == profile::Cache::cold ? v.cold : v.warm) = time_of(t, *timed);
    if (!same_case(spec, timed->binding, ground.binding)) {
      timed_case = timed->binding;
      v.timings_case = explore::binding_text(timed->binding);
    }
  }
  if (!v.cold && !v.warm) v.timings_why_not = why_not_measured(v, "Times", "time");
  if (counted) {
    v.counters = counted->counters;
    v.counters_when = "set " + counted->counters->set + ", " + counted->created;
    if (!same_case(spec, counted->binding, ground.binding)) v.counters_case = explore::binding_text(counted->binding);
  } else if (has_counters(v)) {
    v.counters_when = "of the run";
  } else {
    v.counters_why_not = why_not_measured(v, "Counters", "profile");
    for (const StoredMeasurement& m : list)
      if (m.counters && !m.counters->why_not.empty()) {
        v.counters_why_not = "Counters were not measured: " + m.counters->why_not;
        break;
      }
  }

  // The GPU that it was measured on.
  std::string gpu, driver;
  for (const StoredMeasurement* m : {timed, counted})
    if (m && gpu.empty() && m->device) {
      gpu = m->device->gpu;
      driver = m->driver;
      v.gpu = m->device;
      v.ceilings = m->ceilings;
    }
  const gate::Metrics* of_run = measured(v);
  if (gpu.empty() && of_run) {
    gpu = condition_of(*of_run, "gpu");
    driver = condition_of(*of_run, "driver");
  }
  if (!gpu.empty() && (!v.gpu || !v.ceilings)) {
    const Gpu facts = facts_of(workspace, gpu, driver);
    if (!v.gpu) v.gpu = facts.details;
    if (!v.ceilings) v.ceilings = facts.ceilings;
    if (!v.gpu) {
      v.gpu = profile::DeviceDetails{};
      v.gpu->gpu = gpu;
      v.gpu->driver = driver;
      v.gpu->architecture = v.architecture;
      if (Result<profile::Datasheet> sheet = profile::datasheet(gpu)) {
        v.gpu->datasheet = sheet->rates;
        v.gpu->datasheet_source = sheet->source;
      }
    }
  }
  if (!v.gpu) {
    v.gpu_why_not = "It was not measured on a GPU.";
    v.datasheets = sheets_of(v.limits);
  }
  Result<profile::Roofline> roofline = profile::roofline(spec, timed_case, v.gpu.value_or(profile::DeviceDetails{}),
                                                         v.ceilings.value_or(profile::Ceilings{}));
  if (roofline && of_run && !v.ceilings) {
    profile::Ceilings known_rates = ceilings_of_run(*of_run, *roofline);
    if (!known_rates.device.empty()) {
      v.ceilings = std::move(known_rates);
      roofline = profile::roofline(spec, timed_case, v.gpu.value_or(profile::DeviceDetails{}), *v.ceilings);
    }
  }
  if (!v.ceilings)
    v.ceilings_why_not = v.gpu ? "The rates that this GPU reaches are not stored in this workspace."
                               : "No GPU was measured, so what it reaches is not known.";
  if (roofline)
    v.roofline = std::move(*roofline);
  else
    v.roofline_why_not = "There is no roofline: " + roofline.error().text();

  if (!rules->advice)
    v.advice_why_not = "The rules of advice cannot be read: " + rules->advice_problem;
  else if (v.counters_case.empty())
    v.advice = explore::advice_of(ground, v.record, v.counters ? &*v.counters : nullptr);
  else if (v.record.verdict && v.record.verdict->metrics)
    v.advice = explore::advice_of(ground, v.record);  // numbers of two cases do not go together
  else {
    ground.binding = counted->binding;
    v.advice = explore::advice_of(ground, v.record, &*v.counters);
  }
  if (v.advice.empty() && v.advice_why_not.empty())
    v.advice_why_not =
        (v.record.verdict && v.record.verdict->metrics) || v.counters
            ? "No rule applies to its numbers."
            : "There are no numbers that advice could be read from: the candidate was not counted or measured.";
  return std::shared_ptr<const ProfileView>(std::move(made));
}

}  // namespace ww::widgets
