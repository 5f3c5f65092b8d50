// SPDX-License-Identifier: Apache-2.0
#include "appraisal/rank.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "evidence/metric.h"
#include "base/architecture.h"
#include "base/files.h"
#include "base/json_reader.h"
#include "profile/timing_facts.h"

namespace ww::appraisal {
namespace {

std::optional<double> optional_value(const evidence::Metrics& metrics, const std::string& name) {
  for (const auto& [n, v] : metrics.values)
    if (n == name) return v;
  return std::nullopt;
}

double weight_of(const RankRules::Term& term, int capability) {
  auto it = term.weight.upper_bound(capability);
  if (it != term.weight.begin()) --it;
  return it->second;
}

}  // namespace

std::string spread_text(const Score& score) {
  std::string text;
  if (std::isfinite(score.q1) && std::isfinite(score.q3))
    text = fmt::format("quartiles {:.4g} to {:.4g}", score.q1, score.q3);
  if (const double fraction = profile::floor_fraction(score.floor, score.value); std::isfinite(fraction))
    text += fmt::format("{}{:.0f} % of the roofline", text.empty() ? "" : ", ", 100 * fraction);
  return text.empty() ? text : " (" + text + ")";
}

Result<RankRules> RankRules::load(const std::filesystem::path& file) {
  const std::filesystem::path path = file.empty() ? resources_dir() / "rules/simt_rank.json" : file;
  const Result<std::string> text = read_file(path);
  if (!text) return fail(text.error().code, "the ranking rules cannot be read", text.error().text());
  try {
    const auto j = nlohmann::json::parse(*text);
    RankRules rules;
    if (j.at("schema") != "warpwright/simt-rank/1")
      return fail(Code::unsupported, "'" + path.string() + "' is not of schema warpwright/simt-rank/1");
    rules.unit = j.at("unit");
    rules.about = j.at("about").get<std::vector<std::string>>();
    rules.fill_warps = j.at("fill_warps").at("value");
    rules.fill_source = j.at("fill_warps").at("source");
    for (const auto& t : j.at("terms")) {
      Term term{
          enum_or_unknown<profile::CostGroup>(t.at("group").get<std::string>()), t.at("metric"), t.at("source"), {}};
      if (term.group == profile::CostGroup::unknown)
        return fail(Code::corrupt, "'" + path.string() + "' has no known group for " + term.metric);
      for (const auto& [name, weight] : t.at("weight").items()) {
        const double w = weight;
        const std::optional<Architecture> architecture = read_architecture(name);
        if (!architecture || !(w >= 0))
          return fail(Code::corrupt, "'" + path.string() + "' has a weight that is not usable for " + term.metric);
        term.weight.emplace(architecture->capability, w);
      }
      if (term.weight.empty()) return fail(Code::corrupt, "'" + path.string() + "' has no weight for " + term.metric);
      if (std::find(rules.groups.begin(), rules.groups.end(), term.group) == rules.groups.end())
        rules.groups.push_back(term.group);
      rules.terms.push_back(std::move(term));
    }
    rules.groups.push_back(profile::CostGroup::idle_schedulers);
    rules.measured_metric = j.at("measured").at("metric");
    rules.measured_unit = j.at("measured").at("unit");
    return rules;
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "the ranking rules '" + path.string() + "' cannot be understood",
                json::explain_exception(e));
  }
}

Result<Cost> simulated_cost(const RankRules& rules, const evidence::Metrics& metrics, const std::string& architecture) {
  const int sm = read_architecture(architecture).value_or(Architecture()).capability;
  Cost cost;
  for (const profile::CostGroup group : rules.groups) cost.parts.push_back({group, 0});
  for (const RankRules::Term& term : rules.terms) {
    const std::optional<double> count = optional_value(metrics, term.metric);
    if (!count)
      return fail(Code::not_found, "the count '" + term.metric + "' is missing, so the candidate cannot be ranked");
    const double slots = weight_of(term, sm) * *count;
    for (CostPart& part : cost.parts)
      if (part.group == term.group) part.cost += slots;
    cost.total += slots;
  }
  const std::optional<double> warps = optional_value(metrics, "warps"), launches = optional_value(metrics, "launches");
  if (!warps || !launches)
    return fail(Code::not_found, "the count 'warps' or 'launches' is missing, so the candidate cannot be ranked");
  const std::optional<double> busy = optional_value(metrics, "busy_warps");  // older verdicts lack it
  const double per_launch = busy.value_or(*warps) / std::max(1.0, *launches);
  const double idle = cost.total * (std::max(1.0, rules.fill_warps / std::max(1.0, per_launch)) - 1);
  cost.parts.back().cost = idle;
  cost.total += idle;
  if (!std::isfinite(cost.total))
    return fail(Code::corrupt, "the counts are not finite, so the candidate cannot be ranked");
  return cost;
}

Result<Score> score_of(const RankRules& rules, const evidence::Verdict& verdict, const std::string& architecture) {
  if (!verdict.accepted) return fail(Code::not_found, "the candidate is not proved");
  if (!verdict.metrics) return fail(Code::not_found, "the candidate was not measured");
  if (verdict.metrics->provenance == Provenance::measured) {
    const evidence::Metrics& m = *verdict.metrics;
    const std::optional<double> time = optional_value(m, rules.measured_metric);
    if (!time || !std::isfinite(*time))
      return fail(Code::not_found, "the measurement '" + rules.measured_metric + "' is missing");
    Score score{*time, Provenance::measured, rules.measured_unit};
    score.q1 = evidence::times_of(m).q1;
    score.q3 = evidence::times_of(m).q3;
    if (m.floor) score.floor = m.floor->us;
    if (!m.impossible.empty())
      return fail(Code::not_found, fmt::format("its time of {:.4g} {} is shorter than any right kernel can take on "
                                               "this device, so the measurement or the kernel is wrong",
                                               *time, rules.measured_unit));
    return score;
  }
  const Cost cost = WW_TRY(simulated_cost(rules, *verdict.metrics, architecture));
  return Score{cost.total, Provenance::simulated, rules.unit};
}

std::vector<std::pair<std::int64_t, int>> ranks_of(std::vector<std::pair<std::int64_t, double>> scores) {
  std::sort(scores.begin(), scores.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first < b.first;
  });
  constexpr double tie = 1.001;
  std::vector<std::pair<std::int64_t, int>> ranks;
  double first = 0;  // of those that share the rank
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool tied = i > 0 && scores[i].second <= first * tie;
    if (!tied) first = scores[i].second;
    ranks.emplace_back(scores[i].first, tied ? ranks[i - 1].second : static_cast<int>(i) + 1);
  }
  return ranks;
}

}  // namespace ww::appraisal
