// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "measured.h"

namespace ww::cli {
namespace {

std::string value_text(const profile::Counter& c) {
  if (!std::isfinite(c.value)) return "not measured";
  const bool whole = c.value == std::floor(c.value) && std::fabs(c.value) < 1e15;
  return whole ? fmt::format("{:.0f}", c.value) : fmt::format("{:.4g}", c.value);
}

std::string counters_text(const profile::CounterReport& report) {
  std::string out;
  for (const profile::KernelCounters& k : report.kernels) {
    std::vector<std::vector<std::string>> rows;
    for (const profile::Counter& c : k.values) rows.push_back({c.name, value_text(c), c.unit});
    out += fmt::format("\nLaunch {}: {} (measured; set {})\n", k.launch + 1, safe(k.kernel), report.set) +
           table({"Counter", "#Value", "Unit"}, rows);
  }
  if (report.why_not.empty()) out += fmt::format("\n{} passes, {:.2f} s.\n", report.passes, report.seconds);
  return out;
}

Json counter_records(const profile::CounterReport& report) {
  Json list = Json::array();
  for (const profile::KernelCounters& k : report.kernels)
    for (const profile::Counter& c : k.values)
      list.push_back({{"launch", k.launch},
                      {"kernel", k.kernel},
                      {"counter", c.name},
                      {"value", std::isfinite(c.value) ? Json(c.value) : Json(nullptr)},
                      {"unit", c.unit}});
  return list;
}

Json occupancy_json(const std::vector<profile::LaunchUse>& launches) {
  Json list = Json::array();
  for (const profile::LaunchUse& l : launches)
    if (l.occupancy)
      list.push_back({{"provenance", "modelled"},
                      {"kernel", l.launch.kernel},
                      {"registers", l.shape.registers},
                      {"blocks", l.occupancy->blocks},
                      {"warps", l.occupancy->warps},
                      {"fraction", l.occupancy->fraction},
                      {"limiter", enum_string(l.occupancy->limiter)}});
  return list;
}

// The facts that are known without counters.
std::string instead_text(const measure::Counted& counted, const std::optional<profile::Roofline>& roofline) {
  const profile::MeasuredSubject& timed = counted.measurement.subjects.front();
  std::string out =
      coloured(Colour::yellow, "Counters were not measured: " + safe(counted.measurement.counters->why_not)) +
      "\nInstead:\n";
  out += timed.why_not.empty() ? timing_text(timed, roofline)
                               : coloured(Colour::red, "Not timed: " + safe(timed.why_not)) + '\n';
  std::string text;
  for (const profile::LaunchUse& l : counted.launches)
    if (l.occupancy)
      text += fmt::format("  {}: {} registers, {} warps ({:.0f} %), limited by {}\n", safe(l.launch.kernel),
                          l.shape.registers, l.occupancy->warps, 100 * l.occupancy->fraction,
                          enum_string(l.occupancy->limiter));
  if (!text.empty()) out += "Occupancy at most (modelled)\n" + text;
  return out;
}

}  // namespace

Result<Answer> counted(Opened& opened, const Target& target, const std::string& counters, const Watch& watch) {
  const measure::Subject& subject = *target.subject;
  const Measured done =
      WW_TRY(measure_target(opened, target, {.kind = profile::MeasurementKind::counters, .set = counters}, watch));
  const profile::Measurement& m = done.counted.measurement;
  const profile::MeasuredSubject& timed = m.subjects.front();
  std::optional<measure::Meaning> meaning;
  measure::ProfileReader reader;
  if (!done.kept.empty())
    meaning = measure::meaning_of(*WW_TRY(reader.read_at(*opened.workspace, done.kept.front().candidate, m.binding)));
  const std::optional<profile::Roofline> roofline = measure::roofline_of(target.what, m);
  Json j = common_json(target.what, m, roofline);
  j.update({{"candidate", json::of(subject)},
            {"provenance", "measured"},
            {"counters", json::of(*m.counters)},
            {"profile", json::of(meaning)},
            {"timings", timings_json(timed, roofline)},
            {"occupancy", occupancy_json(done.counted.launches)},
            {"failure", timed.why_not},
            {"stored", json::of(done.kept)}});
  return Answer{std::move(j),
                fmt::format("{} of {} on {}\n", safe(subject.label), measure::case_text(target.what), device_text(m)) +
                    tuning_text(subject) + counters_text(*m.counters) +
                    (m.counters->why_not.empty() ? "" : instead_text(done.counted, roofline)) +
                    (meaning ? meaning_text(*meaning) : ""),
                timed.why_not.empty() ? Exit::done : Exit::negative, counter_records(*m.counters)};
}

Result<int> profile(const Common& common, const std::string& given, const MeasureArgs& args,
                    const std::string& counters) {
  const op::Library library = WW_TRY(op_library());
  const Target target = WW_TRY(resolve_target(common, library, given, args.op, args.set));
  Result<Opened> opened = open_bench(common, args, false);
  if (!opened) return failed(common, opened.error(), Exit::environment);
  LiveLine live;
  Result<Answer> answer = counted(*opened, target, counters, shown_live(live));
  live.clear();
  if (!answer) return failed(common, answer.error());
  if (const Json& why = answer->json["counters"]["why_not"]; !common.format.empty() && !common.json && why != "")
    put(Stream::error, "warpwright-cli: counters were not measured: " + why.get<std::string>() + '\n');
  return print_answer(common, std::move(*answer));
}

void add_profile(Commands& commands) {
  struct Args {
    std::string candidate, counters = "small";
    MeasureArgs measure;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app =
      commands.add("profile", "reads the hardware counters of a candidate on a GPU", [args](const Common& common) {
        return profile(common, args->candidate, args->measure, args->counters);
      });
  app.add_option("CANDIDATE", args->candidate, a_candidate)->required();
  commands.add_format(app);
  app.add_option("--counters", args->counters, "which counters: small, full or another of resources/counters/sets.json")
      ->capture_default_str();
  add_measuring(app, args->measure, MeasuredOp::option);
  add_settings(app, args->measure.set, a_setting)->check([](const std::string& setting) {
    return setting.find('=') == std::string::npos
               ? "'" + setting + "' sets nothing; choose a set of counters with --counters " + setting
               : std::string();
  });
}

}  // namespace ww::cli
