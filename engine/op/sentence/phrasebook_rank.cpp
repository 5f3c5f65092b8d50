// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/phrasebook_rank.h"
#include <algorithm>
#include <set>
#include "base/ascii.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op::phrases {
namespace {

bool is_symbol(const Expr& e, const std::string& name) {
  return e.kind == ExprKind::name && e.role == Role::symbol && e.name == name;
}

bool is_whole_range(const Index& i, const std::string& symbol) {
  std::int64_t lo = -1;
  return i.lo && i.hi && is_symbol(*i.hi, symbol) && integer_value(*i.lo, &lo) && lo == 0;
}

class Spreader {
 public:
  Spreader(const Spec& spec, std::size_t rank, std::size_t axis) : spec_(spec), axis_(axis) {
    spread_ = directive(spec, "spread");
    moved_ = directive(spec, "axis");
    for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries})
      for (const Param& p : *list) taken_.insert(p.name);
    for (const Constant& c : spec.constants) taken_.insert(c.name);
    for (const std::string& s : spec.symbols) taken_.insert(s);
    const std::size_t count = rank + 1 - spec.inputs[0].shape.size();
    for (std::size_t i = 0; i < count; ++i)
      symbols_.push_back(count == 1 ? spread_ : fresh(spread_ + std::to_string(i)));
  }

  Result<Spec> run() {
    Spec out = spec_;
    for (std::vector<Param>* list : {&out.inputs, &out.outputs})
      for (Param& p : *list) {
        p.shape = shape(p.shape);
        if (p.lo) p.lo = expr(p.lo);
        if (p.hi) p.hi = expr(p.hi);
      }
    for (Constant& c : out.constants) c.value = expr(c.value);
    for (Equation& e : out.equations) {
      spread_indices_.clear();
      e.indices = places(find_param(spec_, e.target)->shape, e.indices);
      e.value = expr(e.value);
    }
    if (!problem_.empty())
      return fail(Code::unsupported,
                  "the op '" + spec_.name + "' cannot take another number of dimensions: " + problem_);
    return out;
  }
  const std::vector<std::string>& symbols() const { return symbols_; }

 private:
  std::string fresh(std::string name) {
    while (!taken_.insert(name).second) name += "_";
    return name;
  }

  // The dimension list of a tensor, spread.
  std::vector<ExprPtr> shape(const std::vector<ExprPtr>& dims) {
    return spread(
        dims, dims, [&](std::size_t i, const ExprPtr&) { return name_of(symbols_[i], Role::symbol); },
        [&](const ExprPtr& e) { return expr(e); });
  }

  // One entry per dimension of `shape`: `entries` with the entry of the spread dimension replaced by one per symbol,
  // and the entry of the axis at its position among them.
  template <class T, class Make, class Keep>
  std::vector<T> spread(const std::vector<ExprPtr>& shape, const std::vector<T>& entries, const Make& make,
                        const Keep& keep) {
    std::vector<T> out;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (!is_symbol(*shape[k], spread_)) {
        out.push_back(keep(entries[k]));
        continue;
      }
      const bool with_axis = !moved_.empty() && k + 1 < shape.size() && is_symbol(*shape[k + 1], moved_);
      for (std::size_t i = 0; i < symbols_.size(); ++i) {
        if (with_axis && i == axis_) out.push_back(keep(entries[k + 1]));
        out.push_back(make(i, entries[k]));
      }
      if (with_axis) {
        if (axis_ >= symbols_.size()) out.push_back(keep(entries[k + 1]));
        ++k;
      }
    }
    return out;
  }

  std::vector<Index> indices_for(const Index& i) {
    std::vector<Index> out;
    spread_indices_.insert(i.name);
    for (std::size_t n = 0; n < symbols_.size(); ++n) {
      Index one = i;
      one.name = index_name(i.name, n);
      one.lo = integer_literal(0);
      one.hi = name_of(symbols_[n], Role::symbol);
      out.push_back(std::move(one));
    }
    return out;
  }
  std::string index_name(const std::string& base, std::size_t n) const {
    if (symbols_.size() == 1) return base;
    std::string name = base + std::to_string(n);
    while (taken_.count(name)) name += "_";
    return name;
  }

  std::vector<Index> places(const std::vector<ExprPtr>& shape, const std::vector<Index>& given) {
    std::map<std::string, std::vector<Index>> made;
    for (const Index& i : given)
      if (is_whole_range(i, spread_)) made[i.name] = indices_for(i);
    return spread(
        shape, given,
        [&](std::size_t i, const Index& from) {
          const auto found = made.find(from.name);
          if (found == made.end()) {
            problem_ = "the index '" + from.name + "' has a range of its own";
            return from;
          }
          return found->second[i];
        },
        [&](const Index& i) { return ranged(i); });
  }

  Index ranged(Index i) {
    if (i.lo) i.lo = expr(i.lo);
    if (i.hi) i.hi = expr(i.hi);
    return i;
  }

  ExprPtr expr(const ExprPtr& e) {
    switch (e->kind) {
      case ExprKind::name:
        if (is_symbol(*e, spread_)) return product();
        if (e->role == Role::index && spread_indices_.count(e->name) && symbols_.size() != 1)
          problem_ = "'" + e->name + "' is used as a number";
        return e;
      case ExprKind::access: {
        auto copy = std::make_shared<Expr>(*e);
        copy->args = spread(
            find_param(spec_, e->name)->shape, e->args,
            [&](std::size_t i, const ExprPtr& from) -> ExprPtr {
              if (from->kind == ExprKind::name && from->role == Role::index && spread_indices_.count(from->name))
                return name_of(index_name(from->name, i), Role::index);
              if (symbols_.size() != 1) problem_ = "a subscript is not a plain index";
              return expr(from);
            },
            [&](const ExprPtr& a) { return expr(a); });
        return copy;
      }
      case ExprKind::reduce: {
        auto copy = std::make_shared<Expr>(*e);
        copy->indices.clear();
        const std::set<std::string> outer = spread_indices_;
        for (const Index& i : e->indices) {
          if (is_whole_range(i, spread_)) {
            for (Index& one : indices_for(i)) copy->indices.push_back(std::move(one));
          } else {
            copy->indices.push_back(ranged(i));
          }
        }
        if (copy->indices.empty()) problem_ = "nothing would be left to reduce over";
        for (ExprPtr& a : copy->args) a = expr(a);
        spread_indices_ = outer;
        return copy;
      }
      default: {
        if (e->args.empty()) return e;
        auto copy = std::make_shared<Expr>(*e);
        for (ExprPtr& a : copy->args) a = expr(a);
        return copy;
      }
    }
  }

  ExprPtr product() const {
    if (symbols_.empty()) return integer_literal(1);
    ExprPtr out = name_of(symbols_[0], Role::symbol);
    for (std::size_t i = 1; i < symbols_.size(); ++i)
      out = binary_of(BinaryOp::mul, out, name_of(symbols_[i], Role::symbol));
    return out;
  }

  const Spec& spec_;
  std::size_t axis_;
  std::string spread_, moved_;
  std::vector<std::string> symbols_;
  std::set<std::string> taken_, spread_indices_;
  std::string problem_;
};

