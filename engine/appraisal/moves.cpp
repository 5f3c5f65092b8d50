// SPDX-License-Identifier: Apache-2.0
#include "appraisal/moves.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <fmt/format.h>

namespace ww::appraisal {
namespace {

constexpr std::size_t name_limit = 80;
constexpr double least_effect = 1e-3;  // relative: smaller effects are ignored

// How sure it is that the step changed anything: distance of the effect from 1 in half widths of its interval.
// Simulated ones are exact.
double certainty(const store::MoveRecord& m) {
  const double effect = std::fabs(std::log(m.effect));
  const double width = std::log(m.high / m.low) / 2;
  return width > 0 ? effect / width : 1e6 + effect;
}

bool certain(const store::MoveRecord& m) {
  return m.low == m.high ? std::fabs(m.effect - 1) >= least_effect : m.low > 1 || m.high < 1;
}

struct Traits {
  bool reduces = false, contraction = false, scan = false, window = false, gathers = false;
};

void names_in(const op::Expr& e, std::set<std::string>& names) {
  if (e.kind == op::ExprKind::name && e.role == op::Role::index) names.insert(e.name);
  for (const op::ExprPtr& arg : e.args) names_in(*arg, names);
}

// The tensors that a product reads with a subscript that the reduction runs over.
void factors(const op::Expr& e, const std::set<std::string>& over, std::set<std::string>& tensors) {
  if (e.kind == op::ExprKind::access) {
    std::set<std::string> names;
    names_in(e, names);
    if (std::any_of(names.begin(), names.end(), [&](const std::string& n) { return over.contains(n); }))
      tensors.insert(e.name);
    return;
  }
  const bool product = e.kind == op::ExprKind::binary && e.binary == op::BinaryOp::mul;
  if (product || e.kind == op::ExprKind::cast || e.kind == op::ExprKind::padded)
    for (const op::ExprPtr& arg : e.args) factors(*arg, over, tensors);
}

void look(const op::Expr& e, const std::set<std::string>& own, const std::set<std::string>& over, Traits& t) {
  if (e.kind == op::ExprKind::access) {
    for (const op::ExprPtr& arg : e.args) {
      std::set<std::string> names;
      names_in(*arg, names);
      const auto has = [&](const std::set<std::string>& set) {
        return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return set.contains(n); });
      };
      t.window = t.window || (has(own) && has(over));  // x[i + k], summed over k
      t.gathers = t.gathers || arg->kind == op::ExprKind::access;
    }
  }
  if (e.kind != op::ExprKind::reduce) {
    for (const op::ExprPtr& arg : e.args) look(*arg, own, over, t);
    return;
  }
  t.reduces = true;
  std::set<std::string> inner = over, tensors;
  for (const op::Index& i : e.indices) {
    inner.insert(i.name);
    std::set<std::string> bounds;
    for (const op::ExprPtr& end : {i.lo, i.hi})
      if (end) names_in(*end, bounds);
    t.scan = t.scan || std::any_of(bounds.begin(), bounds.end(),
                                   [&](const std::string& n) { return own.contains(n); });  // sum(j in 0..i+1)
  }
  if (e.reduce == op::ReduceOp::sum) factors(*e.args[0], inner, tensors);
  t.contraction = t.contraction || tensors.size() > 1;
  for (const op::ExprPtr& arg : e.args) look(*arg, own, inner, t);
}

}  // namespace

MoveSide move_side(const std::string& hash, const std::string& structure, double score, Provenance provenance,
                   const store::Spread& spread) {
  MoveSide side{hash, structure, provenance, {}, score, 0};
  if (provenance != Provenance::measured) return side;
  side.gpu = spread.gpu;
  // Standard error of a median from its quartiles: 1.25 IQR / (1.35 sqrt(n)) (McGill, Tukey, Larsen: "Variations of Box
  // Plots", The American Statistician 32, 1978).
  side.error = spread.samples > 0 && score > 0
                   ? 1.25 * (spread.q3 - spread.q1) / (1.35 * std::sqrt(spread.samples)) / score
                   : profile::unknown;
  return side;
}

