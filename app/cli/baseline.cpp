// SPDX-License-Identifier: Apache-2.0
#include "measure/baselines.h"
#include <fmt/format.h>
#include "commands.h"
#include "measured.h"

namespace ww::cli {
namespace {

using profile::MeasuredSubject;

// Of the reference to each of the subject's timings, in their order; empty where they are not compared.
std::optional<profile::Ratio> ratio_of(const MeasuredSubject* reference, const MeasuredSubject& s,
                                       const profile::SubjectTiming& t) {
  const profile::SubjectTiming* other =
      reference && reference != &s ? profile::timing_in(*reference, t.cache) : nullptr;
  return other ? std::optional(profile::compare(*other, t)) : std::nullopt;
}

Json subjects_json(const profile::Measurement& m, const std::optional<profile::Roofline>& roofline) {
  const MeasuredSubject* reference = measure::reference_of(m);
  Json list = Json::array();
  for (const MeasuredSubject& s : m.subjects) {
    Json timings = Json::array();
    for (const profile::SubjectTiming& t : s.timings) {
      const std::optional<profile::Ratio> ratio = ratio_of(reference, s, t);
      timings.push_back(timing_json(t, roofline));
      timings.back()["ratio"] = json::of(ratio);
    }
    list.push_back(
        {{"name", s.name}, {"why_not", s.why_not}, {"verified", s.verified}, {"note", s.note}, {"timings", timings}});
  }
  return list;
}

std::string baselines_text(const Target& target, const profile::Measurement& m,
                           const std::optional<profile::Roofline>& roofline) {
  const MeasuredSubject* reference = measure::reference_of(m);
  std::vector<std::vector<std::string>> rows;
  std::string remarks, missing, notes;
  for (const MeasuredSubject& s : m.subjects) {
    for (const profile::SubjectTiming& t : s.timings) {
      const std::optional<profile::Ratio> ratio = ratio_of(reference, s, t);
      rows.push_back(timing_row(t, roofline));
      rows.back().push_back(ratio ? ratio_text(*ratio) : "-");
    }
    remarks += timing_remarks(s, roofline);
    if (!s.why_not.empty())
      missing += fmt::format("  {:<14}{}\n", safe(s.name), safe(s.why_not));
    else if (!s.note.empty() || !s.verified)
      notes += fmt::format("  {:<14}{}{}\n", safe(s.name), s.verified ? "verified" : "not verified",
                           s.note.empty() ? "" : "; " + safe(s.note));
  }
  std::vector<std::string> headers = timing_headers();
  headers.push_back(reference ? reference->name + " to it" : "Ratio");
  std::string out =
      fmt::format("{}{} on {}\n", target.subject ? safe(target.subject->label) + " and baselines of " : std::string(),
                  measure::case_text(target.what), device_text(m));
  if (!rows.empty()) out += table(headers, rows) + floor_text(roofline) + remarks;
  if (!notes.empty()) out += "Measured:\n" + notes;
  if (!missing.empty()) out += "Not measured:\n" + missing;
  if (reference)
    out += fmt::format(
        "'{0} to it' is the median time of {0} over that of the row, with its 95 % interval: below 1, {0} is "
        "faster.\n",
        reference->name);
  return out;
}

}  // namespace

Result<int> baseline(const Common& common, const std::string& op, const std::string& given, const MeasureArgs& args,
                     bool with_torch) {
  const op::Library library = WW_TRY(op_library());
  const Target target = WW_TRY(given.empty() ? resolve_case(library, op, args.set)
                                             : resolve_target(common, library, given, op, args.set));
  Result<Opened> opened = open_bench(common, args, true);
  if (!opened) return failed(common, opened.error(), Exit::environment);
  Result<profile::Measurement> m;
  {
    LiveLine live;
    m = measure::baselines(opened->bench, target.what, target.subject ? &*target.subject : nullptr, library, with_torch,
                           {}, shown_on(live));
  }
  if (!m) return failed(common, m.error(), Exit::environment);

  const MeasuredSubject* reference = measure::reference_of(*m);
  std::vector<measure::Subject> whose;
  if (target.subject) whose.push_back(*target.subject);
  Result<Json> stored = Json(Json::array());
  if (reference) stored = keep_json(*opened, target.what, whose, *m);
  if (!stored) return failed(common, stored.error(), Exit::environment);
  const std::optional<profile::Roofline> roofline = measure::roofline_of(target.what, *m);
  if (common.json) {
    Json j = common_json(target.what, *m, roofline);
    j.update({{"candidate", json::of(target.subject)},
              {"against", reference ? Json(reference->name) : Json(nullptr)},
              {"subjects", subjects_json(*m, roofline)},
              {"torch", m->torch.empty() ? Json(nullptr) : Json(m->torch)},
              {"stored", *stored}});
    print_json(common, std::move(j));
  } else {
    print_text(baselines_text(target, *m, roofline));
  }
  const bool candidate_failed = target.subject && !m->subjects.front().why_not.empty();
  return reference && !candidate_failed ? Exit::done : Exit::negative;
}

void add_baseline(Commands& commands) {
  struct Args {
    std::string op, candidate;
    MeasureArgs measure;
    bool no_torch = false;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add("baseline", "times well-known implementations of an op, optionally beside a candidate",
                               [args](const Common& common) {
                                 return baseline(common, args->op, args->candidate, args->measure, !args->no_torch);
                               });
  app.add_option("OP", args->op, "FILE.op, a sentence, or the name of an op")->required();
  app.add_option("CANDIDATE", args->candidate, a_candidate);
  add_measuring(app, args->measure, MeasuredOp::positional);
  add_settings(app, args->measure.set, a_setting);
  app.add_flag("--no-torch", args->no_torch, "leave PyTorch out");
}

}  // namespace ww::cli
