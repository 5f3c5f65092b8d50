// SPDX-License-Identifier: Apache-2.0
#include "diff/numbers.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "diff/listing.h"
#include "diff/verdicts.h"

namespace ww::diff {
namespace {

namespace metric = evidence::metric;

constexpr const char* microseconds = "\u00b5s";

bool known(double v) { return std::isfinite(v); }

std::string place_of(const evidence::Metrics& metrics, const evidence::Verdict& verdict) {
  const std::string& gpu = metrics.conditions.gpu;
  std::string text = gpu.empty() ? metrics.device : gpu + " (" + metrics.device + ")";
  text += ", case " + metrics.case_name;
  for (const evidence::CaseCoverage& c : verdict.coverage)
    if (c.case_name == metrics.case_name) text += ": " + sizes_text(c.binding);
  return text;
}

std::string missing_text(const store::CandidateRecord& c) {
  if (!c.verdict)
    return c.state == store::CandidateState::queued ? "it has not been judged"
           : c.summary.empty()                      ? "it has no verdict"
                                                    : c.summary;
  if (!c.verdict->accepted) return c.summary.empty() ? "it was not proved" : c.summary;
  return "its verdict has no such number";
}

void add_metrics(std::vector<Number>& out, const evidence::Metrics& metrics, const std::string& where) {
  const bool measured = metrics.provenance == Provenance::measured;
  const evidence::Times times = evidence::times_of(metrics);
  for (const auto& [name, value] : metrics.values) {
    if (name == metric::q1_us || name == metric::q3_us || name == metric::samples) continue;  // parts of the others
    Number n{.group = "counts",
             .name = name,
             .value = value,
             .provenance = metrics.provenance,
             .where = where,
             .better = evidence::better_of(name)};
    if (name == metric::median_us || name == metric::median_warm_us) {
      n.group = "time";
      n.unit = microseconds;
      if (name == metric::median_us) n.q1 = times.q1, n.q3 = times.q3;
    } else if (measured) {
      n.group = "counters";
    }
    out.push_back(std::move(n));
  }
  if (metrics.floor)
    out.push_back({.group = "time",
                   .name = "floor_us",
                   .unit = microseconds,
                   .value = metrics.floor->us,
                   .provenance = Provenance::modelled,
                   .where = where});
}

void add_resources(std::vector<Number>& out, const store::CandidateRecord& c) {
  const auto& list = c.verdict && !c.verdict->resources.empty() ? c.verdict->resources : c.resources;
  for (const compile::KernelResources& r : list) {
    const auto add = [&](const char* what, const char* unit, std::int64_t value) {
      out.push_back({.group = "compiler",
                     .name = list.size() == 1 ? what : r.kernel + ": " + what,
                     .unit = unit,
                     .value = static_cast<double>(value),
                     .provenance = Provenance::modelled,
                     .where = {},
                     .better = evidence::Better::lower});
    };
    add("registers", "", r.registers);
    add("static shared memory", "B", r.static_shared);
    add("stack", "B", r.stack);
    add("spill stores", "B", r.spill_stores);
    add("spill loads", "B", r.spill_loads);
    add("constant memory", "B", r.constant);
    add("barriers", "", r.barriers);
  }
}

std::string pair_text(const PairedTiming& t) {
  std::string text = "timed in turn on " + t.when + ": " + enum_string(t.call);
  char interval[96];
  std::snprintf(interval, sizeof interval, ", ratio %.4g (95 %% interval %.4g to %.4g)", t.ratio, t.low, t.high);
  if (known(t.ratio)) text += interval;
  return t.why.empty() ? text : text + "; " + t.why;
}

void judge(NumberRow& row, const std::vector<PairedTiming>& pairs) {
  const Number &l = row.left, &r = row.right;
  const auto say = [&](Noise noise, std::string why) {
    row.noise = noise;
    row.why = std::move(why);
  };
  if (!known(l.value) || !known(r.value)) return say(Noise::not_comparable, "only one side has this number");
  if (l.provenance != r.provenance)
    return say(Noise::not_comparable,
               enum_string(l.provenance) + " on the left, " + enum_string(r.provenance) + " on the right");
  if (l.where != r.where)
    return say(Noise::not_comparable,
               "from different places: " + l.where + " on the left, " + r.where + " on the right");
  row.change = r.value - l.value;
  if (l.value != 0) row.percent = 100 * row.change / std::abs(l.value);
  if (l.provenance == Provenance::simulated)
    return say(Noise::exact, "counted by the SIMT machine: the same in every run");
  if (l.provenance == Provenance::counted) return say(Noise::exact, "counted in the text");
  if (l.provenance == Provenance::modelled)
    return say(Noise::exact, l.group == "compiler" ? "the compiler's report" : "calculated, not measured");
  if (l.provenance != Provenance::measured) return say(Noise::unknown, "its spread is not known");
  const bool cold = l.name == metric::median_us || l.group == "score", warm = l.name == metric::median_warm_us;
  for (const PairedTiming& t : pairs) {
    if (t.call == profile::Call::not_comparable ||
        !(cold ? t.cache == profile::Cache::cold : warm && t.cache == profile::Cache::warm))
      continue;
    if (t.place.empty() || l.where.find(t.device) == std::string::npos || !l.where.ends_with(t.place)) continue;
    return say(t.call == profile::Call::within_noise ? Noise::within : Noise::beyond, pair_text(t));
  }
  if (!(cold || warm)) return say(Noise::unknown, "counted once on each side: its spread is not known");
  if (std::abs(row.change) <= profile::placement_us)
    return say(Noise::within, "less than the effect of buffer placement");
  if (std::abs(row.change) <= profile::default_margin * std::min(l.value, r.value))
    return say(Noise::within, "less than 1 %");
  if (!known(l.q1) || !known(l.q3) || !known(r.q1) || !known(r.q3))
    return say(Noise::unknown, "its quartiles are not stored");
  if (l.q1 <= r.q3 && r.q1 <= l.q3) return say(Noise::within, "their quartiles overlap");
  say(Noise::beyond, "their quartiles do not overlap; they were not timed in turn");
}

}  // namespace

bool NumberRow::changed() const {
  if (known(left.value) != known(right.value)) return true;
  return known(left.value) && (left.value != right.value || noise == Noise::not_comparable);
}

int NumberRow::verdict() const {
  if (!known(change) || change == 0 || right.better == evidence::Better::neither || noise == Noise::within ||
      noise == Noise::not_comparable || noise == Noise::unknown)
    return 0;
  return (change > 0) == (right.better == evidence::Better::higher) ? 1 : -1;
}

std::vector<Number> numbers_of(const store::CandidateRecord& c) {
  std::vector<Number> out;
  const evidence::Metrics* metrics = c.verdict && c.verdict->metrics ? &*c.verdict->metrics : nullptr;
  const std::string where = metrics ? place_of(*metrics, *c.verdict) : std::string();
  Number score{.group = "score", .name = "score", .unit = c.score_unit, .better = evidence::Better::lower};
  if (c.score) {
    score.value = *c.score;
    score.provenance = c.score_provenance;
    score.where = where;
    if (metrics && score.provenance == Provenance::measured) {
      const evidence::Times times = evidence::times_of(*metrics);
      score.q1 = times.q1;
      score.q3 = times.q3;
    }
  } else {
    score.why_not = missing_text(c);
  }
  out.push_back(std::move(score));
  if (metrics) add_metrics(out, *metrics, where);
  add_resources(out, c);
  const std::string* ptx = c.verdict && !c.verdict->ptx.empty()     ? &c.verdict->ptx
                           : c.language == candidate::Language::ptx ? &c.text
                                                                    : nullptr;
  Number count{.group = "code", .name = "PTX instructions", .better = evidence::Better::lower};
  if (ptx) {
    count.value = instructions_of(*ptx, Form::ptx);
    count.provenance = Provenance::counted;
  } else {
    count.why_not = "there is no PTX: " + missing_text(c);
  }
  out.push_back(std::move(count));
  for (Number& n : out)
    if (!known(n.value) && n.why_not.empty()) n.why_not = missing_text(c);
  return out;
}

std::vector<NumberRow> compare_numbers(const std::vector<Number>& left, const std::vector<Number>& right,
                                       const std::vector<PairedTiming>& pairs) {
  std::vector<NumberRow> rows;
  const auto same = [](const Number& a, const Number& b) { return a.group == b.group && a.name == b.name; };
  const auto lacks = [](const Number& there) {
    Number n = there;
    n.value = n.q1 = n.q3 = profile::unknown;
    n.provenance = Provenance::unknown;
    n.why_not = "this side has no such number";
    return n;
  };
  for (const Number& l : left) {
    const auto other = std::find_if(right.begin(), right.end(), [&](const Number& r) { return same(l, r); });
    rows.push_back({l, other == right.end() ? lacks(l) : *other});
  }
  for (const Number& r : right)
    if (std::none_of(left.begin(), left.end(), [&](const Number& l) { return same(l, r); }))
      rows.push_back({lacks(r), r});
  for (const PairedTiming& t : pairs) {  // separate numbers: they were measured at another time than the verdicts'
    const auto side = [&](const profile::Summary& times) {
      return Number{.group = "time",
                    .name = "timed in turn, " + std::string(enum_name(t.cache)) + " cache" +
                            (t.place.empty() ? "" : " (" + t.place + ")"),
                    .unit = microseconds,
                    .value = times.median,
                    .provenance = Provenance::measured,
                    .where = t.device + ", " + t.place,
                    .q1 = times.q1,
                    .q3 = times.q3,
                    .better = evidence::Better::lower};
    };
    NumberRow row{side(t.left), side(t.right)};
    row.change = t.right.median - t.left.median;
    row.percent = 100 * (t.ratio - 1);
    row.noise = t.call == profile::Call::within_noise     ? Noise::within
                : t.call == profile::Call::not_comparable ? Noise::not_comparable
                                                          : Noise::beyond;
    row.why = pair_text(t);
    rows.push_back(std::move(row));
  }
  for (NumberRow& row : rows)
    if (row.why.empty()) judge(row, pairs);
  std::stable_sort(rows.begin(), rows.end(), [](const NumberRow& a, const NumberRow& b) {
    static const std::vector<std::string> order = {"score",     "time",   "code",    "compiler",
                                                   "occupancy", "counts", "counters"};
    const auto at = [](const NumberRow& r) {
      return std::find(order.begin(), order.end(), r.left.group) - order.begin();
    };
    return at(a) < at(b);
  });
  return rows;
}

}  // namespace ww::diff
