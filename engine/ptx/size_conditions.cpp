// SPDX-License-Identifier: Apache-2.0
#include "ptx/size_conditions.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include "ptx/lines.h"

namespace ww::ptx {
namespace {

using Op = Scalars::Op;
constexpr std::size_t most_conditions = 200;

bool jumps(const Statement& s) { return s.name == "bra" || s.name.starts_with("bra."); }
bool returns(const Statement& s) {
  return s.name == "ret" || s.name.starts_with("ret.") || s.name == "exit" || s.name == "trap";
}

}  // namespace

SizeConditions::SizeConditions(const File& file, const Function& function)
    : file_(file), scalars_(file, function), first_(function.body.begin) {
  find(function);
  divide(function);
}

void SizeConditions::collect(int node, std::vector<Side>& sides, int depth) const {
  constexpr int most_depth = 8;
  if (node < 0 || depth > most_depth) return;
  const Scalars::Node& n = scalars_.node(node);
  if (n.op == Op::compare || n.op == Op::min || n.op == Op::max || n.op == Op::abs)
    sides.push_back({n.args[0], n.args[1], n.from});
  for (const int a : n.args) collect(a, sides, depth + 1);
}

void SizeConditions::add(std::uint32_t statement, int node, int line) {
  if (node < 0 || all_.size() >= most_conditions) return;
  Condition c;
  c.line = line, c.statement = statement, c.node = node;
  collect(node, c.sides);
  if (!c.sides.empty()) all_.push_back(std::move(c));
}

void SizeConditions::find(const Function& function) {
  const std::vector<int> lines = source_lines(file_);
  for (std::uint32_t i = function.body.begin; i < function.body.end; ++i) {
    const Statement& s = file_.statements[i];
    if (s.kind != Statement::Kind::instruction) continue;
    const auto at = static_cast<std::size_t>(s.place.line) - 1;
    const int line = at < lines.size() && lines[at] > 0 ? lines[at] : s.place.line;
    const bool logic = s.name == "and.pred" || s.name == "or.pred" || s.name == "xor.pred";
    const bool chooses = s.name.starts_with("min.") || s.name.starts_with("max.") || s.name.starts_with("abs.");
    if (s.name.starts_with("setp.") || logic || chooses) add(i, scalars_.result_of(s), line);
  }
}

void SizeConditions::divide(const Function& function) {
  std::map<std::string_view, std::uint32_t> labels;
  std::set<std::uint32_t> starts = {function.body.begin};
  for (std::uint32_t i = function.body.begin; i < function.body.end; ++i) {
    const Statement& s = file_.statements[i];
    if (s.kind == Statement::Kind::label) labels[s.name] = i, starts.insert(i);
    if (s.kind == Statement::Kind::instruction &&
        (s.name.starts_with("bra") || s.name.starts_with("brx") || returns(s)))
      starts.insert(i + 1);
  }
  starts.erase(function.body.end);
  block_of_.assign(function.body.size(), 0);
  std::map<std::uint32_t, int> by_start;
  for (auto at = starts.begin(); at != starts.end(); ++at) {
    Block b;
    b.begin = *at, b.end = std::next(at) == starts.end() ? function.body.end : *std::next(at);
    by_start[b.begin] = static_cast<int>(blocks_.size());
    for (std::uint32_t i = b.begin; i < b.end; ++i) block_of_[i - first_] = static_cast<int>(blocks_.size());
    blocks_.push_back(b);
  }
  for (Block& b : blocks_) {
    const Statement& last = file_.statements[b.end - 1];
    if (b.begin == b.end || last.kind != Statement::Kind::instruction || !(jumps(last) || returns(last))) continue;
    b.guarded = !last.guard.empty(), b.negated = last.guard_negated, b.ends = true;
    if (b.guarded) b.guard = scalars_.predicate(last.guard);
    if (returns(last)) continue;
    const Operands all = file_.operands_of(last);
    const auto to = all.count() > 0 ? labels.find((*all.begin()).text) : labels.end();
    b.target = to == labels.end() ? -1 : by_start.at(to->second);
  }
}

std::vector<bool> SizeConditions::reached(const std::vector<Scalar>& values) const {
  std::vector<bool> seen(blocks_.size());
  std::vector<std::size_t> todo;
  const auto go = [&](std::size_t to) {
    if (to < blocks_.size() && !seen[to]) seen[to] = true, todo.push_back(to);
  };
  go(0);
  while (!todo.empty()) {
    const std::size_t at = todo.back();
    todo.pop_back();
    const Block& b = blocks_[at];
    bool taken = b.ends, falls = !b.ends || b.guarded;
    if (b.guard >= 0 && values[static_cast<std::size_t>(b.guard)].known) {
      taken = (values[static_cast<std::size_t>(b.guard)].bits != 0) != b.negated;
      falls = !taken;
    }
    if (taken && b.target >= 0) go(static_cast<std::size_t>(b.target));
    if (falls) go(at + 1);
  }
  return seen;
}

// -1: zero.
static Scalar operand(const std::vector<Scalar>& known, int node) {
  return node < 0 ? Scalar{0, 0, true} : known[static_cast<std::size_t>(node)];
}

std::vector<SizeConditions::Value> SizeConditions::values(const ScalarLaunch& launch) const {
  const std::vector<Scalar> known = scalars_.values(launch);
  const std::vector<bool> seen = reached(known);
  const auto value_of = [&](const Condition& c) {
    const Scalars::Node& n = scalars_.node(c.node);
    const Scalar v = operand(known, c.node);
    if (!v.known || !seen[static_cast<std::size_t>(block_of_[c.statement - first_])]) return Value::unknown;
    if (n.type == Type::pred) return v.bits != 0 ? Value::yes : Value::no;
    // Of a minimum, maximum or magnitude: whether it is the first operand, and not the other one, too.
    const auto equal = [&](const Scalar& x, const Scalar& y) {
      return type_is_float(n.type) ? x.real == y.real : x.bits == y.bits;
    };
    const Scalar first = operand(known, n.args[0]);
    if (equal(first, operand(known, n.args[1]))) return Value::unknown;
    return equal(v, first) ? Value::yes : Value::no;
  };
  std::vector<Value> out;
  for (const Condition& c : all_) out.push_back(value_of(c));
  return out;
}

std::vector<bool> SizeConditions::open(const ScalarLaunch& launch) const {
  const std::vector<ScalarRange> ranges = scalars_.ranges(launch);
  std::vector<bool> out;
  for (const Condition& c : all_) {
    const Scalars::Node& n = scalars_.node(c.node);
    if (n.type == Type::pred) {
      const ScalarRange& r = ranges[static_cast<std::size_t>(c.node)];
      out.push_back(!(r.lo == r.hi && (r.lo == 0 || r.lo == 1)));
      continue;
    }
    const ScalarRange& a = ranges[static_cast<std::size_t>(n.args[0])];
    const ScalarRange b = n.args[1] < 0 ? ScalarRange{0, 0} : ranges[static_cast<std::size_t>(n.args[1])];
    out.push_back(a.hi > b.lo && b.hi > a.lo);
  }
  return out;
}

std::vector<double> SizeConditions::distances(const Condition& condition, const ScalarLaunch& launch) const {
  const std::vector<Scalar> known = scalars_.values(launch);
  std::vector<double> out;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (const Side& side : condition.sides) {
    const Scalar a = operand(known, side.left), b = operand(known, side.right);
    const auto number = [&](const Scalar& s, bool is_signed) {
      if (type_is_float(side.type)) return s.real;
      if (!is_signed) return static_cast<double>(s.bits);
      return type_bytes(side.type) == 8 ? static_cast<double>(static_cast<std::int64_t>(s.bits))
                                        : static_cast<double>(static_cast<std::int32_t>(s.bits));
    };
    // Of an unsigned one also as of signed numbers: what wraps around 0 meets it from below.
    for (const bool is_signed : {type_is_signed(side.type), true})
      out.push_back(a.known && b.known ? number(a, is_signed) - number(b, is_signed) : unknown);
  }
  return out;
}

std::vector<double> SizeConditions::numbers(const Condition& condition) const {
  const std::vector<Scalar> known = scalars_.values({});
  std::vector<double> out;
  for (const Side& side : condition.sides)
    for (const int node : {side.left, side.right}) {
      if (node < 0 || scalars_.node(node).op != Op::number) continue;
      const Scalar& s = known[static_cast<std::size_t>(node)];
      out.push_back(type_is_float(side.type) ? s.real : static_cast<double>(static_cast<std::int32_t>(s.bits)));
    }
  return out;
}

}  // namespace ww::ptx
