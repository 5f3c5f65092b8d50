// SPDX-License-Identifier: Apache-2.0
#include "search/rows.h"
#include <fmt/format.h>
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/row_steps.h"
#include "search/terms.h"

namespace ww::search {

using op::ExprKind;
using op::Type;

namespace {

class RowLowering {
 public:
  RowLowering(Source& source, const Group& group, const RowSchedule& schedule, const std::set<std::string>& kept,
              Kernel& kernel)
      : source_(source),
        program_(source.program()),
        group_(group),
        schedule_(schedule),
        kept_(kept),
        k_(kernel),
        e_(kernel) {}

  void run() {
    steps_ = row_steps(group_, schedule_.online);
    choose_storage();
    head();
    e_.read = [this](const Expr& access) { return read(access); };
    if (schedule_.cache != RowSchedule::Cache::none) fill_cache();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].vector)
        vector_step(steps_[i]);
      else
        scalar_step(steps_[i]);
      if (steps_[i].vector && read_later(i)) sync();
    }
  }

 private:
  using Cache = RowSchedule::Cache;

  // --- the team
  // -------------------------------------------------------------------------------------------------------------
  void head() {
    const std::string rows = op::print(*extent(group_.rows)), t = source_.index_type();
    const std::int64_t inner = widest_inner(program_, group_);
    const std::string wide = program_.wide ? "(long long)" : "";
    e_.name_sizes(group_.equations);
    // Names of macros come first: they must not change under the text.
    if (schedule_.team == Team::warp) {
      size_ = source_.tune("WARPS", {4, 8, 2, 1});
      k_.launch(fmt::format("ceildiv({}, {})", rows, size_), "32, " + size_, shared_bytes());
      lane_ = k_.fresh("lane");
      k_.line(fmt::format("const int {} = threadIdx.x;", lane_));
      stride_ = "32";
    } else if (schedule_.team == Team::block) {
      std::vector<std::int64_t> sizes = {256, 128, 512, 64, 1024};
      if (inner <= 512) sizes = {128, 64, 256, 32};
      if (inner <= 96) sizes = {64, 32, 128};
      if (schedule_.cache == Cache::registers) sizes = {256, 128, 512};
      size_ = source_.tune("BLOCK", sizes);
      k_.launch(rows, size_, shared_bytes());
      lane_ = "threadIdx.x";
      stride_ = size_;
    } else {
      size_ = source_.tune("BLOCK", {256, 128, 64, 512});
      k_.launch(fmt::format("ceildiv({}, {})", rows, size_), size_);
    }
    if (group_.rows.empty()) {
      if (schedule_.team == Team::warp)
        k_.line("if (threadIdx.y > 0 || blockIdx.x > 0) return;  // there is one row only");
      if (schedule_.team == Team::thread) k_.line("if (threadIdx.x > 0) return;  // there is one result only");
      return;
    }
    const bool single = group_.rows.size() == 1 && from_zero(group_.rows[0]);
    if (single) e_.bind(group_.rows[0]);
    const std::string flat =
        single ? e_.index(group_.rows[0].name) : k_.fresh(schedule_.team == Team::thread ? "element" : "row");
    const std::string position = schedule_.team == Team::block ? "blockIdx.x"
                                 : schedule_.team == Team::warp
                                     ? fmt::format("{}blockIdx.x * {} + threadIdx.y", wide, size_)
                                     : fmt::format("{}blockIdx.x * {} + threadIdx.x", wide, size_);
    k_.line(fmt::format("const {} {} = {};", t, flat, position));
    if (schedule_.team != Team::block)
      k_.line(fmt::format("if ({} >= {}) return;", flat, e_.subscript(extent(group_.rows), sum_strength)));
    if (!single) e_.decompose(flat, group_.rows);
  }

  void sync() {
    if (schedule_.team == Team::warp) k_.line("__syncwarp();");
    if (schedule_.team == Team::block) k_.barrier();
  }

  // Whether a later step reads what this one stored.
  bool read_later(std::size_t step) const {
    for (std::size_t s = step + 1; s < steps_.size(); ++s)
      for (const Equation* later : steps_[s].equations)
        for (const Equation* eq : steps_[step].equations)
          if (reads(*later->value, eq->target)) return true;
    return false;
  }

  // --- where values live
  // ----------------------------------------------------------------------------------------------------
  void choose_storage() {
    if (schedule_.team == Team::thread) return;
    const auto place = [&](const std::string& key, const std::string& name, const ExprPtr& size) {
      shared_.push_back({key, name, size});
    };
    for (const Equation& eq : group_.equations) {
      const Tensor& t = program_.tensor(eq.target);
      const auto inner = group_.inner(eq);
      if (t.storage != Storage::temp || inner.empty() || kept_.count(eq.target) || !is_real(t.dtype)) continue;
      bool plain = rectangular(inner);
      for (const Index& i : inner) plain = plain && from_zero(i);
      if (plain && program_.estimate(extent(inner), 1 << 20) * real_bytes() <= 40000)
        place(eq.target, eq.target, extent(inner));
    }
    if (schedule_.cache == Cache::none) return;
    cache_ = cached_reads(program_, group_, steps_);
    if (schedule_.cache == Cache::shared)
      for (const auto& [text, access] : cache_.reads)
        place(text, source_.identifier(access->name) + "_row", extent(cache_.domain));
  }

  std::int64_t real_bytes() const { return program_.f64 ? 8 : 4; }

  std::string shared_bytes() const {
    if (shared_.empty()) return {};
    ExprPtr total = shared_[0].size;
    for (std::size_t i = 1; i < shared_.size(); ++i) total = add(total, shared_[i].size);
    const std::string text =
        op::print(*mul(op::integer_literal(real_bytes()), total)) + (schedule_.team == Team::warp ? " * " + size_ : "");
    source_.require(text + " <= 40960");
    return text;
  }

  void declare_shared() {
    if (shared_.empty()) return;
    const std::string all = k_.fresh("shared");
    k_.line(fmt::format("extern __shared__ {} {}[];", source_.real(), all));
    ExprPtr total = extent_of_all();
    std::string base = all;
    if (schedule_.team == Team::warp) base += " + threadIdx.y * " + e_.subscript(total, primary);
    ExprPtr offset = op::integer_literal(0);
    for (Place& p : shared_) {
      p.variable = k_.fresh(p.name == p.key ? source_.identifier(p.name) + "_row" : p.name);
      k_.line(fmt::format("{}* {} = {}{};", source_.real(), p.variable, base,
                          is_integer(offset, 0) ? "" : " + " + e_.subscript(offset, sum_strength)));
      offset = add(offset, p.size);
    }
  }
  ExprPtr extent_of_all() const {
    ExprPtr total = op::integer_literal(0);
    for (const auto& p : shared_) total = add(total, p.size);
    return total;
  }

  std::optional<std::string> read(const Expr& access) {
    if (const auto it = scalars_.find(access.name); it != scalars_.end()) return it->second;
    for (const auto& p : shared_)
      if (p.key == access.name) return p.variable + "[" + inner_offset(access.name, access.args) + "]";
    if (in_cached_loop_)
      if (const auto it = cache_.reads.find(op::print(access)); it != cache_.reads.end()) return cached(it->first);
    if (const auto it = packs_.find(op::print(access)); it != packs_.end())
      return e_.loaded(program_.tensor(access.name).dtype, it->second);
    return std::nullopt;
  }

  std::string inner_offset(const std::string& target, const std::vector<ExprPtr>& at) {
    const Equation& eq = *std::find_if(group_.equations.begin(), group_.equations.end(),
                                       [&](const Equation& x) { return x.target == target; });
    const std::set<std::string> rows = names_of(group_.rows);
    ExprPtr offset;
    for (std::size_t d = 0; d < eq.at.size(); ++d) {
      if (is_index(*eq.at[d]) && rows.count(eq.at[d]->name)) continue;
      offset = offset ? add(mul(offset, program_.tensor(target).shape[d]), at[d]) : at[d];
    }
    return offset ? e_.subscript(offset) : "0";
  }

  std::string cached(const std::string& text) {
    if (schedule_.cache == Cache::registers) return registers_.at(text) + "[" + item_ + "]";
    for (const auto& p : shared_)
      if (p.key == text) return p.variable + "[" + flat_ + "]";
    return "0";
  }

  void fill_cache() {
    declare_shared_once();
    std::string names;
    for (const auto& [text, access] : cache_.reads) names += (names.empty() ? "" : ", ") + access->name;
    if (schedule_.cache == Cache::registers) {
      const std::int64_t inner = std::max<std::int64_t>(program_.estimate(cache_.domain), 1);
      const std::int64_t width = schedule_.team == Team::warp ? 32 : 256;
      std::int64_t items = 1;
      while (items * width < inner) items *= 2;
      items_ = source_.tune("ITEMS", {items, items * 2, std::max<std::int64_t>(items / 2, 1)});
      source_.require(fmt::format("{} <= {} * {}", op::print(*extent(cache_.domain)),
                                  schedule_.team == Team::warp ? "32" : size_, items_));
      for (const auto& [text, access] : cache_.reads) {
        registers_[text] = k_.fresh(source_.identifier(access->name) + "_reg");
        k_.line(fmt::format("{} {}[{}];", source_.real(), registers_[text], items_));
      }
      k_.comment("Each thread keeps its share of the row of " + names + " in registers: global memory is read once.");
    } else {
      k_.comment("The row of " + names +
                 " is read from global memory once. Every thread comes back to the elements that it copied itself, so "
                 "no barrier is needed.");
    }
    in_loop(cache_.domain, [&] {
      for (const auto& [text, access] : cache_.reads)
        k_.line(cached(text) + " = " + e_.load(access->name, access->args) + ";");
    });
    k_.line();
  }
  void declare_shared_once() {
    if (!declared_) declare_shared();
    declared_ = true;
  }

  // --- loops
  // ----------------------------------------------------------------------------------------------------------------
  bool is_cached_domain(const std::vector<Index>& domain) const {
    return !cache_.reads.empty() && same_loops(domain, cache_.domain);
  }

  // The body for every element of the domain, shared out over the team.
  void in_loop(const std::vector<Index>& domain, const std::function<void()>& body) {
    in_cached_loop_ = is_cached_domain(domain);
    const std::string t = source_.index_type();
    if (schedule_.team == Team::thread) {
      e_.open_loops(domain);
      body();
      e_.close_loops(domain.size());
    } else if (in_cached_loop_ && schedule_.cache == Cache::registers) {
      item_ = k_.fresh_inside("item");
      k_.line("#pragma unroll");
      k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", item_, items_));
      const bool single = domain.size() == 1 && from_zero(domain[0]);
      if (single) e_.bind(domain[0]);
      const std::string flat = single ? e_.index(domain[0].name) : k_.fresh("at");
      k_.line(fmt::format("const {} {} = {} + {} * {};", t, flat, lane_, item_, stride_));
      k_.open(fmt::format("if ({} < {}) {{", flat, e_.subscript(extent(domain), sum_strength)));
      if (!single) e_.decompose(flat, domain);
      body();
      k_.close();
      k_.close();
    } else if (domain.size() == 1 || !rectangular(domain)) {
      const Index& first = domain[0];
      e_.bind(first);
      const std::string c = e_.index(first.name);
      flat_ = c;
      k_.open(fmt::format("for ({0} {1} = {2}{3}; {1} < {4}; {1} += {5}) {{", t, c,
                          from_zero(first) ? "" : e_.subscript(first.lo, sum_strength) + " + ", lane_,
                          e_.subscript(first.hi, sum_strength), stride_));
      const std::vector<Index> rest(domain.begin() + 1, domain.end());
      e_.open_loops(rest);
      body();
      e_.close_loops(rest.size() + 1);
    } else {
      flat_ = k_.fresh_inside("at");
      k_.open(fmt::format("for ({0} {1} = {2}; {1} < {3}; {1} += {4}) {{", t, flat_, lane_,
                          e_.subscript(extent(domain), sum_strength), stride_));
      e_.decompose(flat_, domain);
      body();
      k_.close();
    }
    in_cached_loop_ = false;
  }

  // The same, VEC neighbours of the last index at a time, for the values that `exprs` read and the targets that
  // `writes` names.
  void in_vector_loop(const std::vector<Index>& domain, const std::vector<const Expr*>& exprs,
                      const std::vector<const Equation*>& writes, const std::function<void()>& body) {
    const Index& last = domain.back();
    std::map<std::string, const Expr*> reads;
    for (const Expr* x : exprs)
      for (const Expr* a : packable_reads(program_, *x, last)) reads.emplace(op::print(*a), a);
    if (vec_.empty()) {
      bool narrow = true;
      for (const auto& [text, a] : reads) narrow = narrow && dtype_size(program_.tensor(a->name).dtype) <= 2;
      vec_ = source_.tune("VEC", narrow && !reads.empty() ? std::vector<std::int64_t>{8, 4, 2}
                                                          : std::vector<std::int64_t>{4, 2});
    }
    source_.require(fmt::format("{} % {} == 0", op::print(*last.hi), vec_));
    const std::string t = source_.index_type();
    const bool single = domain.size() == 1;
    const std::string start = k_.fresh_inside(k_.index(last.name) + "0");
    const std::string flat = single ? start : k_.fresh_inside("at");
    k_.open(fmt::format("for ({0} {1} = {2} * {3}; {1} < {4}; {1} += {5} * {3}) {{", t, flat, lane_, vec_,
                        e_.subscript(extent(domain), sum_strength), stride_));
    if (!single) {
      std::vector<Index> outer(domain.begin(), domain.end() - 1);
      const std::string size = e_.subscript(last.hi, primary), rest = k_.fresh("line");
      k_.line(fmt::format("const {} {} = {} % {};", t, start, flat, size));
      k_.line(fmt::format("const {} {} = {} / {};", t, rest, flat, size));
      e_.decompose(rest, outer);
    }
    e_.bind(last, start);
    const std::string j = k_.fresh_inside("j");
    for (const auto& [text, a] : reads) {
      const std::string name = k_.fresh(source_.identifier(a->name) + "_pack"),
                        type = source_.pack(program_.tensor(a->name).dtype, vec_);
      k_.line(fmt::format("const {0} {1} = *reinterpret_cast<const {0}*>(&{2});", type, name,
                          e_.element(a->name, a->args, false)));
      packs_[text] = name + ".v[" + j + "]";
    }
    std::vector<std::pair<const Equation*, std::string>> stores;
    for (const Equation* eq : writes)
      if (packable(program_, eq->target, eq->at, last)) {
        const std::string name = k_.fresh(source_.identifier(eq->target) + "_pack");
        k_.line(source_.pack(program_.tensor(eq->target).dtype, vec_) + " " + name + ";");
        stores.emplace_back(eq, name);
        pack_stores_[eq] = name + ".v[" + j + "]";
      }
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", j, vec_));
    e_.bind(last);
    k_.line(fmt::format("const {} {} = {} + {};", t, e_.index(last.name), start, j));
    body();
    k_.close();
    e_.bind(last, start);
    for (const auto& [eq, name] : stores)
      k_.line(fmt::format("*reinterpret_cast<{}*>(&{}) = {};", source_.pack(program_.tensor(eq->target).dtype, vec_),
                          e_.element(eq->target, eq->at, true), name));
    k_.close();
    packs_.clear();
    pack_stores_.clear();
  }

  void loop_over(const std::vector<Index>& domain, const std::vector<const Expr*>& exprs,
                 const std::vector<const Equation*>& writes, const std::function<void()>& body) {
    if (schedule_.vectors && vectorizable(program_, domain, exprs, writes))
      in_vector_loop(domain, exprs, writes, body);
    else
      in_loop(domain, body);
  }

  // --- steps
  // ----------------------------------------------------------------------------------------------------------------
  void scalar_step(const RowStep& step) {
    if (step.pattern == RowStep::Pattern::softmax)
      online_softmax(step);
    else if (step.pattern == RowStep::Pattern::moments)
      online_moments(step);
    else
      reductions(step);
    for (const Equation* eq : step.equations) {
      const Tensor& t = program_.tensor(eq->target);
      const bool stored = t.storage == Storage::output || kept_.count(eq->target);
      const Code value = t.dtype != DType::boolean && is_real(t.dtype) ? e_.real(*eq->value) : e_.emit(*eq->value);
      const Type type = is_real(t.dtype) ? Type::real : eq->value->type;
      std::string name = value.text;
      if (t.storage == Storage::temp) {
        const bool plain = e_.replaced.count(eq->value.get()) != 0;
        scalars_[eq->target] = plain ? name : (name = e_.local(scalar_name(*eq), value, type));
      }
      if (!stored) continue;
      if (schedule_.team == Team::warp) k_.open(fmt::format("if ({} == 0) {{", lane_));
      if (schedule_.team == Team::block) k_.open("if (threadIdx.x == 0) {");
      e_.store(eq->target, eq->at, name == value.text ? value : Code{name}, type);
      if (schedule_.team != Team::thread) k_.close();
    }
  }

  // A temporary that never goes to memory lends its name to the local variable.
  std::string scalar_name(const Equation& eq) const {
    const std::string id = source_.identifier(eq.target);
    if (kept_.count(eq.target)) return id + "_of_row";
    k_.allow(id);
    return id;
  }

  std::string accumulator_name(const Equation& eq, const Expr& reduce) const {
    static constexpr const char* words[] = {"sum",   "product", "largest", "smallest",
                                            "place", "place",   "found",   "holds"};
    if (eq.value.get() == &reduce && program_.tensor(eq.target).storage == Storage::temp) return scalar_name(eq);
    return (program_.tensor(eq.target).storage == Storage::temp ? source_.identifier(eq.target) + "_" : "") +
           words[static_cast<int>(reduce.reduce)];
  }

  void reductions(const RowStep& step) {
    for (const auto& pass : step.passes) {
      std::vector<Accumulator> accumulators;
      std::vector<const Expr*> bodies;
      for (const auto& [eq, reduce] : pass.reductions) {
        accumulators.push_back(declare_accumulator(e_, *reduce, accumulator_name(*eq, *reduce)));
        for (const ExprPtr& a : reduce->args) bodies.push_back(a.get());
      }
      loop_over(pass.domain, bodies, {}, [&] {
        for (const Accumulator& a : accumulators) update_accumulator(e_, a);
      });
      for (const Accumulator& a : accumulators) {
        join_team(e_, schedule_.team, a, size_, schedule_.tree);
        e_.replaced[a.node] = a.result();
      }
    }
  }

  // Milakov and Gimelshein 2018: the sum is rescaled whenever a larger value appears, so one pass over the row is
  // enough.
  void online_softmax(const RowStep& step) {
    const Expr &largest = *step.first, &sum = *step.second;
    const std::string t = source_.real(), exp = program_.f64 ? "exp" : "expf", fmax = program_.f64 ? "fmax" : "fmaxf";
    const std::string top = k_.fresh(scalar_name(*step.equations[0])), total = k_.fresh("sum");
    const std::string lowest = program_.f64 ? "-1.7976931348623157e308" : "-3.402823466e38f";
    k_.comment(
        "One pass: when a value above the largest so far appears, what was summed against the old one is scaled down.");
    k_.line(fmt::format("{} {} = {}, {} = {};", t, top, lowest, total, e_.literal(0)));
    loop_over(largest.indices, {largest.args[0].get()}, {}, [&] {
      const std::string v = e_.local("value", e_.real(*largest.args[0]), Type::real);
      k_.open(fmt::format("if ({} > {}) {{", v, top));
      k_.line(fmt::format("{0} = {0} * {1}({2} - {3}) + {4};", total, exp, top, v, e_.literal(1)));
      k_.line(top + " = " + v + ";");
      k_.otherwise();
      k_.line(fmt::format("{} += {}({} - {});", total, exp, v, top));
      k_.close();
    });
    if (schedule_.team != Team::thread) {
      join_fields(source_, schedule_.team, "softmax_state", "Largest value and the sum of exponentials against it",
                  {{t, "top", lowest}, {t, "sum", e_.literal(0)}},
                  fmt::format("    const {0} larger = {1}(top, other_top);\n    sum = sum * {2}(top - larger) + "
                              "other_sum * {2}(other_top - larger);\n    top = larger;\n",
                              t, fmax, exp));
      k_.line(fmt::format("{}_softmax_state({}, {});", schedule_.team == Team::warp ? "warp" : "block", top, total));
    }
    e_.replaced[&largest] = top;
    e_.replaced[&sum] = total;
  }

  // Welford 1962; partial results merge as in Chan, Golub and LeVeque 1983.
  void online_moments(const RowStep& step) {
    const Expr &first = *step.first, &second = *step.second;
    const std::string t = source_.real();
    const std::string mean = k_.fresh(scalar_name(*step.equations[0])), m2 = k_.fresh("squares"), n = k_.fresh("count");
    k_.comment(
        "One pass (Welford): mean and sum of squared deviations are corrected with every value, which avoids the "
        "cancellation of E[x^2] - E[x]^2.");
    k_.line(fmt::format("{0} {1} = {2}, {3} = {2}, {4} = {2};", t, n, e_.literal(0), mean, m2));
    loop_over(first.indices, {first.args[0].get()}, {}, [&] {
      const std::string v = e_.local("value", e_.real(*first.args[0]), Type::real);
      const std::string delta = k_.fresh("delta");
      k_.line(n + " += " + e_.literal(1) + ";");
      k_.line(fmt::format("const {} {} = {} - {};", t, delta, v, mean));
      k_.line(fmt::format("{} += {} / {};", mean, delta, n));
      k_.line(fmt::format("{} += {} * ({} - {});", m2, delta, v, mean));
    });
    if (schedule_.team != Team::thread) {
      join_fields(
          source_, schedule_.team, "moments", "Count, mean and sum of squared deviations",
          {{t, "count", e_.literal(0)}, {t, "mean", e_.literal(0)}, {t, "squares", e_.literal(0)}},
          fmt::format("    const {0} both = count + other_count, delta = other_mean - mean;\n    if (both > {1}) {{\n"
                      "      mean += delta * other_count / both;\n      squares += other_squares + delta * delta * "
                      "count * other_count / both;\n    }}\n    count = both;\n",
                      t, e_.literal(0)));
      k_.line(fmt::format("{}_moments({}, {}, {});", schedule_.team == Team::warp ? "warp" : "block", n, mean, m2));
    }
    e_.replaced[step.equations[0]->value.get()] = mean;
    e_.replaced[&second] = m2;
  }

  void vector_step(const RowStep& step) {
    declare_shared_once();
    std::vector<const Expr*> values;
    for (const Equation* eq : step.equations) values.push_back(eq->value.get());
    loop_over(group_.inner(*step.equations[0]), values, step.equations, [&] {
      for (const Equation* eq : step.equations) {
        const Tensor& t = program_.tensor(eq->target);
        const Code value = is_real(t.dtype) ? e_.real(*eq->value) : e_.emit(*eq->value);
        const Type type = is_real(t.dtype) ? Type::real : eq->value->type;
        const auto place =
            std::find_if(shared_.begin(), shared_.end(), [&](const Place& p) { return p.key == eq->target; });
        if (place != shared_.end())
          k_.line(place->variable + "[" + inner_offset(eq->target, eq->at) + "] = " + value.text + ";");
        else if (const auto it = pack_stores_.find(eq); it != pack_stores_.end())
          k_.line(it->second + " = " + e_.stored(t.dtype, value, type) + ";");
        else
          e_.store(eq->target, eq->at, value, type);
      }
    });
  }

  struct Place {
    std::string key, name;
    ExprPtr size;
    std::string variable;
  };

  Source& source_;
  const Program& program_;
  const Group& group_;
  const RowSchedule& schedule_;
  const std::set<std::string>& kept_;
  Kernel& k_;
  Emitter e_;
  std::vector<RowStep> steps_;
  std::vector<Place> shared_;
  CachedReads cache_;
  std::map<std::string, std::string> scalars_, registers_, packs_;
  std::map<const Equation*, std::string> pack_stores_;
  std::string size_, lane_, stride_, flat_, item_, items_, vec_;
  bool in_cached_loop_ = false, declared_ = false;
};

}  // namespace

