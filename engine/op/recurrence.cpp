// SPDX-License-Identifier: Apache-2.0
#include "op/recurrence.h"
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace ww::op {
namespace {

constexpr std::size_t unassigned = static_cast<std::size_t>(-1);

struct Read {
  std::size_t by = 0, of = 0;  // members
  const Expr* access = nullptr;
  bool guarded = false;  // inside pad() or a branch of if()
};

void find_reads(const Expr& e, bool guarded, const std::function<void(const Expr&, bool)>& found) {
  if (e.kind == ExprKind::access || e.kind == ExprKind::name) found(e, guarded);
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    const bool inside = guarded || (e.kind == ExprKind::padded && i == 0) || (e.kind == ExprKind::select && i > 0);
    if (e.args[i]) find_reads(*e.args[i], inside, found);
  }
  for (const Index& i : e.indices)
    for (const ExprPtr& end : {i.lo, i.hi})
      if (end) find_reads(*end, guarded, found);
}

class Analysis {
 public:
  explicit Analysis(const std::vector<RecurrenceMember>& members) : members_(members) {
    std::map<std::string, std::size_t> at;
    for (std::size_t m = 0; m < members.size(); ++m) at[*members[m].target] = m;
    for (std::size_t m = 0; m < members.size(); ++m)
      find_reads(*members[m].value, false, [&](const Expr& e, bool guarded) {
        if (const auto of = at.find(e.name); of != at.end()) reads_.push_back({m, of->second, &e, guarded});
      });
  }

  std::variant<Recurrence, NoRecurrence> run() {
    NoRecurrence first;
    first.span = reads_.empty() ? Span{} : reads_.front().access->span;
    for (std::size_t d = 0; d < members_.front().indices->size(); ++d) {
      auto found = along(d);
      if (const auto* r = std::get_if<Recurrence>(&found)) return *r;
      const NoRecurrence& no = std::get<NoRecurrence>(found);
      if (no.reason != NoRecurrence::Reason::no_step || d == 0) first = no;
      if (no.reason == NoRecurrence::Reason::unguarded) break;
    }
    return first;
  }

 private:
  const std::string& index(std::size_t m) const { return (*members_[m].indices)[carried_[m]].name; }

  // Which dimension of each member has the steps, when it is dimension `d` of the first. Null: none fits.
  const Read* assign(std::size_t d) {
    carried_.assign(members_.size(), unassigned);
    carried_[0] = d;
    for (bool more = true; more;) {
      more = false;
      for (const Read& r : reads_) {
        if (carried_[r.by] == unassigned || carried_[r.of] != unassigned) continue;
        const std::vector<ExprPtr>& at = r.access->args;
        for (std::size_t k = 0; k < std::min(at.size(), members_[r.of].indices->size()); ++k) {
          std::int64_t shift = 0;
          if (!at[k] || !shift_of(*at[k], index(r.by), &shift)) continue;
          carried_[r.of] = k;
          more = true;
          break;
        }
      }
    }
    for (const Read& r : reads_) {
      std::int64_t shift = 0;
      if (carried_[r.by] == unassigned || carried_[r.of] == unassigned || r.access->args.size() <= carried_[r.of] ||
          !r.access->args[carried_[r.of]] || !shift_of(*r.access->args[carried_[r.of]], index(r.by), &shift))
        return &r;
    }
    return nullptr;
  }

  std::variant<Recurrence, NoRecurrence> along(std::size_t d) {
    using Reason = NoRecurrence::Reason;
    if (const Read* bad = assign(d)) return NoRecurrence{Reason::no_step, bad->access->span};
    std::optional<bool> backward;
    std::vector<const Read*> same_step;
    for (const Read& r : reads_) {
      std::int64_t shift = 0;
      shift_of(*r.access->args[carried_[r.of]], index(r.by), &shift);
      if (shift == 0) {
        same_step.push_back(&r);
        continue;
      }
      if (backward.value_or(shift > 0) != (shift > 0)) return NoRecurrence{Reason::both_ways, r.access->span};
      backward = shift > 0;
    }
    Recurrence out;
    out.backward = backward.value_or(false);
    if (const Read* cycle = order(same_step, out.members)) return NoRecurrence{Reason::no_step, cycle->access->span};
    for (const Read& r : reads_) {
      std::int64_t shift = 0;
      shift_of(*r.access->args[carried_[r.of]], index(r.by), &shift);
      if (shift != 0 && !r.guarded) return NoRecurrence{Reason::unguarded, r.access->span};
    }
    for (const std::size_t m : out.members) out.carried.push_back(carried_[m]);
    return out;
  }

  // The members so that each reads only earlier ones of its own step; a read that prevents it, or null.
  const Read* order(const std::vector<const Read*>& same_step, std::vector<std::size_t>& out) const {
    std::set<std::size_t> done;
    while (out.size() < members_.size()) {
      const Read* missing = nullptr;
      bool found = false;
      for (std::size_t m = 0; m < members_.size() && !found; ++m) {
        if (done.count(m)) continue;
        const auto blocks = [&](const Read* r) { return r->by == m && !done.count(r->of); };
        const auto blocked = std::find_if(same_step.begin(), same_step.end(), blocks);
        if (blocked != same_step.end()) {
          if (!missing) missing = *blocked;
          continue;
        }
        out.push_back(m);
        done.insert(m);
        found = true;
      }
      if (!found) return missing;
    }
    return nullptr;
  }

  const std::vector<RecurrenceMember>& members_;
  std::vector<Read> reads_;
  std::vector<std::size_t> carried_;
};

}  // namespace

