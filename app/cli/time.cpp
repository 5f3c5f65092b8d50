// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "measured.h"

namespace ww::cli {

Result<Answer> timed(Opened& opened, const Target& target, const Watch& watch) {
  const measure::Subject& subject = *target.subject;
  const Measured done = WW_TRY(measure_target(opened, target, {.kind = profile::MeasurementKind::time}, watch));
  const profile::Measurement& m = done.counted.measurement;
  const profile::MeasuredSubject& timed = m.subjects.front();
  const std::optional<profile::Roofline> roofline = measure::roofline_of(target.what, m);
  Json j = common_json(target.what, m, roofline);
  j.update({{"candidate", json::of(subject)},
            {"failure", timed.why_not},
            {"verified", timed.verified},
            {"note", timed.note},
            {"timings", timings_json(timed, roofline)},
            {"stored", json::of(done.kept)}});
  std::string out =
      fmt::format("{} of {} on {}\n", safe(subject.label), measure::case_text(target.what), device_text(m)) +
      tuning_text(subject);
  if (!timed.why_not.empty())
    return Answer{std::move(j), out + coloured(Colour::red, "Not timed: " + safe(timed.why_not)), Exit::negative};
  out += timing_text(timed, roofline);
  out += (timed.verified ? "The outputs of the timed launches were verified"
                         : "The outputs of the timed launches were not verified") +
         (timed.note.empty() ? "" : ": " + safe(timed.note)) + ".\n";
  out += fmt::format("Measured; kept as measurement {} of candidate {}.\n", done.kept.front().measurement,
                     done.kept.front().candidate);
  return Answer{std::move(j), std::move(out)};
}

Result<int> time(const Common& common, const std::string& given, const MeasureArgs& args) {
  const op::Library library = WW_TRY(op_library());
  const Target target = WW_TRY(resolve_target(common, library, given, args.op, args.set));
  return print_measured(common, args, [&](Opened& opened, const Watch& watch) { return timed(opened, target, watch); });
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