bool row_schedule_fits(const Program& program, const Group& group, const RowSchedule& s) {
  const auto steps = row_steps(group, s.online);
  if (s.online &&
      std::none_of(steps.begin(), steps.end(), [](const RowStep& x) { return x.pattern != RowStep::Pattern::none; }))
    return false;
  if (s.cache != RowSchedule::Cache::none) {
    const CachedReads cache = cached_reads(program, group, steps);
    if (cache.reads.empty()) return false;
    const std::int64_t inner = program.estimate(cache.domain);
    if (s.cache == RowSchedule::Cache::registers && (inner > (s.team == Team::warp ? 32 : 256) * 32 || inner < 32))
      return false;
    if (s.cache == RowSchedule::Cache::shared &&
        inner * static_cast<std::int64_t>(cache.reads.size()) * (program.f64 ? 8 : 4) * (s.team == Team::warp ? 4 : 1) >
            40960)
      return false;
  }
  if (s.vectors) {
    bool any = false;
    for (const RowStep& step : steps) any = any || step_vectorizable(program, group, step);
    if (!any) return false;
  }
  return true;
}

void lower_rows(Source& source, const Group& group, const RowSchedule& schedule, const std::set<std::string>& kept,
                const std::string& kernel_name, const std::string& about) {
  Kernel& kernel = source.kernel(kernel_name);
  kernel.about(about);
  RowLowering(source, group, schedule, kept, kernel).run();
}

}  // namespace ww::search
