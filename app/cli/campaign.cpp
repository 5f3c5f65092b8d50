// SPDX-License-Identifier: Apache-2.0
#include "answer.h"
#include "commands.h"
#include "explore/campaign.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include "console.h"
#include "generator/run_options.h"
#include "interrupt.h"
#include "models.h"
#include "output.h"
#include "subject.h"

namespace ww::cli {
namespace {

// "softmax=0.6": everything before the last '=' is the op.
Result<std::pair<std::string, double>> share_of(const std::string& given) {
  const std::size_t equal = given.rfind('=');
  double share = 0;
  const std::string number = equal == std::string::npos ? std::string() : given.substr(equal + 1);
  const auto r = std::from_chars(number.data(), number.data() + number.size(), share);
  if (equal == 0 || number.empty() || r.ec != std::errc() || r.ptr != number.data() + number.size() ||
      !std::isfinite(share) || share <= 0)
    return fail(Code::invalid_argument, "'" + given + "' is not an op with a share of the time, such as softmax=0.6");
  return std::pair{given.substr(0, equal), share};
}

Result<std::vector<explore::CampaignOp>> ops_of(const CampaignArgs& args) {
  const op::Library library = WW_TRY(op_library());
  const generator::RunOptions common = WW_TRY(options_of(args.explore.run));
  std::vector<explore::CampaignOp> ops;
  std::vector<std::string> unused = args.explore.run.set;
  for (const std::string& given : args.shares) {
    const std::pair<std::string, double> share = WW_TRY(share_of(given));
    const CommandSubject subject = WW_TRY(resolve_subject(library, share.first));
    if (!subject.spec)
      return fail(Code::invalid_argument, "'" + share.first + "' was not understood",
                  unclear_text(*subject.understanding));
    std::vector<std::string> settings;  // those that this op has
    for (const std::string& s : args.explore.run.set) {
      const std::string name = s.substr(0, s.find('='));
      const op::Spec& spec = *subject.spec;
      if (std::find(spec.symbols.begin(), spec.symbols.end(), name) == spec.symbols.end() &&
          std::none_of(spec.constants.begin(), spec.constants.end(), [&](const auto& c) { return c.name == name; }))
        continue;
      settings.push_back(s);
      std::erase(unused, s);
    }
    op::Binding binding = WW_TRY(binding_of(*subject.spec, settings));
    explore::CampaignOp op{share.second, common};
    op.options.spec = subject.text;
    op.options.binding = std::move(binding);
    if (subject.understanding) op.options.sentence = subject.given;
    if (subject.candidate) op.options.given.push_back(*subject.candidate);
    ops.push_back(std::move(op));
  }
  if (!unused.empty())
    return fail(Code::invalid_argument,
                "none of the ops has a shape symbol or constant named '" + unused.front() + "'");
  return ops;
}

Result<std::int64_t> campaign_number(const store::Workspace& workspace, const std::string& text) {
  const std::vector<std::int64_t> all = explore::campaigns(workspace);
  if (all.empty()) return fail(Code::not_found, "the workspace '" + workspace.folder().string() + "' has no campaign");
  if (text == "last") return all.back();
  for (const std::int64_t n : all)
    if (std::to_string(n) == text) return n;
  return fail(Code::not_found,
              "the workspace has no campaign '" + text + "'; the last one is " + std::to_string(all.back()));
}

Result<int> campaign(const Common& common, const CampaignArgs& args) {
  const ExploreArgs& e = args.explore;
  if (args.shares.empty() == e.resume.empty())
    return failed(common, {Code::invalid_argument,
                           "name ops with their shares (softmax=0.6 layernorm=0.4), or --resume a campaign; not both",
                           {}});
  explore::CampaignOptions options;
  options.slice = args.slice;
  if (e.resume.empty()) {
    options.ops = WW_TRY(ops_of(args));
    options.budget = e.run.options.budget;
  }
  const Result<std::unique_ptr<store::Workspace>> workspace =
      open_workspace(common, e.resume.empty() ? Access::create : Access::write);
  if (!workspace) return failed(common, workspace.error(), Exit::environment);

  const Interrupt interrupt(
      "\nStopping: candidates being judged return to the queue. Interrupt again to exit at once.\n");
  LiveLine above;
  Watcher watcher({.candidates = 0});
  explore::CampaignWatch watch;
  watch.event = [&](const explore::Event& event) { watcher(event); };
  watch.slice = [&](const explore::CampaignSlice& s) {
    const explore::CampaignOpState& o = s.state.ops[s.op];
    say(above,
        fmt::format("campaign {}: {} ({:.0f} % of the time) gets {} candidates; expected to cut the total time by {} %",
                    s.campaign, o.op, 100 * o.weight, s.candidates, fmt::format("{:.2g}", 100 * o.gain)));
  };
  Result<explore::CampaignEnded> ended = fail(Code::internal, "");
  if (e.resume.empty()) {
    ended = explore::run_campaign(**workspace, options, watch, interrupt.token());
  } else {
    const std::int64_t number = WW_TRY(campaign_number(**workspace, e.resume));
    const explore::CampaignState before = WW_TRY(explore::campaign_state(**workspace, number));
    for (const explore::CampaignOpState& o : before.ops) {
      if (!o.run) continue;
      const store::RunRecord record = WW_TRY((*workspace)->run(o.run));
      const generator::RunOptions run = WW_TRY(generator::options_from_json(record.options));
      WW_TRY(ready_for(run, e.run.allow_hosts));
    }
    ended = explore::resume_campaign(**workspace, number, watch, interrupt.token(), new_budget(e.run, before.budget));
  }
  if (!ended) return failed(common, ended.error());
  const explore::CampaignState state = WW_TRY(explore::campaign_state(**workspace, ended->campaign));
  if (common.json) {
    print_json(common, json::of(state));
  } else {
    std::vector<std::vector<std::string>> rows;
    for (const explore::CampaignOpState& o : state.ops)
      rows.push_back({safe(o.op), fmt::format("{:.0f} %", 100 * o.weight), o.run ? std::to_string(o.run) : "-",
                      std::to_string(o.judged), std::to_string(o.accepted), count_text(o.tokens), money_text(o.money),
                      o.best ? score_text({*o.best, o.provenance, o.unit}) : "-",
                      o.best ? fmt::format("{:.2f}", o.speedup) : "-", safe(o.ended.empty() ? o.unit : o.ended)});
    std::string out = '\n' + table({"Op", "#Share", "#Run", "#Judged", "#Proved", "#Tokens", "#Price", "#Best",
                                    "#Times faster", "Remarks"},
                                   rows);
    const std::vector<std::string> lines = explore::campaign_lines(state);
    if (!lines.empty()) out += safe(lines.back()) + '\n';
    out += fmt::format("Campaign {} is {}: {}.\n", ended->campaign, enum_string(ended->state), safe(ended->why));
    if (ended->state == store::RunState::cancelled)
      out += resumed_text((*workspace)->folder(), "campaign", ended->campaign) + '\n';
    print_text(out);
  }
  const bool found =
      std::any_of(state.ops.begin(), state.ops.end(), [](const explore::CampaignOpState& o) { return o.accepted > 0; });
  return exit_of_run(ended->state, found);
}

}  // namespace

void add_campaign(Commands& commands) {
  const auto args = std::make_shared<CampaignArgs>();
  CLI::App& app = commands.add(
      "campaign",
      "explores several ops under one budget, always continuing the one with the largest expected overall gain",
      [args](const Common& common) { return campaign(common, *args); });
  app.add_option("OP=SHARE", args->shares,
                 "an op (name or FILE.op) and its share of the total time: softmax=0.6 layernorm=0.4");
  add_exploring(app, args->explore.run);
  app.add_option("--slice", args->slice, "candidates per op before choosing again")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--resume", args->explore.resume, "resumes a campaign: its number, or last");
}

}  // namespace ww::cli
