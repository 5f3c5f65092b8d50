// SPDX-License-Identifier: Apache-2.0
// Reductions of a block, in one of two directions. Across: point by point of the reduction, all lanes at once. Along:
// lane by lane, with the points of the reduction as lanes of a block of their own; this also serves ranges that differ
// from lane to lane.
#include <algorithm>
#include <cmath>
#include <limits>
#include "op/interpret.h"
#include "op/bounds.h"

namespace ww::op {
namespace {

std::int64_t wrapped(std::uint64_t v) { return static_cast<std::int64_t>(v); }

}  // namespace

View Worker::reduce(const Node& node, int n) {
  std::vector<Accumulator>& acc = accumulators_[static_cast<std::size_t>(node.accumulator)];
  acc.assign(lanes, {});
  const std::size_t levels = node.bound_vars.size();
  for (std::size_t k = 0; k < levels; ++k)
    index_[static_cast<std::size_t>(node.bound_vars[k])] = buffer(node.slot + 4 + static_cast<int>(k)).i;
  if (node.uniform) {
    std::int64_t points = 1;
    for (std::size_t k = 0; k < levels; ++k)
      points *= std::max<std::int64_t>(0, node.hi[k]->integer - node.lo[k]->integer);
    const std::int64_t along = n * ((points + lanes - 1) / lanes);
    if (points > 0 && (node.across ? points <= 4 * along : 2 * points < along)) {
      reduce_across(node, n, points);
    } else if (points > 0) {
      for (int l = 0; l < n && !failed_; ++l) reduce_along(node, l, 0, points);
    }
  } else {
    // The first range for all lanes at once.
    Buffer& lo = buffer(node.slot + 2);
    Buffer& hi = buffer(node.slot + 3);
    const View a = eval(*node.lo[0], n);
    std::copy(a.i, a.i + n, lo.i);
    std::copy(a.e, a.e + n, lo.e);
    const View b = eval(*node.hi[0], n);
    std::copy(b.i, b.i + n, hi.i);
    for (int l = 0; l < n; ++l) lo.e[l] += b.e[l];
    for (int l = 0; l < n && !failed_; ++l) {
      reduce_along(node, l, lo.i[l], hi.i[l]);
      if (lo.e[l] > 0) acc[static_cast<std::size_t>(l)].uncertain = true;
    }
  }
  Buffer& out = buffer(node.slot);
  for (int l = 0; l < n; ++l) settle(node, acc[static_cast<std::size_t>(l)], out, l);
  return node.type == Type::real ? real_view(out) : integer_view(node, out);
}

void Worker::reduce_across(const Node& node, int n, std::int64_t points) {
  const std::size_t levels = node.bound_vars.size();
  std::int64_t at[max_indices] = {};
  for (std::int64_t p = 0; p < points && !failed_; ++p) {
    for (std::size_t k = 0; k < levels; ++k) {
      std::int64_t* values = buffer(node.slot + 4 + static_cast<int>(k)).i;
      const std::int64_t value = node.lo[k]->integer + at[k];
      if (p == 0 || values[0] != value) std::fill(values, values + n, value);
    }
    terms(node, n, accumulators_[static_cast<std::size_t>(node.accumulator)].data(), false);
    for (std::size_t k = levels; k-- > 0;) {
      if (++at[k] < node.hi[k]->integer - node.lo[k]->integer) break;
      at[k] = 0;
    }
    if ((p & 1023) == 0 && stop_.stop_requested()) fail("cancelled");
  }
}

// A range that data decides may be of any length.
bool Worker::sensible_range(const Node& node, std::int64_t lo, std::int64_t hi, int lane) {
  std::int64_t extent = 0;
  const bool countable = !__builtin_sub_overflow(hi, lo, &extent) && extent <= (std::int64_t{1} << 40);
  if (countable && (left_ -= static_cast<double>(extent)) >= 0) return true;
  fail("the range " + std::to_string(lo) + ".." + std::to_string(hi) + " in " + print(*node.source) + " has " +
       (countable ? "too many values" : "more than 2^40 values") + lane_text(node, lane));
  return false;
}

void Worker::reduce_along(const Node& node, int lane, std::int64_t lo, std::int64_t hi) {
  if (!node.uniform && hi > lo && !sensible_range(node, lo, hi, lane)) return;
  std::vector<const std::int64_t*> saved;
  saved.reserve(node.vars.size());
  const int broadcast = node.remap + static_cast<int>(node.vars.size());
  const std::int64_t width =
      node.bound_vars.size() > 1 ? lanes : std::min<std::int64_t>(lanes, std::max<std::int64_t>(1, hi - lo));
  for (std::size_t k = 0; k < node.vars.size(); ++k) {
    const std::size_t var = static_cast<std::size_t>(node.vars[k]);
    std::int64_t* to = buffer(broadcast + static_cast<int>(k)).i;
    saved.push_back(index_[var]);
    std::fill(to, to + width, index_[var][lane]);
  }
  for (std::size_t k = 0; k < node.vars.size(); ++k)
    index_[static_cast<std::size_t>(node.vars[k])] = buffer(broadcast + static_cast<int>(k)).i;
  Accumulator& acc = accumulators_[static_cast<std::size_t>(node.accumulator)][static_cast<std::size_t>(lane)];
  if (node.uniform)
    reduce_uniform(node, acc, hi);
  else
    reduce_level(node, 0, acc, lo, hi);
  for (std::size_t k = 0; k < node.vars.size(); ++k) index_[static_cast<std::size_t>(node.vars[k])] = saved[k];
}

void Worker::reduce_uniform(const Node& node, Accumulator& acc, std::int64_t points) {
  std::vector<GridIndex> grid(node.bound_vars.size());
  std::int64_t at[max_indices] = {};
  std::int64_t* values[max_indices];
  for (std::size_t k = 0; k < grid.size(); ++k) {
    grid[k].lo = node.lo[k]->integer;
    grid[k].hi = node.hi[k]->integer;
    values[k] = buffer(node.slot + 4 + static_cast<int>(k)).i;
  }
  for (std::int64_t p = 0; p < points && !failed_; p += lanes) {
    const int m = static_cast<int>(std::min<std::int64_t>(lanes, points - p));
    fill_indices(grid, at, values, m);
    terms(node, m, &acc, true);
    if ((p & 0xfffff) == 0 && stop_.stop_requested()) fail("cancelled");
  }
}

void Worker::reduce_level(const Node& node, std::size_t level, Accumulator& acc, std::int64_t lo, std::int64_t hi) {
  std::int64_t* values = buffer(node.slot + 4 + static_cast<int>(level)).i;
  if (level + 1 == node.bound_vars.size()) {
    for (std::int64_t p = lo; p < hi && !failed_; p += lanes) {
      const int m = static_cast<int>(std::min<std::int64_t>(lanes, hi - p));
      for (int l = 0; l < m; ++l) values[l] = p + l;
      terms(node, m, &acc, true);
      if (stop_.stop_requested()) fail("cancelled");
    }
    return;
  }
  for (std::int64_t p = lo; p < hi && !failed_; ++p) {
    std::fill(values, values + lanes, p);
    const View a = eval(*node.lo[level + 1], 1);
    const std::int64_t from = a.i[0];
    const bool unsure = a.e[0] > 0;
    const View b = eval(*node.hi[level + 1], 1);
    const std::int64_t to = b.i[0];
    if (unsure || b.e[0] > 0) acc.uncertain = true;
    if (to > from && !sensible_range(node, from, to, 0)) return;
    reduce_level(node, level + 1, acc, from, to);
    if ((p & 1023) == 0 && stop_.stop_requested()) fail("cancelled");
  }
}

// The terms of `n` lanes: each to its lane's accumulator, or all to one.
void Worker::terms(const Node& node, int n, Accumulator* acc, bool one) {
  const Node& body = *node.args[0];
  const std::int64_t* index = index_[static_cast<std::size_t>(node.bound_vars[0])];
  if (!node.condition) return add_terms(node, eval(body, n), index, nullptr, nullptr, n, acc, one);
  const View c = eval(*node.condition, n);
  int* list = buffer(node.slot + 1).list;
  Membership member[lanes];
  int m = 0;
  bool all_certain = true;
  for (int l = 0; l < n; ++l) {
    const bool unsure = c.e[l] > 0;
    if (!c.i[l] && !(unsure && !body.can_fail)) {
      if (unsure) acc[one ? 0 : l].uncertain = true;
      continue;
    }
    member[m] = !unsure ? certain : c.i[l] ? uncertain_in : uncertain_out;
    all_certain = all_certain && !unsure;
    list[m++] = l;
  }
  if (m == 0) return;
  const View t = m == n ? eval(body, n) : eval_lanes(body, list, m);
  add_terms(node, t, index, all_certain ? nullptr : member, m == n ? nullptr : list, m, acc, one);
}

void Worker::Accumulator::add(const View& t, int x, double e, Membership member, bool f64) {
  if (t.v) {
    if (member != certain) track.error += std::fabs(t.v[x]) + e;
    if (member == uncertain_out)
      track.count += 1;
    else
      track.add(t.v[x], e, f64);
    return;
  }
  error += e;
  if (member != certain) error += std::fabs(static_cast<double>(t.i[x]));
  if (member != uncertain_out)
    integer = wrapped(static_cast<std::uint64_t>(integer) + static_cast<std::uint64_t>(t.i[x]));
}

void Worker::Accumulator::multiply(const View& t, int x, double e, const Rules& rules) {
  if (t.v) return rules.multiply(product, t.v[x], e);
  const std::int64_t before = any ? integer : 1;
  integer = wrapped(static_cast<std::uint64_t>(before) * static_cast<std::uint64_t>(t.i[x]));
  if (e > 0) uncertain = true;
  any = true;
}

void Worker::Accumulator::take_extreme(const View& t, int x, double e, bool max, const Rules& rules) {
  if (t.v) {
    if (!any || rules.beats(t.v[x], best, max)) best = t.v[x];
  } else if (!any || (max ? t.i[x] > integer : t.i[x] < integer)) {
    integer = t.i[x];
  }
  error = std::max(error, e);
  any = true;
}

void Worker::Accumulator::take_place(double value, double e, std::int64_t place, const Rules& rules) {
  if (std::isnan(value) && rules.nan == NanRule::ignore) {
    uncertain = true;
    return;
  }
  const bool beats = any && (value > best || (std::isnan(value) && !std::isnan(best)));
  if (!any) {
    rival = rival_exact = -infinity;
  } else if (beats) {
    rival_exact = std::max(rival_exact, best);
    if (error > 0) rival = std::max(rival, best + error);
  } else if (place != integer) {
    rival_exact = std::max(rival_exact, value);
    if (e > 0) rival = std::max(rival, value + e);
  }
  if (!any || beats) {
    best = value;
    error = e;
    integer = place;
  }
  any = true;
}

void Worker::Accumulator::decide(bool deciding, double e, Membership member) {
  const bool sure = !(e > 0) && member == certain;
  if (deciding && sure) any = true;  // settles it
  if (!sure && (deciding || e > 0)) uncertain = true;
  if (deciding) integer = 1;
}

void Worker::add_plain_sum(const View& t, const int* list, int m, Accumulator* acc, bool one) const {
  const bool f64 = rules_.f64;
  if (!one) {
    for (int x = 0; x < m; ++x) acc[list ? list[x] : x].track.add(t.v[x], t.e[x], f64);
    return;
  }
  SumTrack a = acc[0].track;
  if (!bounds_) {
    for (int x = 0; x < m; ++x) a.sum += t.v[x];
    if (f64)
      for (int x = 0; x < m; ++x) a.wide += t.v[x];
  } else {
    for (int x = 0; x < m; ++x) a.add(t.v[x], t.e[x], f64);
  }
  acc[0].track = a;
}

void Worker::add_terms(const Node& node, const View& t, const std::int64_t* index, const Membership* member,
                       const int* list, int m, Accumulator* acc, bool one) {
  if (node.reduce == ReduceOp::sum && t.v && !member) return add_plain_sum(t, list, m, acc, one);
  const bool quantifier = node.reduce == ReduceOp::any || node.reduce == ReduceOp::all;
  for (int x = 0; x < m; ++x) {
    const int lane = list ? list[x] : x;
    Accumulator& a = acc[one ? 0 : lane];
    const double e = bounds_ ? t.e[x] : 0;
    const Membership s = member ? member[x] : certain;
    if (s != certain && node.reduce != ReduceOp::sum && !quantifier) a.uncertain = true;
    if (s == uncertain_out && node.reduce != ReduceOp::sum) {
      if (quantifier && (t.i[x] != 0) == (node.reduce == ReduceOp::any)) a.uncertain = true;
      continue;
    }
    switch (node.reduce) {
      case ReduceOp::sum: a.add(t, x, e, s, rules_.f64); break;
      case ReduceOp::prod: a.multiply(t, x, e, rules_); break;
      case ReduceOp::max:
      case ReduceOp::min: a.take_extreme(t, x, e, node.reduce == ReduceOp::max, rules_); break;
      case ReduceOp::argmax:
      case ReduceOp::argmin: {
        const double v = t.v ? t.v[x] : static_cast<double>(t.i[x]);
        a.take_place(node.reduce == ReduceOp::argmin ? -v : v, e, index[lane], rules_);
        break;
      }
      case ReduceOp::any:
      case ReduceOp::all: a.decide((t.i[x] != 0) == (node.reduce == ReduceOp::any), e, s); break;
    }
  }
}

void Worker::settle(const Node& node, const Accumulator& a, Buffer& out, int l) const {
  const bool real = node.type == Type::real;
  out.e[l] = a.uncertain ? infinity : 0;
  switch (node.reduce) {
    case ReduceOp::sum:
      if (real) {
        out.v[l] = a.track.value(rules_.f64);
        if (bounds_) out.e[l] = std::max(out.e[l], rules_.sum_error(a.track, node.truncated));
      } else {
        out.i[l] = a.integer;
        out.e[l] = std::max(out.e[l], a.error);
      }
      return;
    case ReduceOp::prod:
      if (real) {
        out.v[l] = a.product.value;
        out.e[l] = std::max(out.e[l], rules_.factors_error(a.product));
      } else {
        out.i[l] = a.any ? a.integer : 1;
      }
      return;
    case ReduceOp::max:
    case ReduceOp::min: {
      const bool max = node.reduce == ReduceOp::max;
      if (real) {
        out.v[l] = a.any ? a.best : max ? -infinity : infinity;
        out.e[l] = std::max(out.e[l], rules_.settle(out.v[l], a.error));
        if (rules_.nan == NanRule::ignore && std::isnan(out.v[l])) out.e[l] = infinity;
      } else {
        out.i[l] = a.any ? a.integer
                   : max ? std::numeric_limits<std::int64_t>::min()
                         : std::numeric_limits<std::int64_t>::max();
        out.e[l] = std::max(out.e[l], a.error);
      }
      return;
    }
    case ReduceOp::argmax:
    case ReduceOp::argmin:
      out.i[l] = a.any ? a.integer : -1;
      if (a.any &&
          ((a.rival > -infinity && a.rival >= a.best - a.error) || (a.error > 0 && a.rival_exact >= a.best - a.error)))
        out.e[l] = infinity;
      return;
    case ReduceOp::any:
      out.i[l] = a.integer;
      out.e[l] = a.uncertain && !a.any ? 1 : 0;
      return;
    case ReduceOp::all:
      out.i[l] = !a.integer;
      out.e[l] = a.uncertain && !a.any ? 1 : 0;
      return;
  }
}

}  // namespace ww::op
