// SPDX-License-Identifier: Apache-2.0
#include "baseline/baseline.h"
#include <algorithm>
#include <fmt/format.h>
#include <random>
#include "command.h"
#include "console.h"
#include "measured.h"
#include "profile/measurement_json.h"
#include "torch_helper.h"

namespace ww::cli {
int baseline(const Common& common, const std::string& op, const std::string& given, const MeasureArgs& args,
             bool with_torch) {
  const Result<op::Library> library = op_library();
  if (!library) return failed(common, library.error());
  MeasureArgs named = args;
  named.op = op;
  Result<Measured> what =
      given.empty() ? resolve_case(*library, op, args.set) : resolve_measured(common, *library, given, op, args.set);
  if (!what) return failed(common, what.error());
  Result<Bench> bench = Bench::open(common, named, true);
  if (!bench) return failed(common, bench.error(), Exit::environment);

  rpc::TimeRequest request = bench->time_request(*what);
  if (!what->text.empty()) request.subjects.push_back({"candidate", what->text, what->language, ""});
  request.subjects.push_back({"naive", "", candidate::Language::cuda, "naive"});
  std::vector<Outcome> all;
  const baseline::List modules = baseline::load();
  for (const auto& module : modules.usable) {
    const Result<baseline::Applies> applies = module->applies(what->spec_text, what->binding);
    if (applies && applies->yes)
      request.subjects.push_back({module->name(), "", candidate::Language::cuda, module->name()});
    else
      outcome_of(all, module->name()).error = applies ? applies->message : applies.error().text();
  }
  for (const baseline::RefusedModule& m : modules.refused)
    outcome_of(all, m.file.stem().string()).error = "the module " + m.file.string() + " was refused: " + m.reason;

  LiveLine live;
  std::unique_ptr<TorchHelper> torch;
  std::string torch_text;
  bool torch_times = false;
  if (with_torch) {
    live.show("starting PyTorch");
    Result<std::unique_ptr<TorchHelper>> started = TorchHelper::start(args.device);
    Result<std::vector<TorchHelper::Variant>> variants =
        started ? Result<std::vector<TorchHelper::Variant>>()
                : Result<std::vector<TorchHelper::Variant>>(fail(started.error()));
    if (started) {
      torch = std::move(*started);
      torch_text = torch->version() + " (" + torch->python() + ")";
      live.show("PyTorch compiles the op");
      variants = torch->prepare(*library, *what);
    }
    if (variants) {
      for (const TorchHelper::Variant& v : *variants) {
        Outcome& o = outcome_of(all, v.name);
        o.error = v.error;
        o.note = "PyTorch " + torch_text + (v.note.empty() ? "" : ", " + v.note) +
                 "; its result was not verified by Warpwright";
        torch_times = torch_times || v.error.empty();
      }
    } else {
      for (const char* name : {"torch eager", "torch.compile"}) outcome_of(all, name).error = variants.error().text();
    }
  }

  // Worker and helper take turns in random order, round by round, so that what drifts meets both.
  std::mt19937_64 random(0);
  for (int round = 0; round < args.rounds; ++round) {
    const auto worker_turn = [&] {
      return time_round(*bench, request, round, all, [&](const rpc::Progress& p) {
        live.show(fmt::format("round {} of {}: {}: {}", round + 1, args.rounds, p.stage, p.message));
      });
    };
    const auto torch_turn = [&] {
      if (!torch_times) return;
      live.show(fmt::format("round {} of {}: PyTorch", round + 1, args.rounds));
      const Result<std::vector<profile::SubjectTiming>> timings = torch->time(round, args.samples);
      if (timings) {
        for (const profile::SubjectTiming& t : *timings) add_timing(outcome_of(all, t.subject), t);
        return;
      }
      torch_times = false;
      for (const char* name : {"torch eager", "torch.compile"})
        if (Outcome& o = outcome_of(all, name); o.error.empty()) o.error = timings.error().text();
    };
    const bool torch_first = random() % 2 == 0;
    if (torch_first) torch_turn();
    if (!request.subjects.empty())
      if (Status s = worker_turn(); !s) {
        live.clear();
        return failed(common, s.error(), Exit::environment);
      }
    if (!torch_first) torch_turn();
  }
  live.clear();

  // In the order of a reader's interest; a subject that failed in some round has no timings.
  const auto place = [](const std::string& name) {
    return name == "candidate" ? 0 : name == "naive" ? 1 : name.starts_with("torch") ? 3 : 2;
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Outcome& a, const Outcome& b) { return place(a.name) < place(b.name); });
  const Outcome* against = nullptr;  // the one that the others are compared with
  for (Outcome& o : all) {
    if (!o.error.empty()) o.timings.clear();
    if (!against && !o.timings.empty()) against = &o;
  }
  const std::optional<profile::Roofline> roofline = roofline_of(*bench, *what);
  Json subjects = Json::array(), raw = Json::array();
  std::vector<std::vector<std::string>> rows;
  std::string remarks, missing, notes;
  std::vector<std::string> headers = timing_headers();
  headers.push_back(against ? against->name + " to it" : "Ratio");
  for (const Outcome& o : all) {
    Json one = {
        {"name", o.name}, {"why_not", o.error}, {"verified", o.verified}, {"note", o.note}, {"timings", Json::array()}};
    for (const profile::SubjectTiming& t : o.timings) {
      raw.push_back(profile::json_of(t));
      Json timing = timing_json(t, roofline);
      std::vector<std::string> row = timing_row(t, roofline);
      const profile::SubjectTiming* other =
          against && against != &o ? find_timing(against->timings, against->name, t.cache) : nullptr;
      if (other) {
        const profile::Ratio ratio = profile::compare(*other, t);
        timing["ratio"] = ratio_json(ratio);
        row.push_back(ratio_text(ratio));
      } else {
        timing["ratio"] = nullptr;
        row.push_back("-");
      }
      one["timings"].push_back(timing);
      rows.push_back(std::move(row));
    }
    remarks += timing_remarks(o.timings, roofline);
    if (!o.error.empty())
      missing += fmt::format("  {:<14}{}\n", safe(o.name), safe(o.error));
    else if (!o.note.empty() || !o.verified)
      notes += fmt::format("  {:<14}{}{}\n", safe(o.name), o.verified ? "verified" : "not verified",
                           o.note.empty() ? "" : "; " + safe(o.note));
    subjects.push_back(std::move(one));
  }
  const bool candidate_failed = !what->text.empty() && !outcome_of(all, "candidate").error.empty();
  Json j = {{"case", case_json(*what)},
            {"candidate", candidate_json(*what)},
            {"against", against ? Json(against->name) : Json(nullptr)},
            {"subjects", subjects},
            {"torch", torch_text.empty() ? Json(nullptr) : Json(torch_text)},
            {"roofline", roofline_json(roofline)},
            {"device", profile::json_of(bench->device())},
            {"ceilings", bench->ceilings() ? profile::json_of(*bench->ceilings()) : Json(nullptr)},
            {"raw", raw}};
  if (against) {
    const Result<Json> stored = bench->keep({&*what}, "baseline", j);
    if (!stored) return failed(common, stored.error(), Exit::environment);
    j["stored"] = *stored;
  } else {
    j["stored"] = Json::array();
  }
  if (common.json) {
    print_json(common, std::move(j));
  } else {
    std::string out =
        fmt::format("{}{} on {}\n", what->text.empty() ? std::string() : safe(what->label) + " and baselines of ",
                    case_text(*what), bench->device_text());
    if (!rows.empty()) out += table(headers, rows) + floor_text(roofline) + remarks;
    if (!notes.empty()) out += "Measured:\n" + notes;
    if (!missing.empty()) out += "Not measured:\n" + missing;
    if (against)
      out += fmt::format(
          "'{} to it' is the time of {} over that of the row, of the medians, with the 95 % interval: below 1, {} is "
          "faster.\n",
          against->name, against->name, against->name);
    print_text(out);
  }
  return against && !candidate_failed ? Exit::done : Exit::negative;
}

}  // namespace ww::cli
