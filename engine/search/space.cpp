// SPDX-License-Identifier: Apache-2.0
#include "search/space.h"
#include <algorithm>
#include <numeric>
#include "op/parse.h"
#include "op/walk.h"
#include "search/attention.h"
#include "search/families.h"
#include "search/terms.h"

namespace ww::search {

namespace {

std::string equation_text(const Equation& eq) {
  std::string text = eq.target;
  for (std::size_t i = 0; i < eq.at.size(); ++i) text += (i ? ", " : "[") + op::print(*eq.at[i]);
  if (!eq.at.empty()) text += "]";
  return text + " = " + op::print(*eq.value);
}

std::set<std::string> kept_by(const std::vector<Group>& groups, std::size_t g) {
  std::set<std::string> kept;
  for (const Equation& eq : groups[g].equations)
    for (std::size_t o = 0; o < groups.size(); ++o)
      for (const Equation& other : groups[o].equations)
        if (o != g && reads(*other.value, eq.target)) kept.insert(eq.target);
  return kept;
}

// Loop iterations of a group at the default case: which group the structures are made for.
double work_of(const Program& p, const Group& g) {
  double work = 0;
  for (const Equation& eq : g.equations) {
    double own = static_cast<double>(p.estimate(eq.indices));
    double loops = 1;
    for (const Expr* r : outer_reductions(*eq.value)) loops += static_cast<double>(p.estimate(r->indices));
    work += own * loops;
  }
  return work;
}

// The groups that structures are made for: the one with the most work, and the recurrence with the most, whose steps
// take long although they are little work.
std::vector<std::size_t> main_groups(const Program& program, const std::vector<Group>& groups) {
  std::vector<std::size_t> by_work(groups.size());
  std::iota(by_work.begin(), by_work.end(), std::size_t{0});
  std::stable_sort(by_work.begin(), by_work.end(), [&](std::size_t a, std::size_t b) {
    return work_of(program, groups[a]) > work_of(program, groups[b]);
  });
  std::vector<std::size_t> out = {by_work.front()};
  for (std::size_t i = 1; i < by_work.size() && out.size() == 1; ++i)
    if (groups[by_work[i]].kind == Kind::recurrence && groups[out[0]].kind != Kind::recurrence)
      out.push_back(by_work[i]);
  return out;
}

std::string lower(const Program& program, const std::vector<Group>& groups, std::size_t main, const Variant& chosen,
                  const std::string& structure, const std::string& title, const std::string& why) {
  Source source(program, structure, title);
  source.about(why);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Variant v = g == main ? chosen : variants_of(program, groups[g]).front();
    const std::string name = groups.size() == 1 ? program.spec.name + "_kernel"
                                                : program.spec.name + "_" + groups[g].equations.back().target;
    std::string about;
    for (const Equation& eq : groups[g].equations) about += (about.empty() ? "" : "\n") + equation_text(eq);
    source.tuning(g == main);
    v.lower(source, groups[g], kept_by(groups, g), name, about);
  }
  return source.text();
}

}  // namespace

std::vector<Variant> variants_of(const Program& program, const Group& group) {
  std::vector<Variant> own;
  switch (group.kind) {
    case Kind::map: own = map_variants(program, group); break;
    case Kind::transpose: own = transpose_variants(program, group); break;
    case Kind::columns: own = column_variants(program, group); break;
    case Kind::full: own = full_variants(program, group); break;
    case Kind::scan: own = scan_variants(program, group); break;
    case Kind::contraction: own = contraction_variants(program, group); break;
    case Kind::window: own = window_variants(program, group); break;
    case Kind::recurrence: return recurrence_variants(program, group);
    case Kind::rows: break;
  }
  std::vector<Variant> rows = row_variants(program, group);
  if (own.empty()) return rows;
  // Of the row forms, a kind that has its own keeps what makes sense for it.
  for (Variant& v : rows) {
    const bool serial = v.structure.rfind("row-", 0) != 0, warp = v.structure == "row-warp",
               block = v.structure == "row-block";
    const bool keep = group.kind == Kind::full      ? block
                      : group.kind == Kind::scan    ? serial
                      : group.kind == Kind::columns ? serial || block
                                                    : serial || warp;
    if (keep && std::none_of(own.begin(), own.end(), [&](const Variant& o) { return o.structure == v.structure; }))
      own.push_back(std::move(v));
  }
  return own;
}

Result<std::vector<Structure>> structures_of(const op::Spec& spec, const op::Binding& binding,
                                             std::vector<std::string>* problems, const std::stop_token& stop) {
  const auto program = WW_TRY(make_program(spec, binding, stop));
  std::vector<Structure> out;
  std::set<std::string> texts, names;
  const auto offer = [&](const std::vector<Group>& groups, std::size_t main, const Variant& v,
                         const std::string& suffix, const std::string& note) {
    const std::string structure = v.structure + suffix;
    if (names.count(structure) || stop.stop_requested()) return;
    const std::string text = lower(program, groups, main, v, structure, v.title + note, v.why);
    const std::size_t body = text.find("//@ structure");
    if (!texts.insert(text.substr(text.find('\n', body))).second) return;
    auto candidate = candidate::parse(text, candidate::Language::cuda);
    if (!candidate) {
      if (problems) problems->push_back(structure + ": " + candidate.error().text() + "\n" + text);
      return;
    }
    names.insert(structure);
    out.push_back({structure, v.title + note, v.why, std::move(*candidate)});
  };
  const auto explore = [&](Fusion fusion, const std::string& suffix, const std::string& note, std::size_t limit) {
    const auto groups = group_equations(program, fusion);
    for (const std::size_t main : main_groups(program, groups)) {
      auto variants = variants_of(program, groups[main]);
      if (variants.size() > limit) variants.resize(limit);
      for (const Variant& v : variants) offer(groups, main, v, suffix, note);
    }
    if (fusion == Fusion::all && groups.size() == 1 && groups[0].kind != Kind::recurrence)
      for (const Variant& v : attention_variants(program, groups[0])) offer(groups, 0, v, "", "");
  };
  explore(Fusion::natural, "", "", 99);
  explore(Fusion::all, "-fused", ", all steps in one kernel", 4);
  if (program.equations.size() > 1) explore(Fusion::none, "-unfused", ", one launch per equation", 1);
  // The plain form, one launch per equation and one thread per element, always belongs to the offer.
  const auto alone = group_equations(program, Fusion::none);
  const std::size_t main = main_groups(program, alone).front();
  const Variant plain = alone[main].kind == Kind::recurrence ? recurrence_variants(program, alone[main]).front()
                                                             : row_variants(program, alone[main]).back();
  offer(alone, main, plain, "", alone.size() > 1 ? ", one launch per equation" : "");
  if (stop.stop_requested()) return fail(ww::Code::cancelled, "cancelled");
  return out;
}

}  // namespace ww::search
