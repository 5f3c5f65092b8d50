// SPDX-License-Identifier: Apache-2.0
// Postdominators as by K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001, on the
// reversed graph of basic blocks. Traps end no path: they lead nowhere.
#include "simt/joins.h"
#include <algorithm>
#include <set>
#include "simt/program_data.h"

namespace ww::simt {
namespace {

bool leaves(const Op& op) { return op.control == Control::ret || op.control == Control::exit; }
bool branches(const Op& op) { return op.control == Control::branch || op.control == Control::branch_table; }

class Graph {
 public:
  Graph(const Decoded& code, const FunctionCode& function) : code_(code), function_(function) {
    std::set<std::uint32_t> starts{function.entry};
    for (std::uint32_t pc = function.entry; pc < function.end; ++pc) {
      const Op& op = code.ops[pc];
      if (!branches(op) && !leaves(op) && op.control != Control::trap) continue;
      for (const std::uint32_t to : targets(pc)) starts.insert(to);
      if (pc + 1 < function.end) starts.insert(pc + 1);
    }
    starts_.assign(starts.begin(), starts.end());
    to_.resize(starts_.size());
    from_.resize(starts_.size() + 1);
    for (std::uint32_t b = 0; b < starts_.size(); ++b) connect(b);
    order();
    find_postdominators();
  }

  std::uint32_t exit() const { return static_cast<std::uint32_t>(starts_.size()); }
  std::uint32_t start(std::uint32_t block) const { return starts_[block]; }
  std::uint32_t block_of(std::uint32_t pc) const {
    return static_cast<std::uint32_t>(std::ranges::upper_bound(starts_, pc) - starts_.begin() - 1);
  }
  // The nearest block through which every path from `block` leads; none(): there is no path to the end.
  std::uint32_t next(std::uint32_t block) const { return postdominator_[block]; }
  static constexpr std::uint32_t none() { return ~0u; }

  std::vector<bool> reaching(std::uint32_t block) const {  // blocks with a path to it
    std::vector<bool> seen(starts_.size());
    std::vector<std::uint32_t> open{block};
    while (!open.empty()) {
      const std::uint32_t b = open.back();
      open.pop_back();
      for (const std::uint32_t before : from_[b])
        if (!seen[before]) seen[before] = true, open.push_back(before);
    }
    return seen;
  }

 private:
  std::vector<std::uint32_t> targets(std::uint32_t pc) const {
    const Op& op = code_.ops[pc];
    if (op.control == Control::branch) return {op.target};
    if (op.control != Control::branch_table) return {};
    const auto first = code_.lists.begin() + op.target;
    return {first, first + static_cast<std::ptrdiff_t>(op.imm)};
  }

  void connect(std::uint32_t b) {
    const std::uint32_t end = b + 1 < starts_.size() ? starts_[b + 1] : function_.end;
    const Op& last = code_.ops[end - 1];
    const auto lead = [&](std::uint32_t to) { to_[b].push_back(to), from_[to].push_back(b); };
    for (const std::uint32_t to : targets(end - 1)) lead(block_of(to));
    if (leaves(last)) lead(exit());
    const bool goes_on = code_.info[end - 1].is_conditional || !(branches(last) || leaves(last));
    if (last.control != Control::trap && goes_on && b + 1 < starts_.size()) lead(b + 1);
  }

  void order() {  // from the end backwards, each block before those that only it leads on from
    place_.assign(starts_.size() + 1, none());
    std::vector<std::pair<std::uint32_t, std::size_t>> open{{exit(), 0}};
    std::vector<bool> seen(starts_.size() + 1);
    seen[exit()] = true;
    while (!open.empty()) {
      auto& [b, k] = open.back();
      if (k < from_[b].size()) {
        const std::uint32_t before = from_[b][k++];
        if (!seen[before]) seen[before] = true, open.emplace_back(before, 0);
        continue;
      }
      place_[b] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(b);
      open.pop_back();
    }
    std::ranges::reverse(order_);
  }

  void find_postdominators() {
    postdominator_.assign(starts_.size() + 1, none());
    postdominator_[exit()] = exit();
    const auto meet = [&](std::uint32_t a, std::uint32_t b) {
      while (a != b) {
        while (place_[a] < place_[b]) a = postdominator_[a];
        while (place_[b] < place_[a]) b = postdominator_[b];
      }
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::uint32_t b : order_) {
        if (b == exit()) continue;
        std::uint32_t found = none();
        for (const std::uint32_t to : to_[b])
          if (postdominator_[to] != none()) found = found == none() ? to : meet(to, found);
        changed = changed || found != postdominator_[b];
        postdominator_[b] = found;
      }
    }
  }

  const Decoded& code_;
  const FunctionCode& function_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::vector<std::uint32_t>> to_, from_;
  std::vector<std::uint32_t> order_, place_, postdominator_;
};

}  // namespace

Joins joins_of(const Decoded& code, const FunctionCode& function) {
  Joins out;
  const auto waits = [&](std::uint32_t pc) {
    const Op& op = code.ops[pc];
    if (op.control == Control::call) return code.calls[op.target].builtin == 0;  // the function may wait
    return op.control == Control::warp_sync || (op.control == Control::barrier && code.barriers[op.target].count == 0);
  };
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t pc = function.entry; pc < function.end; ++pc)
    if (waits(pc)) waiting.push_back(pc);
  if (waiting.empty()) return out;
  const Graph graph(code, function);
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_block;
  for (const std::uint32_t pc : waiting) {
    const std::uint32_t block = graph.block_of(pc);
    const auto [at, fresh] = of_block.try_emplace(block);
    if (fresh) {
      const std::vector<bool> back = graph.reaching(block);
      for (std::uint32_t b = graph.next(block); b != Graph::none() && b != graph.exit(); b = graph.next(b))
        if (!back[b] && !(leaves(code.ops[graph.start(b)]) && !code.info[graph.start(b)].is_conditional))
          at->second.push_back(graph.start(b));
    }
    if (!at->second.empty()) out.after[pc] = at->second;
  }
  for (const auto& [pc, joins] : out.after) out.pcs.insert(out.pcs.end(), joins.begin(), joins.end());
  std::ranges::sort(out.pcs);
  out.pcs.erase(std::unique(out.pcs.begin(), out.pcs.end()), out.pcs.end());
  for (auto& [pc, joins] : out.after)
    for (std::uint32_t& join : joins)
      join = static_cast<std::uint32_t>(std::ranges::lower_bound(out.pcs, join) - out.pcs.begin());
  return out;
}

}  // namespace ww::simt
