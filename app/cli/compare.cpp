// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "command.h"
#include "console.h"
#include "measured.h"
#include "profile/measurement_json.h"

namespace ww::cli {

int compare(const Common& common, const std::string& first, const std::string& second, const MeasureArgs& args) {
  const Result<op::Library> library = op_library();
  if (!library) return failed(common, library.error());
  Result<Measured> a = resolve_measured(common, *library, first, args.op, args.set);
  if (!a) return failed(common, a.error());
  Result<Measured> b = resolve_measured(common, *library, second, args.op, args.set);
  if (!b) return failed(common, b.error());
  if (a->spec_text != b->spec_text)
    return failed(common, {Code::invalid_argument,
                           "the two candidates compute different ops (" + a->spec.name + " and " + b->spec.name +
                               "); name the one to compare them at with --op",
                           {}});
  b->binding = a->binding;
  if (a->label == b->label) a->label += " (first)", b->label += " (second)";
  Result<Bench> bench = Bench::open(common, args, false);
  if (!bench) return failed(common, bench.error(), Exit::environment);

  rpc::TimeRequest request = bench->time_request(*a);
  request.subjects = {{a->label, a->text, a->language, ""}, {b->label, b->text, b->language, ""}};
  std::vector<Outcome> outcomes;
  outcome_of(outcomes, a->label);
  outcome_of(outcomes, b->label);
  {
    LiveLine live;
    for (int round = 0; round < args.rounds && request.subjects.size() == 2; ++round) {
      const Status s = time_round(*bench, request, round, outcomes, [&](const rpc::Progress& p) {
        live.show(fmt::format("round {} of {}: {}: {}", round + 1, args.rounds, p.stage, p.message));
      });
      if (s) continue;
      live.clear();
      return failed(common, s.error(), Exit::environment);
    }
  }

  const std::optional<profile::Roofline> roofline = roofline_of(*bench, *a);
  std::vector<profile::SubjectTiming> all;
  Json timings = Json::array(), raw = Json::array(), ratios = Json::array(), failures = Json::array();
  std::vector<std::vector<std::string>> rows;
  std::string text, problems;
  for (const Outcome& o : outcomes) {
    failures.push_back(o.error);
    if (!o.error.empty())
      problems += coloured(Colour::red, safe(o.name + " was not timed: " + o.error)) + '\n';
    else if (!o.verified)
      problems += safe(o.name) + ": what the timed launches computed was not verified" +
                  (o.note.empty() ? "" : ": " + safe(o.note)) + ".\n";
    for (const profile::SubjectTiming& t : o.timings) {
      all.push_back(t);
      timings.push_back(timing_json(t, roofline));
      raw.push_back(profile::json_of(t));
      rows.push_back(timing_row(t, roofline));
    }
  }
  const bool complete = outcomes[0].error.empty() && outcomes[1].error.empty();
  for (const profile::Cache cache : {profile::Cache::cold, profile::Cache::warm}) {
    const profile::SubjectTiming* x = find_timing(all, a->label, cache);
    const profile::SubjectTiming* y = find_timing(all, b->label, cache);
    if (!complete || !x || !y) continue;
    const profile::Ratio r = profile::compare(*x, *y);
    Json one = {{"cache", std::string(profile::cache_name(cache))}};
    one.update(ratio_json(r));
    ratios.push_back(one);
    const Colour colour = r.call == profile::Call::faster   ? Colour::green
                          : r.call == profile::Call::slower ? Colour::red
                                                            : Colour::yellow;
    text += fmt::format("{}: time of {} to that of {}: {}\n", profile::cache_name(cache), safe(a->label),
                        safe(b->label), coloured(colour, ratio_text(r)));
    if (r.call != profile::Call::not_comparable && !r.why.empty()) text += "  " + r.why + '\n';
  }
  Json j = {{"case", case_json(*a)},
            {"first", candidate_json(*a)},
            {"second", candidate_json(*b)},
            {"failures", failures},
            {"ratios", ratios},
            {"verified", outcomes[0].verified && outcomes[1].verified},
            {"timings", timings},
            {"roofline", roofline_json(roofline)},
            {"device", profile::json_of(bench->device())},
            {"ceilings", bench->ceilings() ? profile::json_of(*bench->ceilings()) : Json(nullptr)},
            {"raw", raw}};
  if (complete) {
    const Result<Json> stored = bench->keep({&*a, &*b}, "compare", j);
    if (!stored) return failed(common, stored.error(), Exit::environment);
    j["stored"] = *stored;
  } else {
    j["stored"] = Json::array();
  }
  if (common.json) {
    print_json(common, std::move(j));
  } else {
    std::string out =
        fmt::format("{} and {}, {}, on {}\n", safe(a->label), safe(b->label), case_text(*a), bench->device_text());
    if (!rows.empty()) out += table(timing_headers(), rows) + floor_text(roofline) + timing_remarks(all, roofline);
    print_text(out + text + problems +
               (complete ? "Ratios: of the medians, with the 95 % interval; both were timed in turn in every round, "
                           "with buffers allocated anew.\n"
                         : ""));
  }
  return complete ? Exit::done : Exit::negative;
}

}  // namespace ww::cli
