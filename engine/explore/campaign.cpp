// SPDX-License-Identifier: Apache-2.0
#include "explore/campaign.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include "base/describe.h"
#include "base/described_json.h"
#include "base/files.h"
#include "base/plural.h"
#include "generator/run_options.h"
#include "explore/run_lock.h"
#include "explore/run_setup.h"
#include "explore/spec_fault.h"
#include "op/parse.h"
#include "store/workspace.h"

namespace ww::explore {
namespace fs = std::filesystem;
namespace {

constexpr const char* campaign_schema = "warpwright/campaign/1";

struct StoredOp {
  double weight = 1;
  std::string stored_options;  // options_to_json of:
  generator::RunOptions options;
  std::int64_t run = 0;
  std::string ended;
  bool failed = false;  // it ended for a fault
  WW_FIELDS(StoredOp, weight, run, ended, (failed, defaulted), ((options, stored_options)))
};
struct Stored {
  std::int64_t id = 0;
  std::string written_as = campaign_schema;
  store::RunState state = store::RunState::running;
  std::string why;
  generator::Budget budget;
  int slice = 4;
  double minutes = 0;
  std::vector<StoredOp> ops;
  WW_FIELDS(Stored, ((schema, written_as)), state, why, slice, minutes, ops, budget)
};

fs::path folder_of(const store::Workspace& workspace) { return workspace.folder() / "campaigns"; }
fs::path file_of(const store::Workspace& workspace, std::int64_t id) {
  return folder_of(workspace) / std::to_string(id) / "campaign.json";
}

Status save(const store::Workspace& workspace, const Stored& s) {
  return write_file_atomic(file_of(workspace, s.id), json::text_of(s, 1) + "\n");
}

Result<Stored> load(const store::Workspace& workspace, std::int64_t id) {
  const Result<std::string> text = read_file(file_of(workspace, id));
  if (!text) return fail(Code::not_found, "the workspace has no campaign " + std::to_string(id));
  Stored s = WW_TRY(
      json::read_text<Stored>(*text, "the campaign's file '" + file_of(workspace, id).string() + "' cannot be read"));
  if (s.written_as != campaign_schema)
    return fail(Code::unsupported, "the campaign was written by another version of Warpwright");
  s.id = id;
  for (StoredOp& e : s.ops) e.options = WW_TRY(generator::options_from_json(e.stored_options));
  return s;
}

// The results of an op's run, by slices of its verdicts.
Status survey(store::Workspace& workspace, CampaignOpState& op, int slice) {
  if (op.run == 0) return {};
  const store::RunRecord record = WW_TRY(workspace.run(op.run));
  std::vector<store::CandidateRecord> list = WW_TRY(workspace.candidates(op.run));
  const std::vector<store::ExchangeRecord> exchanges = WW_TRY(workspace.exchanges(op.run));
  for (const store::ExchangeRecord& e : exchanges) {
    op.tokens += e.prompt_tokens + e.completion_tokens;
    op.money += e.money.value_or(0);
  }
  op.judged = record.judged;
  op.accepted = record.accepted;
  std::erase_if(list, [](const auto& c) { return c.order == 0; });
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  std::int64_t best = 0;
  std::optional<double> before;  // the best at the slice's begin
  for (std::size_t i = 0; i < list.size(); ++i) {
    const store::CandidateRecord& c = list[i];
    if (c.score && (op.provenance == Provenance::unknown || c.score_provenance == op.provenance)) {
      if (!op.first) op.first = c.score, op.unit = c.score_unit, op.provenance = c.score_provenance;
      if (!before) before = op.first;
      if (!op.best || *c.score < *op.best) op.best = c.score, best = c.id;
    }
    if ((i + 1) % static_cast<std::size_t>(slice) != 0 && i + 1 != list.size()) continue;
    const double took = before && *before > 0 ? 1 - *op.best / *before : 0;
    op.expected_reduction = (op.expected_reduction + took) / 2;
    before = op.best;
  }
  if (op.best && *op.best > 0) op.speedup = *op.first / *op.best;
  if (best == 0 || op.provenance != Provenance::measured) return {};
  const Result<store::CandidateRecord> whole = workspace.candidate(best);
  if (whole && whole->verdict && whole->verdict->metrics && whole->verdict->metrics->floor)
    op.floor = whole->verdict->metrics->floor->us;
  return {};
}

Result<CampaignState> state_of(store::Workspace& workspace, const Stored& s) {
  CampaignState state{s.id, s.state, s.why, s.budget, s.slice, s.minutes, {}, {}};
  double all = 0, now = 0;
  for (const StoredOp& e : s.ops) all += e.weight;
  bool comparable = true;
  Provenance provenance = Provenance::unknown;
  for (const StoredOp& e : s.ops) {
    CampaignOpState op;
    if (const Result<op::Spec> spec = op::parse_spec(e.options.spec)) op.op = spec->name;
    op.weight = e.weight / all;
    op.run = e.run;
    op.ended = e.ended;
    WW_TRY(survey(workspace, op, s.slice));
    now += op.weight / op.speedup;
    if (op.provenance != Provenance::unknown && provenance != Provenance::unknown && op.provenance != provenance)
      comparable = false;
    if (op.provenance != Provenance::unknown) provenance = op.provenance;
    state.ops.push_back(std::move(op));
  }
  for (CampaignOpState& op : state.ops) {
    double p = op.expected_reduction;
    if (std::isfinite(op.floor) && op.best && *op.best > 0) p = std::min(p, std::max(0.0, 1 - op.floor / *op.best));
    op.gain = op.weight / op.speedup * p / now;
  }
  if (comparable && now > 0) state.whole = 1 / now;
  return state;
}

struct Left {  // of the budget; empty: no limit
  std::optional<int> candidates;
  std::optional<double> minutes, money;
  std::optional<std::int64_t> tokens;
  std::string used_up;  // a sentence, where one of them is
};

Left left_of(const CampaignState& s) {
  Left l;
  const generator::Budget& b = s.budget;
  if (b.candidates > 0) l.candidates = b.candidates - s.judged();
  if (b.minutes > 0) l.minutes = b.minutes - s.minutes;
  if (b.tokens > 0) l.tokens = b.tokens - s.tokens();
  if (b.money > 0) l.money = b.money - s.money();
  if (l.candidates && *l.candidates <= 0)
    l.used_up = "the budget of " + plural(b.candidates, "candidate") + " is used up";
  else if (l.minutes && *l.minutes <= 0)
    l.used_up = "the time of the budget is used up";
  else if (l.tokens && *l.tokens <= 0)
    l.used_up = fmt::format("the budget of {} tokens is used up", b.tokens);
  else if (l.money && *l.money <= 0)
    l.used_up = fmt::format("the budget of ${:.2f} is used up", b.money);
  return l;
}

Result<CampaignEnded> go(store::Workspace& workspace, Stored s, const CampaignWatch& watch, std::stop_token stop) {
  const auto end = [&](store::RunState state, const std::string& why) -> Result<CampaignEnded> {
    s.state = state;
    s.why = why;
    WW_TRY(save(workspace, s));
    return CampaignEnded{s.id, state, why};
  };
  for (;;) {
    if (stop.stop_requested()) return end(store::RunState::cancelled, "stopped before its budget was used up");
    const CampaignState state = WW_TRY(state_of(workspace, s));
    const Left left = left_of(state);
    if (!left.used_up.empty()) return end(store::RunState::done, left.used_up);
    std::size_t next = s.ops.size();
    for (std::size_t i = 0; i < s.ops.size(); ++i)
      if (s.ops[i].ended.empty() && (next == s.ops.size() || state.ops[i].gain > state.ops[next].gain)) next = i;
    if (next == s.ops.size()) {
      std::string why;
      bool failed = true;
      for (std::size_t i = 0; i < s.ops.size(); ++i) {
        why += (i ? "; " : "") + state.ops[i].op + ": " + s.ops[i].ended;
        failed = failed && s.ops[i].failed;
      }
      return end(failed ? store::RunState::failed : store::RunState::done, why);
    }
    StoredOp& e = s.ops[next];
    const CampaignOpState& op = state.ops[next];
    const int wanted = left.candidates ? std::min(s.slice, *left.candidates) : s.slice;
    generator::Budget budget;
    budget.candidates = op.judged + wanted;
    budget.minutes = left.minutes.value_or(0);
    budget.tokens = left.tokens ? op.tokens + *left.tokens : 0;
    budget.money = left.money ? op.money + *left.money : 0;
    if (watch.slice) watch.slice({s.id, next, wanted, state});
    const auto began = std::chrono::steady_clock::now();
    const EventHandler handler = [&](const Event& event) {
      if (const auto* started = std::get_if<RunStarted>(&event); started && e.run == 0) {
        e.run = started->run;
        (void)save(workspace, s);  // a death from here on leaves a run that the campaign knows
      }
      if (watch.event) watch.event(event);
    };
    Result<RunEnded> ended = fail(Code::internal, "");
    if (e.run == 0) {
      generator::RunOptions options = e.options;
      options.budget = budget;
      ended = explore::run(workspace, options, handler, stop);
    } else {
      ended = explore::resume(workspace, e.run, handler, stop, budget);
    }
    s.minutes += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / 60;
    e.failed = !ended || ended->state == store::RunState::failed;
    if (e.failed) {
      e.ended = "failed: " + (ended ? ended->why : ended.error().text());
    } else if (ended->state == store::RunState::done) {
      const store::RunRecord record = WW_TRY(workspace.run(e.run));
      if (record.judged < budget.candidates) e.ended = ended->why;  // it came to its own end, not to that of the slice
    }
    WW_TRY(save(workspace, s));
  }
}

}  // namespace

int CampaignState::judged() const {
  int n = 0;
  for (const CampaignOpState& op : ops) n += op.judged;
  return n;
}
std::int64_t CampaignState::tokens() const {
  std::int64_t n = 0;
  for (const CampaignOpState& op : ops) n += op.tokens;
  return n;
}
double CampaignState::money() const {
  double n = 0;
  for (const CampaignOpState& op : ops) n += op.money;
  return n;
}

Result<CampaignState> campaign_state(store::Workspace& workspace, std::int64_t campaign) {
  const Stored s = WW_TRY(load(workspace, campaign));
  return state_of(workspace, s);
}

std::vector<std::int64_t> campaigns(const store::Workspace& workspace) {
  std::vector<std::int64_t> list;
  std::error_code ec;
  for (fs::directory_iterator it(folder_of(workspace), ec), end; !ec && it != end; it.increment(ec))
    if (const std::int64_t id = std::atoll(it->path().filename().c_str());
        id > 0 && fs::exists(it->path() / "campaign.json"))
      list.push_back(id);
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<std::string> campaign_lines(const CampaignState& s) {
  std::vector<std::string> lines;
  double now = 0;
  for (const CampaignOpState& op : s.ops) now += op.weight / op.speedup;
  for (const CampaignOpState& op : s.ops) {
    std::string line = fmt::format("{}: {:.1f} % of the time", op.op, 100 * op.weight);
    if (op.run == 0)
      line += ", not begun";
    else
      line += fmt::format(", run {}: {} judged, {} proved", op.run, op.judged, op.accepted);
    if (op.best) {
      const std::string unit =
          op.unit.starts_with(enum_string(op.provenance)) ? op.unit : op.unit + ", " + enum_string(op.provenance);
      line += fmt::format("; best {:.5g} ({}), {:.3g} times its first proved candidate; now {:.1f} % of the time",
                          *op.best, unit, op.speedup, 100 * op.weight / op.speedup / now);
    }
    if (op.tokens > 0) line += fmt::format("; {} tokens", op.tokens);
    if (!op.ended.empty()) line += "; ended: " + op.ended;
    lines.push_back(std::move(line));
  }
  lines.push_back(s.whole ? fmt::format("All together, modelled by Amdahl's law: {:.3g} times faster than with the "
                                        "first proved candidate of each, if the weights are its shares of the time",
                                        *s.whole)
                          : "All together: not computed, since some have simulated costs and others measured times");
  return lines;
}

Result<CampaignEnded> run_campaign(store::Workspace& workspace, const CampaignOptions& options,
                                   const CampaignWatch& watch, std::stop_token stop) {
  const generator::Budget& b = options.budget;
  if (options.ops.empty()) return fail(Code::invalid_argument, "a campaign needs at least one op");
  if (b.candidates <= 0 && !(b.minutes > 0) && b.tokens <= 0 && !(b.money > 0))
    return fail(Code::invalid_argument, "a campaign needs a budget");
  Stored s;
  s.budget = b;
  s.slice = std::max(1, options.slice);
  for (const CampaignOp& op : options.ops) {
    if (!(op.weight > 0) || !std::isfinite(op.weight))
      return fail(Code::invalid_argument, "the weight of an op must be above 0");
    const op::Spec spec = WW_TRY(op::parse_spec(op.options.spec));
    WW_TRY(check_computable(spec, cases_of(spec, op.options, stop), stop));
    WW_TRY(check_sandbox(op.options));
    s.ops.push_back({op.weight, generator::options_to_json(op.options), op.options});
  }
  std::error_code ec;
  fs::create_directories(folder_of(workspace), ec);
  const std::vector<std::int64_t> known = campaigns(workspace);
  for (s.id = known.empty() ? 1 : known.back() + 1;
       !fs::create_directory(folder_of(workspace) / std::to_string(s.id), ec); ++s.id)  // true for one process only
    if (ec)
      return fail(Code::io, "cannot write to the workspace folder '" + workspace.folder().string() + "'", ec.message());
  const RunLock lock = WW_TRY(RunLock::take(folder_of(workspace), s.id));
  WW_TRY(save(workspace, s));
  return go(workspace, std::move(s), watch, stop);
}

Result<CampaignEnded> resume_campaign(store::Workspace& workspace, std::int64_t campaign, const CampaignWatch& watch,
                                      std::stop_token stop, const std::optional<generator::Budget>& budget) {
  Stored s = WW_TRY(load(workspace, campaign));
  Result<RunLock> lock = RunLock::take(folder_of(workspace), campaign);
  if (!lock)
    return fail(
        lock.error().code,
        "campaign " + std::to_string(campaign) + " is being worked on by another process; wait for it or stop it first",
        lock.error().cause);
  if (budget) s.budget = *budget;
  for (const StoredOp& e : s.ops) WW_TRY(check_sandbox(e.options));
  s.state = store::RunState::running;
  for (StoredOp& e : s.ops) e.ended.clear();
  WW_TRY(save(workspace, s));
  return go(workspace, std::move(s), watch, stop);
}

}  // namespace ww::explore
