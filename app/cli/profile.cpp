// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fmt/format.h>
#include "command.h"
#include "console.h"
#include "measured.h"
#include "profile/measurement_json.h"
#include "profile/occupancy.h"

namespace ww::cli {
namespace {

std::string value_text(const profile::Counter& c) {
  if (!std::isfinite(c.value)) return "not measured";
  const bool whole = c.value == std::floor(c.value) && std::fabs(c.value) < 1e15;
  return whole ? fmt::format("{:.0f}", c.value) : fmt::format("{:.4g}", c.value);
}

// Where counters are denied: the occupancy that the launches can reach at most, from registers, shared memory and block
// size.
Json occupancy_json(const Measured& what, const compile::Output& compiled, const std::string& architecture,
                    std::string& text) {
  Json list = Json::array();
  const Result<profile::DeviceLimits> limits = profile::device_limits(architecture);
  const Result<candidate::Candidate> parsed = candidate::parse(what.text, what.language);
  if (!limits || !parsed) return list;
  const Result<candidate::Plan> plan =
      candidate::plan(*parsed, what.spec, what.binding, candidate::first_tuning(*parsed));
  if (!plan) return list;
  for (const candidate::PlannedLaunch& l : plan->launches) {
    for (const compile::KernelResources& k : compiled.resources) {
      if (k.kernel != l.kernel) continue;
      const profile::Occupancy o =
          profile::occupancy(*limits, {static_cast<int>(l.block[0] * l.block[1] * l.block[2]), k.registers,
                                       k.static_shared, static_cast<std::int64_t>(l.shared_bytes)});
      list.push_back({{"provenance", "modelled"},
                      {"kernel", l.kernel},
                      {"registers", k.registers},
                      {"blocks", o.blocks},
                      {"warps", o.warps},
                      {"fraction", o.fraction},
                      {"limiter", o.limiter}});
      text += fmt::format("  {}: {} registers, {} of {} warps ({:.0f} %), limited by {}\n", safe(l.kernel), k.registers,
                          o.warps, limits->max_warps_per_sm(), 100 * o.fraction, o.limiter);
    }
  }
  return list;
}

}  // namespace

int profile(const Common& common, const std::string& given, const MeasureArgs& args, const std::string& set) {
  const Result<op::Library> library = op_library();
  if (!library) return failed(common, library.error());
  const Result<Measured> what = resolve_measured(common, *library, given, args.op, args.set);
  if (!what) return failed(common, what.error());
  Result<Bench> bench = Bench::open(common, args, false);
  if (!bench) return failed(common, bench.error(), Exit::environment);

  rpc::CountRequest request;
  request.spec = what->spec_text;
  request.candidate = what->text;
  request.language = what->language;
  request.device = args.device;
  request.architecture = args.architecture;
  request.binding = what->binding;
  request.set = set;
  Result<profile::CounterReport> report = fail(Code::internal, "");
  {
    LiveLine live;
    live.show("counting");
    report = bench->worker().count(request);
  }
  if (!report) return failed(common, report.error());

  const std::optional<profile::Roofline> roofline = roofline_of(*bench, *what);
  Json j = {{"case", case_json(*what)},
            {"candidate", candidate_json(*what)},
            {"provenance", "measured"},
            {"counters", profile::json_of(*report)},
            {"timings", Json::array()},
            {"occupancy", Json::array()},
            {"roofline", roofline_json(roofline)},
            {"device", profile::json_of(bench->device())},
            {"ceilings", bench->ceilings() ? profile::json_of(*bench->ceilings()) : Json(nullptr)},
            {"failure", ""},
            {"raw", Json::array()}};
  std::string out = fmt::format("{} of {} on {}\n", safe(what->label), case_text(*what), bench->device_text()), failure;
  if (!what->tuning.empty()) out += "Tuned with the first choice: " + what->tuning + '\n';
  for (const profile::KernelCounters& k : report->kernels) {
    std::vector<std::vector<std::string>> rows;
    for (const profile::Counter& c : k.values) rows.push_back({c.name, value_text(c), c.unit});
    out += fmt::format("\nLaunch {}: {} (measured; set {})\n", k.launch + 1, safe(k.kernel), report->set) +
           table({"Counter", "#Value", "Unit"}, rows);
    if (!k.lines.empty()) {
      std::vector<std::vector<std::string>> stalls;
      for (const profile::StallSamples& s : k.lines) {
        std::string reasons;
        std::uint64_t sum = 0;
        for (const auto& [reason, n] : s.reasons) {
          sum += n;
          reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, n);
        }
        stalls.push_back({s.line > 0 ? std::to_string(s.line) : "-", std::to_string(sum), safe(reasons)});
      }
      out += "\nSamples of the program counter by line of the candidate\n" +
             table({"#Line", "#Samples", "Stalled by"}, stalls);
    }
  }
  if (report->why_not.empty()) {
    out += fmt::format("\n{} passes, {:.2f} s.\n", report->passes, report->seconds);
  } else {
    // What can be known without counters.
    out += coloured(Colour::yellow, "Counters were not measured: " + safe(report->why_not)) + "\nInstead:\n";
    rpc::TimeRequest timing = bench->time_request(*what);
    timing.subjects.push_back({what->label, what->text, what->language, ""});
    const Result<rpc::TimeReply> timed = bench->worker().time(timing);
    failure = !timed                    ? timed.error().text()
              : timed->subjects.empty() ? "the worker's answer does not fit the request"
                                        : timed->subjects.front().error;
    if (failure.empty()) {
      std::vector<std::vector<std::string>> rows;
      for (const profile::SubjectTiming& t : timed->subjects.front().timings) {
        j["timings"].push_back(timing_json(t, roofline));
        j["raw"].push_back(profile::json_of(t));
        rows.push_back(timing_row(t, roofline));
      }
      out += table(timing_headers(), rows) + floor_text(roofline) +
             timing_remarks(timed->subjects.front().timings, roofline);
    } else {
      out += coloured(Colour::red, "Not timed: " + safe(failure)) + '\n';
    }
    rpc::CompileRequest compile;
    compile.candidate = what->text;
    compile.language = what->language;
    compile.architecture = args.architecture.empty() ? bench->device().architecture : args.architecture;
    if (const Result<compile::Output> compiled = bench->worker().compile(compile)) {
      std::string text;
      j["occupancy"] = occupancy_json(*what, *compiled, bench->device().architecture, text);
      if (!text.empty()) out += "Occupancy at most (modelled)\n" + text;
    }
  }
  j["failure"] = failure;
  if (failure.empty()) {
    const Result<Json> stored = bench->keep({&*what}, "counters", j);
    if (!stored) return failed(common, stored.error(), Exit::environment);
    j["stored"] = *stored;
  } else {
    j["stored"] = Json::array();
  }
  if (common.json)
    print_json(common, std::move(j));
  else
    print_text(out);
  return failure.empty() ? Exit::done : Exit::negative;
}

}  // namespace ww::cli