std::string family_of(const op::Spec& spec) {
  const auto family = spec.directives.find("family");
  if (family != spec.directives.end()) return family->second;
  Traits t;
  for (const op::Equation& e : spec.equations) {
    std::set<std::string> own;
    for (const op::Index& i : e.indices) own.insert(i.name);
    look(*e.value, own, {}, t);
  }
  if (t.contraction) return "contraction";
  if (t.scan) return "scan";
  if (t.window) return "window";
  if (!t.reduces) return t.gathers ? "gather" : "map";
  std::size_t in = 0, out = 0;
  for (const op::Param& p : spec.inputs) in = std::max(in, p.shape.size());
  for (const op::Param& p : spec.outputs) out = std::max(out, p.shape.size());
  return out == 0 ? "reduction" : out < in ? "row-reduction" : "normalization";
}

std::string move_name(const std::string& note) {
  std::string name = note;
  name.erase(std::min(name.find('\n'), name.size()));
  name.erase(std::min(name.find(": "), name.size()));
  if (name.size() > name_limit) {
    std::size_t cut = name_limit;
    while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
    name.erase(cut);
  }
  while (!name.empty() && (name.back() == ' ' || name.back() == '.')) name.pop_back();
  return name;
}

std::optional<store::MoveRecord> move_between(std::int64_t run, const std::string& family, const std::string& device,
                                              const MoveSide& from, const MoveSide& to, const std::string& name) {
  if (from.provenance != to.provenance || from.gpu != to.gpu || !(from.score > 0) || !(to.score > 0))
    return std::nullopt;
  store::MoveRecord m;
  m.run = run;
  m.from = from.hash;
  m.to = to.hash;
  m.move = name;
  if (m.move.empty())
    m.move =
        from.structure == to.structure ? "a change within " + to.structure : from.structure + " to " + to.structure;
  m.family = family;
  m.device = from.gpu.empty() ? device : from.gpu;
  m.provenance = to.provenance;
  m.effect = from.score / to.score;
  const double error = std::sqrt(from.error * from.error + to.error * to.error);  // of the logarithm of the ratio
  if (!std::isfinite(m.effect) || !std::isfinite(error)) return std::nullopt;
  m.low = m.effect * std::exp(-1.96 * error);
  m.high = m.effect * std::exp(1.96 * error);
  if (m.provenance == Provenance::simulated) m.low = m.high = m.effect;
  return m;
}

std::string moves_text(const std::vector<store::MoveRecord>& moves, std::size_t limit) {
  struct Line {
    store::MoveRecord surest;
    int steps = 0;
  };
  std::map<std::pair<std::string, Provenance>, Line> by_name;  // one line for each name and provenance
  for (const store::MoveRecord& m : moves) {
    if (!(m.effect > 0) || !(m.low > 0) || !certain(m)) continue;
    Line& line = by_name[{m.move, m.provenance}];
    if (++line.steps == 1 || certainty(m) > certainty(line.surest)) line.surest = m;
  }
  std::vector<Line> lines;
  for (auto& [key, line] : by_name) lines.push_back(std::move(line));
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return certainty(a.surest) > certainty(b.surest); });
  std::string out;
  for (std::size_t i = 0; i < std::min(limit, lines.size()); ++i) {
    const store::MoveRecord& m = lines[i].surest;
    out += fmt::format("- {}: {:.3g} times{} ({}{}; {}{} -> {})\n", m.move, m.effect,
                       m.effect > 1 ? " faster" : " as fast, so slower", enum_string(m.provenance),
                       m.low < m.high ? fmt::format(", 95 % interval {:.3g} to {:.3g}", m.low, m.high) : std::string(),
                       lines[i].steps > 1 ? fmt::format("{} steps, the surest ", lines[i].steps) : std::string(),
                       m.from.substr(0, 12), m.to.substr(0, 12));
  }
  return out;
}

}  // namespace ww::appraisal