// Exchanges the names of two indices throughout.
void swap_indices(Spec& spec, const std::string& a, const std::string& b) {
  const auto swapped = [&](const std::string& name) { return name == a ? b : name == b ? a : name; };
  const std::function<ExprPtr(const ExprPtr&)> change = [&](const ExprPtr& e) -> ExprPtr {
    auto copy = std::make_shared<Expr>(*e);
    if (copy->kind == ExprKind::name && copy->role == Role::index) copy->name = swapped(copy->name);
    for (Index& i : copy->indices) {
      i.name = swapped(i.name);
      i.lo = change(i.lo);
      i.hi = change(i.hi);
    }
    for (ExprPtr& x : copy->args) x = change(x);
    return copy;
  };
  for (Equation& e : spec.equations) {
    for (Index& i : e.indices) {
      i.name = swapped(i.name);
      i.lo = change(i.lo);
      i.hi = change(i.hi);
    }
    e.value = change(e.value);
  }
}

Result<Spec> swap_symbols(const Spec& spec, const std::string& a, const std::string& b) {
  std::map<std::string, ExprPtr> names = {{a, name_of(b, Role::symbol)}, {b, name_of(a, Role::symbol)}};
  Spec out = spec;
  for (std::vector<Param>* list : {&out.inputs, &out.outputs})
    for (Param& p : *list) {
      for (ExprPtr& d : p.shape) d = substitute(d, names);
      if (p.lo) p.lo = substitute(p.lo, names);
      if (p.hi) p.hi = substitute(p.hi, names);
    }
  for (Equation& e : out.equations) {
    for (Index& i : e.indices) {
      i.lo = substitute(i.lo, names);
      i.hi = substitute(i.hi, names);
    }
    e.value = substitute(e.value, names);
  }
  for (std::string& s : out.symbols) s = s == a ? b : s == b ? a : s;
  return out;
}

}  // namespace

