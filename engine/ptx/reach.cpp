// SPDX-License-Identifier: Apache-2.0
#include "ptx/reach.h"
#include <algorithm>
#include <map>
#include <string>
#include "ptx/conditions.h"
#include "ptx/lines.h"
#include "ptx/syntax.h"

namespace ww::ptx {
namespace {

struct Condition {
  std::string shape;  // Conditions::shape
  bool one_way = false;
};
struct LineReach {
  bool ran = false;
  std::vector<Condition> conditions;  // without those that are settled

  // A compiler's copy of a condition that went both ways is none of its own.
  bool one_way() const {
    return std::ranges::any_of(conditions, [&](const Condition& c) {
      return c.one_way && (c.shape.empty() || std::ranges::none_of(conditions, [&](const Condition& other) {
                             return !other.one_way && other.shape == c.shape;
                           }));
    });
  }
};

class ReachReader {
 public:
  ReachReader(const File& file, const Reach& reach, bool own_source)
      : file_(file), reach_(reach), own_source_(own_source), table_(file) {}

  std::vector<Missed> read() {
    for (const Function& f : file_.functions) body(f);
    std::vector<Missed> out;
    for (const auto& [line, found] : lines_)
      if (!found.ran || found.one_way()) out.push_back({found.ran ? Miss::one_way : Miss::line, line});
    return out;
  }

 private:
  std::uint8_t flags_of(const Statement& s) const {
    const auto line = static_cast<std::size_t>(s.place.line);
    return line < reach_.lines.size() ? reach_.lines[line] : std::uint8_t{0};
  }

  // The machine has no step for some instructions; of a function that it never came to, it knows none.
  bool entered(const Function& f) const {
    return std::any_of(
        file_.statements.begin() + f.body.begin, file_.statements.begin() + f.body.end,
        [&](const Statement& s) { return s.kind == Statement::Kind::instruction && (flags_of(s) & reach_known) != 0; });
  }

  void body(const Function& f) {
    const bool known = entered(f);
    const Conditions conditions(file_, f);
    int line = 0;
    bool own = own_source_;
    for (std::uint32_t i = f.body.begin; i < f.body.end; ++i) {
      const Statement& s = file_.statements[i];
      if (s.kind == Statement::Kind::location && !own_source_) {
        const Location& at = file_.locations[s.range.begin];
        const int found = table_.line_of(at);
        if (found != 0) line = found;
        own = found != 0 && table_.owns(at);
      }
      if (s.kind == Statement::Kind::instruction)
        instruction(s, own_source_ ? s.place.line : line, own, known, conditions);
    }
  }

  void instruction(const Statement& s, int line, bool own, bool known, const Conditions& conditions) {
    const std::uint8_t flags = flags_of(s);
    if (line <= 0 || (known && (flags & reach_known) == 0)) return;
    LineReach& to = lines_[line];
    const bool ran = (flags & reach_ran) != 0;
    to.ran = to.ran || ran;
    if (!own) return;
    const bool selects = s.name.starts_with("selp.");
    const bool decides = selects || (s.name.starts_with("bra") && !s.guard.empty());
    if (!decides && (ran || s.guard.empty())) return;
    if (decides && !ran) return;
    std::string_view predicate = s.guard;
    if (selects)
      for (const Operand& o : file_.operands_of(s)) predicate = o.text;  // the last
    const bool same = !decides || (flags & (reach_yes | reach_no)) != (reach_yes | reach_no);
    if (same && conditions.settled(predicate)) return;
    to.conditions.push_back({conditions.shape(predicate), same});
  }

  const File& file_;
  const Reach& reach_;
  const bool own_source_;
  LineTable table_;
  std::map<int, LineReach> lines_;
};

}  // namespace

void Reach::add(int line, std::uint8_t flags) {
  if (line < 0) return;
  const auto at = static_cast<std::size_t>(line);
  if (at >= lines.size()) lines.resize(at + 1);
  lines[at] |= flags;
}

Reach& Reach::operator+=(const Reach& other) {
  if (lines.size() < other.lines.size()) lines.resize(other.lines.size());
  for (std::size_t i = 0; i < other.lines.size(); ++i) lines[i] |= other.lines[i];
  return *this;
}

std::vector<Missed> missed_in(std::string_view ptx, const Reach& reach, bool own_source) {
  const File file = parse(ptx);
  return ReachReader(file, reach, own_source).read();
}

}  // namespace ww::ptx
