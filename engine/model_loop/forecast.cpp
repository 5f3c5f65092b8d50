// SPDX-License-Identifier: Apache-2.0
#include "model_loop/forecast.h"
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <vector>
#include "base/plural.h"
#include "generator/names.h"
#include "profile/statistics.h"

namespace ww::model_loop {
namespace {

constexpr std::size_t forecast_runs = 20;  // newest first

struct Taken {  // by one judged candidate of a run
  double tokens = 0;
  std::optional<double> money = 0.0;
  bool same_strategies = false;
};

// Empty: another kind of run, or nothing was judged.
Result<std::optional<Taken>> taken_by(store::Workspace& workspace, const store::RunRecord& run,
                                      const generator::RunOptions& options) {
  if (!generator::asks_models(run.generator) || run.judged <= 0 || run.imported) return std::nullopt;
  const Result<generator::RunOptions> other = generator::options_from_json(run.options);
  if (!other || other->model.writer != options.model.writer || other->model.replay_of != 0) return std::nullopt;
  Taken t;
  t.same_strategies = other->model.strategies == options.model.strategies;
  for (const store::ExchangeRecord& e : WW_TRY(workspace.exchanges(run.id))) {
    t.tokens += static_cast<double>(e.prompt_tokens + e.completion_tokens);
    if (e.money && t.money)
      *t.money += *e.money;
    else
      t.money.reset();
  }
  t.tokens /= run.judged;
  if (t.money) *t.money /= run.judged;
  return t.tokens > 0 ? std::optional(t) : std::nullopt;
}

std::string about(double tokens) {  // to two digits
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(std::max(tokens, 1.0))) - 1));
  return fmt::format("{:.0f}", std::round(tokens / unit) * unit);
}

}  // namespace

Result<Forecast> forecast(store::Workspace& workspace, const generator::RunOptions& options, std::int64_t before) {
  std::vector<Taken> list;
  for (const store::RunRecord& run : WW_TRY(workspace.runs())) {
    if (run.id >= before || list.size() == forecast_runs) continue;
    if (const std::optional<Taken> t = WW_TRY(taken_by(workspace, run, options))) list.push_back(*t);
  }
  if (std::any_of(list.begin(), list.end(), [](const Taken& t) { return t.same_strategies; }))
    std::erase_if(list, [](const Taken& t) { return !t.same_strategies; });
  Forecast out;
  if (list.empty()) return out;
  const double times = std::max(1, options.budget.candidates);
  std::vector<double> tokens, money;
  for (const Taken& t : list) {
    tokens.push_back(t.tokens * times);
    if (t.money) money.push_back(*t.money * times);
  }
  out.runs = static_cast<int>(list.size());
  out.tokens = profile::quantile(tokens, 0.5);
  out.least = *std::min_element(tokens.begin(), tokens.end());
  out.greatest = *std::max_element(tokens.begin(), tokens.end());
  if (money.size() == list.size()) out.money = profile::quantile(money, 0.5);
  return out;
}

std::string forecast_text(const Forecast& f, const generator::RunOptions& options, std::int64_t prompt_tokens) {
  if (f.runs == 0)
    return fmt::format("no forecast of tokens: no earlier run of this workspace asked {}; a prompt takes about {}",
                       options.model.writer, about(static_cast<double>(prompt_tokens)));
  std::string out = fmt::format("forecast: about {} tokens", about(f.tokens));
  if (f.money && *f.money > 0) out += fmt::format(" and ${:.2g}", *f.money);
  out += options.budget.candidates > 0 ? " for " + plural(options.budget.candidates, "candidate") : " a candidate";
  if (f.runs > 1) out += fmt::format(" ({} to {})", about(f.least), about(f.greatest));
  return out + ", from " + plural(f.runs, "earlier run") + " with " + options.model.writer;
}

}  // namespace ww::model_loop
