// SPDX-License-Identifier: Apache-2.0
#include "report/race.h"
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include "report/html.h"
#include "store/workspace.h"

namespace ww::report {
namespace {

double seconds_of(const std::string& iso) {  // ISO 8601, UTC
  std::tm t{};
  const char* rest = ::strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%S", &t);
  if (!rest) rest = ::strptime(iso.c_str(), "%Y-%m-%d %H:%M:%S", &t);
  if (!rest) return 0;
  return static_cast<double>(::timegm(&t)) + (*rest == '.' ? std::atof(rest) : 0);
}

struct Sum {
  std::int64_t tokens = 0;
  double money = 0;
};

// What a strategy's exchanges had cost when the candidate got its verdict: those that had ended by then.
Sum spent_until(const std::vector<const store::ExchangeRecord*>& exchanges, const std::string& moment) {
  Sum s;
  for (const store::ExchangeRecord* e : exchanges) {
    if (e->ended.empty() || e->ended > moment) continue;
    s.tokens += e->prompt_tokens + e->completion_tokens;
    s.money += e->money.value_or(0);
  }
  return s;
}

std::string money_text(double money, bool known) {
  return known       ? fmt::format("${:.4f}", money)
         : money > 0 ? fmt::format("${:.4f} plus models without a known price", money)
                     : "not known";
}

}  // namespace

Result<Race> race_of(store::Workspace& workspace, std::int64_t run) {
  const store::RunRecord record = WW_TRY(workspace.run(run));
  std::vector<store::CandidateRecord> candidates = WW_TRY(workspace.candidates(run));
  const std::vector<store::ExchangeRecord> exchanges = WW_TRY(workspace.exchanges(run));
  Race race;
  std::map<std::string, RacerResult> racers;
  std::map<std::string, std::vector<const store::ExchangeRecord*>> of;
  std::map<std::pair<std::string, store::AgentRole>, ModelUse> uses;
  for (const store::ExchangeRecord& e : exchanges) {
    ModelUse& use = uses[{e.model, e.role}];
    if (use.exchanges == 0) use.money = 0;
    use.model = e.model;
    use.role = e.role;
    ++use.exchanges;
    use.failed += e.state != store::ExchangeState::replied;
    use.prompt += e.prompt_tokens;
    use.cached += e.cached_tokens;
    use.completion += e.completion_tokens;
    use.reasoning += e.reasoning_tokens;
    if (e.money && use.money)
      *use.money += *e.money;
    else
      use.money.reset();
    use.reported = use.reported && (e.tokens_reported || e.state != store::ExchangeState::replied);
    if (e.outcome != store::ExchangeOutcome::none) ++race.outcomes[enum_string(e.outcome)];
    if (e.origin.strategy.empty()) continue;
    RacerResult& r = racers[e.origin.strategy];
    of[e.origin.strategy].push_back(&e);
    r.tokens += e.prompt_tokens + e.completion_tokens;
    r.money += e.money.value_or(0);
    r.money_known = r.money_known && e.money.has_value();
    using enum store::ExchangeOutcome;
    r.failed +=
        e.role == store::AgentRole::writer && e.outcome != candidate && e.outcome != duplicate && e.outcome != repaired;
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return (a.order == 0 ? INT64_MAX : a.order) < (b.order == 0 ? INT64_MAX : b.order);
  });
  std::optional<double> best;
  for (const store::CandidateRecord& c : candidates) {
    if (c.score && race.provenance == Provenance::unknown)
      race.provenance = c.score_provenance, race.unit = c.score_unit;
    if (c.origin.strategy.empty()) {
      if (c.score && c.score_provenance == race.provenance && (!best || *c.score < *best)) best = c.score;
      continue;
    }
    RacerResult& r = racers[c.origin.strategy];
    r.duplicates += c.state == store::CandidateState::duplicate;
    if (c.order == 0) continue;
    ++r.candidates;
    r.accepted += c.state == store::CandidateState::accepted;
    if (!c.score || c.score_provenance != race.provenance || (!r.finds.empty() && *c.score >= r.finds.back().score))
      continue;
    const Sum spent = spent_until(of[c.origin.strategy], c.judged);
    r.finds.push_back({c.id, c.note, *c.score, !best || *c.score < *best, r.candidates, spent.tokens, spent.money,
                       std::max(0.0, seconds_of(c.judged) - seconds_of(record.created)) / 60});
    if (r.finds.back().best_of_all) best = c.score;
  }
  for (auto& [name, r] : racers) {
    r.strategy = name;
    race.racers.push_back(std::move(r));
  }
  for (auto& [key, use] : uses) race.models.push_back(std::move(use));
  return race;
}

