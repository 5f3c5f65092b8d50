// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "command.h"
#include "console.h"
#include "measured.h"
#include "profile/measurement_json.h"

namespace ww::cli {

int time(const Common& common, const std::string& given, const MeasureArgs& args) {
  const Result<op::Library> library = op_library();
  if (!library) return failed(common, library.error());
  const Result<Measured> what = resolve_measured(common, *library, given, args.op, args.set);
  if (!what) return failed(common, what.error());
  Result<Bench> bench = Bench::open(common, args, false);
  if (!bench) return failed(common, bench.error(), Exit::environment);

  rpc::TimeRequest request = bench->time_request(*what);
  request.subjects.push_back({what->label, what->text, what->language, ""});
  Result<rpc::TimeReply> reply = fail(Code::internal, "");
  {
    LiveLine live;
    reply = bench->worker().time(request, {}, [&](const rpc::Progress& p) {
      live.show(fmt::format("{:3.0f} %  {}: {}", 100 * p.fraction, p.stage, p.message));
    });
  }
  if (!reply) return failed(common, reply.error(), Exit::environment);
  if (reply->subjects.size() != 1)
    return failed(common, {Code::corrupt, "the worker's answer does not fit the request", {}});
  const rpc::TimedOutcome& timed = reply->subjects.front();

  const std::optional<profile::Roofline> roofline = roofline_of(*bench, *what);
  Json timings = Json::array(), raw = Json::array();
  for (const profile::SubjectTiming& t : timed.timings) {
    timings.push_back(timing_json(t, roofline));
    raw.push_back(profile::json_of(t));
  }
  Json j = {{"case", case_json(*what)},
            {"candidate", candidate_json(*what)},
            {"failure", timed.error},
            {"verified", timed.verified},
            {"note", timed.note},
            {"timings", timings},
            {"roofline", roofline_json(roofline)},
            {"device", profile::json_of(bench->device())},
            {"ceilings", bench->ceilings() ? profile::json_of(*bench->ceilings()) : Json(nullptr)},
            {"raw", raw}};
  if (timed.error.empty()) {
    const Result<Json> stored = bench->keep({&*what}, "time", j);
    if (!stored) return failed(common, stored.error(), Exit::environment);
    j["stored"] = *stored;
  } else {
    j["stored"] = Json::array();
  }
  if (common.json) {
    print_json(common, std::move(j));
    return timed.error.empty() ? Exit::done : Exit::negative;
  }
  std::string out = fmt::format("{} of {} on {}\n", safe(what->label), case_text(*what), bench->device_text());
  if (!what->tuning.empty()) out += "Tuned with the first choice: " + what->tuning + '\n';
  if (!timed.error.empty()) {
    print_text(out + coloured(Colour::red, "Not timed: " + safe(timed.error)));
    return Exit::negative;
  }
  std::vector<std::vector<std::string>> rows;
  for (const profile::SubjectTiming& t : timed.timings) rows.push_back(timing_row(t, roofline));
  out += table(timing_headers(), rows) + floor_text(roofline) + timing_remarks(timed.timings, roofline);
  out += (timed.verified ? "What the timed launches computed was verified"
                         : "What the timed launches computed was not verified") +
         (timed.note.empty() ? "" : ": " + safe(timed.note)) + ".\n";
  out += fmt::format("Measured; kept as measurement {} of candidate {}.\n", j["stored"][0]["measurement"].dump(),
                     j["stored"][0]["candidate"].dump());
  print_text(out);
  return Exit::done;
}

}  // namespace ww::cli
