// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "measured.h"
#include "store/words.h"

namespace ww::cli {
namespace {

Result<Pair> resolve_pair(const Common& common, const op::Library& library, const std::string& first,
                          const std::string& second, const MeasureArgs& args) {
  Target a = WW_TRY(resolve_target(common, library, first, args.op, args.set));
  Target b = WW_TRY(resolve_target(common, library, second, args.op, args.set));
  return pair_of(std::move(a), std::move(b));
}

std::string ratios_text(const Pair& pair, const std::vector<measure::CacheRatio>& ratios) {
  std::string text;
  for (const auto& [cache, r] : ratios) {
    const Colour colour = r.call == profile::Call::faster   ? Colour::green
                          : r.call == profile::Call::slower ? Colour::red
                                                            : Colour::yellow;
    text += fmt::format("{}: time of {} to that of {}: {}\n", enum_name(cache), safe(pair.first.label),
                        safe(pair.second.label), coloured(colour, ratio_text(r)));
    if (r.call != profile::Call::not_comparable && !r.why.empty()) text += "  " + r.why + '\n';
  }
  return text;
}

std::string problems_text(const profile::Measurement& m) {
  std::string text;
  for (const profile::MeasuredSubject& s : m.subjects) {
    if (!s.why_not.empty())
      text += coloured(Colour::red, safe(s.name + " was not timed: " + s.why_not)) + '\n';
    else if (!s.verified)
      text += safe(s.name) + ": the outputs of the timed launches were not verified" +
              (s.note.empty() ? "" : ": " + safe(s.note)) + ".\n";
  }
  return text;
}

std::string compared_text(const Pair& pair, const profile::Measurement& m,
                          const std::optional<profile::Roofline>& roofline) {
  std::string out = fmt::format("{} and {}, {}, on {}\n", safe(pair.first.label), safe(pair.second.label),
                                measure::case_text(pair.what), device_text(m));
  std::vector<std::vector<std::string>> rows;
  std::string remarks;
  for (const profile::MeasuredSubject& s : m.subjects) {
    for (const profile::SubjectTiming& t : s.timings) rows.push_back(timing_row(t, roofline));
    remarks += timing_remarks(s, roofline);
  }
  if (!rows.empty()) out += table(timing_headers(), rows) + floor_text(roofline) + remarks;
  return out;
}

}  // namespace

Result<Pair> pair_of(Target a, Target b) {
  if (a.what.spec_text != b.what.spec_text)
    return fail(Code::invalid_argument, "the two candidates compute different ops (" + a.what.spec.name + " and " +
                                            b.what.spec.name + "); choose one with --op");
  Pair pair{std::move(a.what), std::move(*a.subject), std::move(*b.subject)};
  if (pair.first.label == pair.second.label) pair.first.label += " (first)", pair.second.label += " (second)";
  return pair;
}

Result<Answer> compared(Opened& opened, const Pair& pair, const Watch& watch) {
  const profile::Measurement m =
      WW_TRY(measure::compare(opened.bench, pair.what, {pair.first, pair.second}, watch.stop, measuring(watch)));
  const profile::MeasuredSubject &a = m.subjects[0], &b = m.subjects[1];
  const bool complete = a.why_not.empty() && b.why_not.empty();
  std::vector<measure::CacheRatio> ratios;
  Json stored = Json::array();
  if (complete) {
    ratios = measure::ratios_of(a, b);
    stored = WW_TRY(keep_json(opened, pair.what, {pair.first, pair.second}, m));
  }
  const std::optional<profile::Roofline> roofline = measure::roofline_of(pair.what, m);
  Json timings = timings_json(a, roofline), list = Json::array();
  for (const Json& t : timings_json(b, roofline)) timings.push_back(t);
  for (const auto& [cache, ratio] : ratios) {
    list.push_back({{"cache", enum_string(cache)}});
    list.back().update(json::of(ratio));
  }
  Json j = common_json(pair.what, m, roofline);
  j.update({{"first", json::of(pair.first)},
            {"second", json::of(pair.second)},
            {"failures", Json::array({a.why_not, b.why_not})},
            {"ratios", list},
            {"verified", a.verified && b.verified},
            {"timings", timings},
            {"stored", stored}});
  return Answer{std::move(j),
                compared_text(pair, m, roofline) + ratios_text(pair, ratios) + problems_text(m) +
                    (complete ? "Ratios of the medians, with 95 % intervals; each round timed both, interleaved, with "
                                "newly allocated buffers.\n"
                              : ""),
                complete ? Exit::done : Exit::negative, timings};
}

namespace {

struct Side {  // a stored candidate
  store::CandidateRecord record;
  store::RunRecord run;
  measure::Case what;
};

Result<Side> side_of(store::Workspace& workspace, const store::CandidateRecord& c) {
  Side s{WW_TRY(workspace.candidate(c.id)), WW_TRY(workspace.run(c.run)), {}};
  s.what = WW_TRY(measure::stored_subject(workspace, s.record)).what;
  return s;
}

std::string why_not_comparable(const Side& a, const Side& b) {
  if (a.what.spec_text != b.what.spec_text || !same(measure::full_binding(a.what), measure::full_binding(b.what)))
    return "they were judged for different ops or cases";
  if (a.run.device != b.run.device || a.run.architecture != b.run.architecture)
    return "they were judged on different devices or for different architectures";
  if (!a.record.score || !b.record.score) return "at least one has neither cost nor time";
  return a.record.score_provenance == b.record.score_provenance ? ""
                                                                : "one is a simulated cost and one a measured time";
}

Json side_json(const Side& s) {
  return {{"id", s.record.id},
          {"hash", s.record.hash},
          {"run", s.record.run},
          {"title", s.record.title},
          {"state", enum_name(s.record.state)},
          {"score", s.record.score ? Json{{"value", *s.record.score},
                                          {"provenance", enum_name(s.record.score_provenance)},
                                          {"unit", s.record.score_unit}}
                                   : Json(nullptr)},
          {"metrics", s.record.verdict ? json::of(s.record.verdict->metrics) : Json(nullptr)}};
}

std::string side_text(const Side& s) {
  const std::string score = s.record.score ? fmt::format("{:.6g} {} ({})", *s.record.score, s.record.score_unit,
                                                         enum_name(s.record.score_provenance))
                                           : "neither cost nor time";
  return fmt::format("Candidate {} ({}): {}, {}\n", s.record.id, safe(s.record.title), store::word_of(s.record.state),
                     score);
}

}  // namespace

Result<Answer> compared_stored(store::Workspace& workspace, const store::CandidateRecord& first,
                               const store::CandidateRecord& second) {
  const Side a = WW_TRY(side_of(workspace, first)), b = WW_TRY(side_of(workspace, second));
  const std::string why = why_not_comparable(a, b);
  const double ratio = why.empty() && *b.record.score > 0 ? *a.record.score / *b.record.score : profile::unknown;
  std::string out = side_text(a) + side_text(b);
  if (!why.empty()) out += "Not comparable: " + why + ".\n";
  if (std::isfinite(ratio))
    out += fmt::format("{} of the first to that of the second: {:.3f}; lower is better.\n",
                       store::number_word(a.record.score_provenance), ratio);
  return Answer{{{"first", side_json(a)}, {"second", side_json(b)}, {"ratio", number_json(ratio)}, {"why_not", why}},
                std::move(out)};
}

Result<int> compare(const Common& common, const std::string& first, const std::string& second,
                    const MeasureArgs& args) {
  const op::Library library = WW_TRY(op_library());
  const Pair pair = WW_TRY(resolve_pair(common, library, first, second, args));
  return print_measured(common, args,
                        [&](Opened& opened, const Watch& watch) { return compared(opened, pair, watch); });
}

void add_compare(Commands& commands) {
  struct Args {
    std::string first, second;
    MeasureArgs measure;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app =
      commands.add("compare", "times two candidates and tells which is faster",
                   [args](const Common& common) { return compare(common, args->first, args->second, args->measure); });
  app.add_option("FIRST", args->first, a_candidate)->required();
  app.add_option("SECOND", args->second, a_candidate)->required();
  commands.add_format(app);
  add_measuring(app, args->measure, MeasuredOp::option);
  add_settings(app, args->measure.set, a_setting);
}

}  // namespace ww::cli