std::string race_html(const Race& race) {
  if (race.racers.empty() && race.models.empty()) return {};
  std::string out;
  const auto cell = [](const std::string& text) { return "<td class=\"num\">" + html::escape(text) + "</td>"; };
  const auto count = [&](std::int64_t n) {
    return "<td class=\"num\">" + html::number(static_cast<double>(n)) + "</td>";
  };
  if (!race.racers.empty()) {
    const std::string unit = race.unit.starts_with(enum_string(race.provenance))
                                 ? race.unit
                                 : race.unit + ", " + enum_string(race.provenance);
    out += race.racers.size() > 1 ? "<section><h2>The race of the strategies</h2>\n<p>Each had an equal share of the "
                                    "budget and saw only its own candidates.</p>\n"
                                  : "<section><h2>The strategy</h2>\n";
    out +=
        "<div class=\"wide\"><table class=\"ranked\"><thead><tr><th>Strategy</th><th class=\"num\">Judged</th><th "
        "class=\"num\">Proved</th><th class=\"num\">Duplicates</th>"
        "<th class=\"num\">Requests without a candidate</th><th class=\"num\">Tokens</th><th "
        "class=\"num\">Price</th><th class=\"num\">Best" +
        (unit.empty() ? std::string() : ", " + html::escape(unit)) + "</th></tr></thead><tbody>\n";
    for (const RacerResult& r : race.racers)
      out += "<tr><td>" + html::escape(r.strategy) + "</td>" + count(r.candidates) + count(r.accepted) +
             count(r.duplicates) + count(r.failed) + count(r.tokens) + cell(money_text(r.money, r.money_known)) +
             "<td class=\"num\">" + (r.finds.empty() ? "–" : html::number(r.finds.back().score)) + "</td></tr>\n";
    out += "</tbody></table></div>\n<h3>Found what when</h3>\n";
    std::vector<std::pair<const RacerResult*, const Find*>> all;
    for (const RacerResult& r : race.racers)
      for (const Find& f : r.finds) all.emplace_back(&r, &f);
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second->minutes < b.second->minutes; });
    if (all.empty()) {
      out += "<p>No strategy found a candidate with a cost or time.</p>\n";
    } else {
      out +=
          "<div class=\"wide\"><table class=\"ranked\"><thead><tr><th class=\"num\">Minute</th><th>Strategy</th><th "
          "class=\"num\">No.</th><th>What was done</th><th class=\"num\">Best</th>"
          "<th class=\"num\">After candidates</th><th class=\"num\">After tokens</th><th class=\"num\">After "
          "price</th></tr></thead><tbody>\n";
      for (const auto& [r, f] : all)
        out += "<tr>" + cell(fmt::format("{:.2f}", f->minutes)) + "<td>" + html::escape(r->strategy) + "</td>" +
               count(f->candidate) + "<td class=\"name\">" + html::escape(html::shorten(f->note, 120)) +
               "</td><td class=\"num\">" + html::number(f->score) + (f->best_of_all ? " <b>best so far</b>" : "") +
               "</td>" + count(f->candidates) + count(f->tokens) + cell(money_text(f->money, r->money_known)) +
               "</tr>\n";
      out +=
          "</tbody></table></div>\n<p class=\"soft\">One line for each candidate that was better than all before it of "
          "its strategy, with what the strategy had used by then. Minutes count from the run's "
          "beginning, breaks included.</p>\n";
    }
    out += "</section>\n";
  }
  if (race.models.empty()) return out;
  out +=
      "<section><h2>Models and spend</h2>\n<div class=\"wide\"><table "
      "class=\"ranked\"><thead><tr><th>Model</th><th>Role</th><th class=\"num\">Exchanges</th><th "
      "class=\"num\">Without a reply</th>"
      "<th class=\"num\">Prompt tokens</th><th class=\"num\">of these cached</th><th class=\"num\">Completion "
      "tokens</th><th class=\"num\">of these reasoning</th><th class=\"num\">Price</th></tr></thead><tbody>\n";
  bool estimated = false;
  for (const ModelUse& u : race.models) {
    estimated = estimated || !u.reported;
    out += "<tr><td>" + html::escape(u.model) + "</td><td>" + html::escape(enum_string(u.role)) + "</td>" +
           count(u.exchanges) + count(u.failed) + count(u.prompt) + count(u.cached) + count(u.completion) +
           count(u.reasoning) + cell(u.money ? money_text(*u.money, true) : "not known") + "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  std::string outcomes;
  for (const auto& [outcome, n] : race.outcomes)
    outcomes += fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", n, outcome);
  if (!outcomes.empty()) out += "<p>Outcomes of the replies: " + html::escape(outcomes) + ".</p>\n";
  if (estimated)
    out +=
        "<p class=\"soft\">Some services did not report their tokens; those are estimated from the texts, "
        "upwards.</p>\n";
  return out + "</section>\n";
}

}  // namespace ww::report
