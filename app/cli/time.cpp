// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "commands.h"
#include "measured.h"

namespace ww::cli {

int time(const Common& common, const std::string& given, const MeasureArgs& args) {
  const Result<op::Library> library = op_library();
  if (!library) return failed(common, library.error());
  const Result<Target> target = resolve_target(common, *library, given, args.op, args.set);
  if (!target) return failed(common, target.error());
  Result<Opened> opened = open_bench(common, args, false);
  if (!opened) return failed(common, opened.error(), Exit::environment);
  const measure::Subject& subject = *target->subject;
  Result<profile::Measurement> m;
  {
    LiveLine live;
    m = measure::time(opened->bench, target->what, subject, {}, shown_on(live));
  }
  if (!m) return failed(common, m.error(), Exit::environment);

  const profile::MeasuredSubject& timed = m->subjects.front();
  Result<Json> stored = Json(Json::array());
  if (timed.why_not.empty()) stored = keep_json(*opened, target->what, {subject}, *m);
  if (!stored) return failed(common, stored.error(), Exit::environment);
  const int exit = timed.why_not.empty() ? Exit::done : Exit::negative;
  const std::optional<profile::Roofline> roofline = measure::roofline_of(target->what, *m);
  if (common.json) {
    Json j = common_json(target->what, *m, roofline);
    j.update({{"candidate", json::of(subject)},
              {"failure", timed.why_not},
              {"verified", timed.verified},
              {"note", timed.note},
              {"timings", timings_json(timed, roofline)},
              {"stored", *stored}});
    print_json(common, std::move(j));
    return exit;
  }
  std::string out =
      fmt::format("{} of {} on {}\n", safe(subject.label), measure::case_text(target->what), device_text(*m)) +
      tuning_text(subject);
  if (!timed.why_not.empty()) {
    print_text(out + coloured(Colour::red, "Not timed: " + safe(timed.why_not)));
    return exit;
  }
  out += timing_text(timed, roofline);
  out += (timed.verified ? "The outputs of the timed launches were verified"
                         : "The outputs of the timed launches were not verified") +
         (timed.note.empty() ? "" : ": " + safe(timed.note)) + ".\n";
  out += fmt::format("Measured; kept as measurement {} of candidate {}.\n", (*stored)[0]["measurement"].dump(),
                     (*stored)[0]["candidate"].dump());
  print_text(out);
  return exit;
}

void add_time(Commands& commands) {
  struct Args {
    std::string candidate;
    MeasureArgs measure;
  };
  const auto args = std::make_shared<Args>();
  CLI::App& app = commands.add("time", "times a candidate on a GPU", [args](const Common& common) {
    return cli::time(common, args->candidate, args->measure);
  });
  app.add_option("CANDIDATE", args->candidate, a_candidate)->required();
  add_measuring(app, args->measure, MeasuredOp::option);
  add_settings(app, args->measure.set, a_setting);
}

}  // namespace ww::cli