bool shift_of(const Expr& subscript, const std::string& index, std::int64_t* shift) {
  const auto is_index = [&](const Expr& e) { return e.kind == ExprKind::name && e.name == index; };
  *shift = 0;
  if (is_index(subscript)) return true;
  if (subscript.kind != ExprKind::binary || !subscript.args[0] || !subscript.args[1]) return false;
  const Expr &a = *subscript.args[0], &b = *subscript.args[1];
  if (subscript.binary == BinaryOp::sub && is_index(a) && b.kind == ExprKind::integer) {
    *shift = -b.integer;
    return true;
  }
  if (subscript.binary != BinaryOp::add) return false;
  if (is_index(a) && b.kind == ExprKind::integer) {
    *shift = b.integer;
    return true;
  }
  *shift = a.kind == ExprKind::integer ? a.integer : 0;
  return a.kind == ExprKind::integer && is_index(b);
}

std::variant<Recurrence, NoRecurrence> recurrence_of(const std::vector<RecurrenceMember>& members) {
  return Analysis(members).run();
}

namespace {

// Tarjan: Depth-first search and linear graph algorithms. SIAM J. Comput. 1 (2), 1972. A component is complete when all
// that it reads is.
class Components {
 public:
  explicit Components(const std::vector<RecurrenceMember>& equations) : state_(equations.size()) {
    std::map<std::string, std::size_t> at;
    for (std::size_t i = 0; i < equations.size(); ++i) at[*equations[i].target] = i;
    for (std::size_t i = 0; i < equations.size(); ++i)
      find_reads(*equations[i].value, false, [&](const Expr& e, bool) {
        if (const auto of = at.find(e.name); of != at.end()) state_[i].reads.push_back(of->second);
      });
    for (std::size_t i = 0; i < equations.size(); ++i)
      if (state_[i].number == 0) visit(i);
  }
  std::vector<std::vector<std::size_t>> out;

 private:
  struct State {
    std::vector<std::size_t> reads;
    std::size_t number = 0, low = 0;  // from 1, in the order of the search
    bool open = false;
  };

  void visit(std::size_t i) {
    state_[i].number = state_[i].low = ++count_;
    state_[i].open = true;
    open_.push_back(i);
    for (const std::size_t r : state_[i].reads) {
      if (state_[r].number == 0) {
        visit(r);
        state_[i].low = std::min(state_[i].low, state_[r].low);
      } else if (state_[r].open) {
        state_[i].low = std::min(state_[i].low, state_[r].number);
      }
    }
    if (state_[i].low != state_[i].number) return;
    std::vector<std::size_t> component;
    std::size_t last = i;
    do {
      last = open_.back();
      open_.pop_back();
      state_[last].open = false;
      component.push_back(last);
    } while (last != i);
    std::sort(component.begin(), component.end());
    out.push_back(std::move(component));
  }

  std::vector<State> state_;
  std::vector<std::size_t> open_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<std::vector<std::size_t>> components_of(const std::vector<RecurrenceMember>& equations) {
  return std::move(Components(equations).out);
}

bool is_cycle(const std::vector<RecurrenceMember>& equations, const std::vector<std::size_t>& component) {
  if (component.size() > 1) return true;
  bool found = false;
  const RecurrenceMember& only = equations[component.front()];
  find_reads(*only.value, false, [&](const Expr& e, bool) { found = found || e.name == *only.target; });
  return found;
}

std::vector<Recurrence> recurrences_of(const Spec& spec) {
  std::vector<RecurrenceMember> equations;
  for (const Equation& e : spec.equations) equations.push_back({&e.target, &e.indices, e.value.get()});
  return recurrences_of(equations);
}

const Recurrence* recurrence_with(const std::vector<Recurrence>& recurrences, std::size_t position) {
  const auto found = std::find_if(recurrences.begin(), recurrences.end(), [&](const Recurrence& r) {
    return std::find(r.members.begin(), r.members.end(), position) != r.members.end();
  });
  return found == recurrences.end() ? nullptr : &*found;
}

std::vector<Recurrence> recurrences_of(const std::vector<RecurrenceMember>& equations) {
  std::vector<Recurrence> out;
  for (const std::vector<std::size_t>& component : components_of(equations)) {
    if (!is_cycle(equations, component)) continue;
    std::vector<RecurrenceMember> members;
    for (const std::size_t i : component) members.push_back(equations[i]);
    auto found = recurrence_of(members);
    auto* r = std::get_if<Recurrence>(&found);
    if (!r) continue;  // not of a checked spec
    for (std::size_t& m : r->members) m = component[m];
    out.push_back(std::move(*r));
  }
  return out;
}

}  // namespace ww::op