std::string directive(const Spec& spec, const std::string& key) {
  const auto found = spec.directives.find(key);
  return found == spec.directives.end() ? std::string() : found->second;
}
bool spreads(const Spec& spec) { return !directive(spec, "spread").empty(); }
bool has_axis(const Spec& spec) { return !directive(spec, "axis").empty(); }

Result<Spec> at_shape(const Spec& spec, const std::vector<std::int64_t>& dims, std::optional<std::size_t> axis) {
  if (!spreads(spec) || spec.inputs.empty())
    return fail(Code::unsupported, "the op '" + spec.name + "' has a fixed number of dimensions");
  const std::size_t least = spec.inputs[0].shape.size() - 1, rank = dims.size();
  if (rank < std::max<std::size_t>(least, 1) || rank > 8)
    return fail(Code::invalid_argument,
                "the op '" + spec.name + "' takes 1 to 8 dimensions, not " + std::to_string(rank));
  const std::size_t at = axis.value_or(rank - 1);
  if (at >= rank)
    return fail(Code::invalid_argument,
                "there is no dimension " + std::to_string(at) + " in a tensor of " + std::to_string(rank));
  if (at != rank - 1 && !has_axis(spec))
    return fail(Code::unsupported, "the op '" + spec.name + "' works along the last dimension only");

  Spec out = spec;
  if (rank != 2 || at != 1) {
    Spreader spreader(spec, rank, at);
    auto spread = spreader.run();
    if (!spread) return spread;
    out = std::move(*spread);
    const std::string r = directive(spec, "spread"), c = directive(spec, "axis");
    out.symbols.clear();
    for (const ExprPtr& d : out.inputs[0].shape)
      if (d->kind == ExprKind::name) out.symbols.push_back(d->name);
    if (rank == 2) {  // [C, R] reads badly: keeps R for rows and C for columns, and their indices
      auto swapped = swap_symbols(out, r, c);
      if (!swapped) return swapped;
      out = std::move(*swapped);
      swap_indices(out, ascii_lower(r), ascii_lower(c));
    }
    if (at != rank - 1) out.name += "_axis" + std::to_string(at);
    std::erase_if(out.directives, [](const auto& d) { return d.first != "summary" && d.first != "family"; });
    out.temporaries.clear();
  }
  out.defaults.clear();
  for (std::size_t i = 0; i < rank; ++i) {
    if (out.inputs[0].shape[i]->kind != ExprKind::name)
      return fail(Code::internal, "the op '" + spec.name + "' has a first input whose dimensions are not symbols");
    out.defaults[out.inputs[0].shape[i]->name] = dims[i];
  }
  return parse_spec(print(out), out.name);
}

}  // namespace ww::op::phrases
