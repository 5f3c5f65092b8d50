// SPDX-License-Identifier: Apache-2.0
#include "op/checker.h"
#include <algorithm>
#include "base/utf8.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/recurrence.h"
#include "op/unsigned.h"
#include "op/walk.h"

namespace ww::op {

void Checker::error(Span span, std::string message, std::string hint) {
  complete_ = false;
  if (diagnostics_.size() < syntax::max_diagnostics)
    diagnostics_.push_back(diagnostic_at(text_, span, std::move(message), std::move(hint)));
}

std::vector<std::string> Checker::names_of(std::initializer_list<Kind> kinds) const {
  std::vector<std::string> out;
  for (const auto& [name, d] : declared_)
    if (std::find(kinds.begin(), kinds.end(), d.kind) != kinds.end()) out.push_back(name);
  return out;
}

const Param* Checker::tensor(const std::string& name) const { return find_param(*spec_, name); }

bool Checker::declare(const syntax::Name& name, Kind kind) {
  if (const auto what = syntax::reserved_as(name.text); !what.empty()) {
    error(name.span, "'" + name.text + "' is " + std::string(what) + " and cannot be used as a name");
    return false;
  }
  const auto [at, fresh] = declared_.insert({name.text, {kind, name.span}});
  if (!fresh) {
    const Place first = place_of(text_, at->second.span.begin);
    error(name.span, "'" + name.text + "' is declared twice",
          "the first is in line " + std::to_string(first.line) + ", column " + std::to_string(first.column));
  }
  return fresh;
}

bool Checker::run(Spec& spec) {
  spec_ = &spec;
  spec.name = file_.name.text;
  spec.text = text_;
  for (const auto& d : file_.directives) spec.directives.insert(d);
  declarations();
  if (order_equations())
    for (const syntax::Equation* e : ordered_) equation(*e);
  if (complete_) check_steps();
  require_outputs();
  // In order of equations, which is the order of computation.
  std::stable_sort(spec.temporaries.begin(), spec.temporaries.end(), [&](const Param& a, const Param& b) {
    const auto position = [&](const Param& p) { return find_equation(spec, p.name) - spec.equations.data(); };
    return find_equation(spec, a.name) && find_equation(spec, b.name) && position(a) < position(b);
  });
  return complete_;
}

void Checker::declarations() {
  for (const syntax::Param& p : file_.inputs) declare(p.name, Kind::input);
  for (const syntax::Constant& c : file_.constants) declare(c.name, Kind::constant);
  for (const syntax::Param& p : file_.outputs) declare(p.name, Kind::output);
  for (const syntax::Equation& e : file_.equations)
    if (!declared_.count(e.target.text)) declare(e.target, Kind::temporary);
  // Every other name in a shape is a symbol.
  for (const std::vector<syntax::Param>* list : {&file_.inputs, &file_.outputs}) {
    for (const syntax::Param& p : *list) {
      for (const ExprPtr& dim : p.shape) {
        for_each(*dim, [&](const Expr& e) {
          if (e.kind != ExprKind::name || declared_.count(e.name)) return;
          if (declare({e.name, e.span}, Kind::symbol)) spec_->symbols.push_back(e.name);
        });
      }
    }
  }
  constants();
  for (const syntax::Param& p : file_.inputs) read_param(p, spec_->inputs, false);
  for (const syntax::Param& p : file_.outputs) read_param(p, spec_->outputs, true);
  defaults();
  if (complete_)
    if (const auto wrong = out_of_range(*spec_, {})) error(wrong->constant->value->span, wrong->message);
  where_ = Where::equation;
}

void Checker::constants() {
  where_ = Where::constant;
  std::set<std::string> done;
  for (const syntax::Constant& c : file_.constants) {
    const auto declared = declared_.find(c.name.text);
    if (declared == declared_.end()) continue;  // a reserved word: reported
    Declared& d = declared->second;
    bool order = true;
    const auto refers = [&](const Expr& e) {
      const auto other = declared_.find(e.name);
      if (e.kind != ExprKind::name || other == declared_.end() || other->second.kind != Kind::constant ||
          done.count(e.name))
        return;
      error(e.span,
            e.name == c.name.text ? "the constant '" + e.name + "' refers to itself"
                                  : "the constant '" + e.name + "' is declared later",
            "a constant may use those before it");
      order = false;
    };
    for (const ExprPtr& part : {c.value, c.lo, c.hi})
      if (part) for_each(*part, refers);
    const ExprPtr value = order ? expr(c.value) : nullptr;
    done.insert(c.name.text);
    d.known = value != nullptr;
    if (!value) continue;
    if (value->is_u64) {
      error(value->span, "a constant is at most 2^63 - 1", "write the number where it is used");
      d.known = false;
      continue;
    }
    d.type = value->type;
    Constant constant{c.name.text, value, value->type, nullptr, nullptr};
    if (c.lo) read_range(c, constant);
    spec_->constants.push_back(std::move(constant));
  }
}

void Checker::read_range(const syntax::Constant& raw, Constant& c) {
  if (c.type == Type::boolean)
    return error(raw.lo->span, "the constant '" + c.name + "' is true or false and takes no range");
  c.lo = expr(raw.lo);
  if (raw.hi) c.hi = expr(raw.hi);
  bool ok = c.lo && (!raw.hi || c.hi);
  for (const ExprPtr& bound : {c.lo, c.hi}) {
    if (bound && c.type == Type::integer && bound->type != Type::integer) {
      error(bound->span, "the range of '" + c.name + "' must be given in integers");
      ok = false;
    } else if (bound && !number(*bound, "a range")) {
      ok = false;
    }
  }
  if (!ok) c.lo = c.hi = nullptr;
}

void Checker::read_param(const syntax::Param& raw, std::vector<Param>& out, bool output) {
  Param p;
  p.name = raw.name.text;
  p.span = raw.span;
  bool ok = true;
  if (const auto dtype = dtype_from_name(raw.dtype.text)) {
    p.dtype = *dtype;
  } else {
    std::vector<std::string> names;
    for (const DType d : all_dtypes) names.emplace_back(dtype_name(d));
    std::string hint = did_you_mean(raw.dtype.text, names);
    for (const auto& [foreign, ours] : {std::pair{"float", "f32"},
                                        {"double", "f64"},
                                        {"half", "f16"},
                                        {"int", "i32"},
                                        {"long", "i64"},
                                        {"float32", "f32"},
                                        {"float16", "f16"},
                                        {"bfloat16", "bf16"},
                                        {"int32", "i32"},
                                        {"int64", "i64"},
                                        {"int8", "i8"},
                                        {"uint8", "u8"},
                                        {"uint16", "u16"},
                                        {"uint32", "u32"},
                                        {"uint64", "u64"},
                                        {"fp8", "e4m3"},
                                        {"float8_e4m3fn", "e4m3"},
                                        {"float8_e5m2", "e5m2"}})
      if (raw.dtype.text == foreign) hint = "did you mean '" + std::string(ours) + "'?";
    error(raw.dtype.span, "'" + raw.dtype.text + "' is not an element type (" + std::string(dtype_list) + ")", hint);
    ok = false;
  }
  where_ = Where::shape;
  for (const ExprPtr& dim : raw.shape) {
    ExprPtr e = integer_expr(dim, "a dimension of '" + p.name + "'");
    std::int64_t v = 0;
    if (e && integer_value(*e, &v) && v < 0) {
      error(e->span, "a dimension of '" + p.name + "' is negative");
      e = nullptr;
    }
    ok = ok && e;
    p.shape.push_back(std::move(e));
  }
  ok = read_domain(raw, p, output) && ok;
  ok = read_rules(raw, p, output) && ok;
  if (!ok) {
    if (const auto d = declared_.find(p.name); d != declared_.end()) d->second.known = false;
    return;
  }
  if (find_param(*spec_, p.name)) return;  // declared twice: reported
  out.push_back(std::move(p));
}

bool Checker::read_domain(const syntax::Param& raw, Param& p, bool output) {
  if (!raw.lo) return true;
  where_ = Where::domain;
  if (output) {
    error(raw.lo->span, "the output '" + p.name + "' takes no domain", "only inputs are drawn");
    return false;
  }
  bool ok = true;
  p.lo = expr(raw.lo);
  p.hi = expr(raw.hi);
  for (const ExprPtr& bound : {p.lo, p.hi}) {
    if (bound && is_integer(p.dtype) && bound->type != Type::integer) {
      error(bound->span, "the domain of '" + p.name + "' must be given in integers");
      ok = false;
    } else if (bound && !number(*bound, "a domain")) {
      ok = false;
    }
  }
  if (p.dtype == DType::boolean) {
    error(raw.lo->span, "a bool tensor takes no domain");
    ok = false;
  }
  return ok && p.lo && p.hi;
}

// Whether the rules fit the tensor and each other; a permutation's domain is set.
bool Checker::read_rules(const syntax::Param& raw, Param& p, bool output) {
  for (const syntax::Name& word : raw.rules) {
    const auto refuse = [&](std::string why, std::string hint = {}) {
      error(word.span, std::move(why), std::move(hint));
      return false;
    };
    const std::string rule = "'" + word.text + "'";
    bool& stated = p.rules.*rule_of(word.text);
    if (output) return refuse("the output '" + p.name + "' takes no " + rule, "only inputs are drawn");
    if (stated) return refuse(rule + " is given twice for '" + p.name + "'");
    if (p.dtype == DType::boolean) return refuse("a bool tensor takes no " + rule);
    stated = true;
    if (word.text == "positive" && p.lo)
      return refuse("'" + p.name + "' has a domain and takes no 'positive'", "let the domain begin above 0");
    if (word.text != "positive" && raw.shape.empty())
      return refuse("'" + p.name + "' is a scalar, and " + rule + " is said of the elements of a row");
    if (word.text == "permutation" && !is_integer(p.dtype))
      return refuse("a permutation holds integers, and '" + p.name + "' is of " + std::string(dtype_name(p.dtype)),
                    "declare it i32");
    if (p.rules.permutation && (p.lo || p.rules.positive || p.rules.distinct))
      return refuse("'" + p.name + "' is a permutation, which says already that it holds 0 to n-1, each once");
  }
  if (p.rules.permutation && !p.shape.empty() && p.shape.back()) {
    p.rules.distinct = true;
    p.lo = integer_literal(0);
    p.hi = p.shape.back();
  }
  return true;
}

void Checker::defaults() {
  for (const syntax::Default& d : file_.defaults) {
    if (std::find(spec_->symbols.begin(), spec_->symbols.end(), d.name.text) == spec_->symbols.end()) {
      const bool constant = declared_.count(d.name.text) && declared_.at(d.name.text).kind == Kind::constant;
      error(d.name.span, "'" + d.name.text + "' is not a shape symbol",
            constant ? "a constant has its value where it is declared" : did_you_mean(d.name.text, spec_->symbols));
    } else if (d.value < 1) {
      error(d.name.span, "the default of '" + d.name.text + "' is " + std::to_string(d.value), "a size is at least 1");
    } else if (!spec_->defaults.insert({d.name.text, d.value}).second) {
      error(d.name.span, "the default of '" + d.name.text + "' is given twice");
    }
  }
}

// Text order, but each equation after those that it reads.
bool Checker::order_equations() {
  std::map<std::string, const syntax::Equation*> by_target;
  std::vector<const syntax::Equation*> waiting;
  for (const syntax::Equation& e : file_.equations) {
    const auto d = declared_.find(e.target.text);
    if (d == declared_.end()) continue;  // a reserved word: reported
    if (d->second.kind != Kind::output && d->second.kind != Kind::temporary) {
      const char* what = d->second.kind == Kind::input    ? "an input"
                         : d->second.kind == Kind::symbol ? "a shape symbol"
                                                          : "a constant";
      error(e.target.span, "'" + e.target.text + "' is " + what + " and cannot be assigned");
      continue;
    }
    if (!by_target.insert({e.target.text, &e}).second) {
      error(e.target.span, "'" + e.target.text + "' has a second equation",
            "every tensor has one equation; use if(…) for cases and sum(…) for totals");
      continue;
    }
    waiting.push_back(&e);
  }
  const auto reads = [](const syntax::Equation& e) {
    std::vector<std::pair<std::string, Span>> out;
    const auto visit = [&](const Expr& x) {
      if (x.kind == ExprKind::access || x.kind == ExprKind::name) out.emplace_back(x.name, x.span);
    };
    if (e.value) for_each(*e.value, visit);
    return out;
  };
  std::set<std::string> done;
  while (!waiting.empty()) {
    const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](const syntax::Equation* e) {
      for (const auto& [name, span] : reads(*e))
        if (by_target.count(name) && !done.count(name)) return false;
      return true;
    });
    if (ready != waiting.end()) {
      done.insert((*ready)->target.text);
      ordered_.push_back(*ready);
      waiting.erase(ready);
      continue;
    }
    if (!order_cycle(waiting, done)) return false;
  }
  return true;
}

// Takes a recurrence off the equations that wait. False when they need one another in another way, which is reported.
bool Checker::order_cycle(std::vector<const syntax::Equation*>& waiting, std::set<std::string>& done) {
  std::vector<RecurrenceMember> all, members;
  for (const syntax::Equation* e : waiting) {
    if (!e->value) return false;  // its error is reported
    all.push_back({&e->target.text, &e->indices, e->value.get()});
  }
  const std::vector<std::size_t> cycle = components_of(all).front();  // reads nothing else that waits
  for (const std::size_t i : cycle) members.push_back(all[i]);
  const auto found = recurrence_of(members);
  if (const auto* r = std::get_if<Recurrence>(&found)) {
    for (const std::size_t m : r->members) {
      const syntax::Equation* e = waiting[cycle[m]];
      ordered_.push_back(e);
      done.insert(e->target.text);
      if (declared_.at(e->target.text).kind == Kind::temporary) pending_[e->target.text] = e->indices.size();
    }
    std::erase_if(waiting, [&](const syntax::Equation* e) { return done.count(e->target.text) != 0; });
    return true;
  }
  const NoRecurrence& no = std::get<NoRecurrence>(found);
  std::string names;
  for (std::size_t i = 0; i < members.size(); ++i)
    names += (i == 0 ? "'" : i + 1 < members.size() ? ", '" : " and '") + *members[i].target + "'";
  const bool one = members.size() == 1;
  switch (no.reason) {
    case NoRecurrence::Reason::no_step:
      error(no.span, one ? names + " is defined by itself" : names + " are needed to compute one another",
            "a recurrence reads an earlier step, the same in every such read: h[t] = a[t] * pad(h[t - 1], 0) + x[t]; a "
            "running total is sum(j in 0..i+1) x[j]");
      break;
    case NoRecurrence::Reason::both_ways:
      error(no.span, names + (one ? " needs" : " need") + " earlier steps and later ones",
            "a recurrence goes one way: it reads t - 1, t - 2, … or t + 1, t + 2, …");
      break;
    case NoRecurrence::Reason::unguarded: {
      const std::string_view read = text_.substr(no.span.begin, no.span.end - no.span.begin);
      error(no.span, "the first step has no " + std::string(read),
            "write pad(" + std::string(read) + ", 0), or a case of its own: if(t == 0, …, …)");
      break;
    }
  }
  return false;
}

// The steps of a recurrence are the same ones for all of its equations.
void Checker::check_steps() {
  for (const Recurrence& r : recurrences_of(*spec_)) {
    const Equation& first = spec_->equations[r.members[0]];
    const Index& steps = first.indices[r.carried[0]];
    for (std::size_t m = 0; m < r.members.size(); ++m) {
      const Equation& e = spec_->equations[r.members[m]];
      const Index& own = e.indices[r.carried[m]];
      if (same_integer(*own.lo, *steps.lo) && same_integer(*own.hi, *steps.hi)) continue;
      error(own.span,
            "'" + e.target + "' has " + print(*own.hi) + " steps, and '" + first.target + "', which it needs, has " +
                print(*steps.hi),
            "a recurrence goes through the same steps in all of its equations");
      return;
    }
  }
}

void Checker::left_side(const syntax::Equation& raw, const Param* output) {
  where_ = Where::left_side;
  for (std::size_t i = 0; i < raw.indices.size(); ++i) {
    const Index& index = raw.indices[i];
    begin_index(index);
    ActiveIndex& a = active_.back();
    if (!output || i >= output->shape.size()) continue;
    a.uses.push_back({output->shape[i], output->name, i, index.span});
    if (!index.given || !a.index.lo || !a.index.hi) continue;
    if (!same_integer(*a.index.lo, *integer_literal(0)) || !same_integer(*a.index.hi, *output->shape[i])) {
      error(index.span,
            "index '" + index.name + "' must cover dimension " + std::to_string(i) + " of '" + output->name +
                "', which is 0.." + print(*output->shape[i]),
            "leave the range out");
    }
  }
  where_ = Where::equation;
}

void Checker::equation(const syntax::Equation& raw) {
  const auto declared = declared_.find(raw.target.text);
  if (declared == declared_.end()) {  // a reserved word: reported
    complete_ = false;
    return;
  }
  Declared& d = declared->second;
  if (raw.broken || !d.known) {
    d.known = false;
    complete_ = false;
    if (!raw.value) return;
  }
  const std::size_t before = diagnostics_.size();
  const Param* output = d.kind == Kind::output ? tensor(raw.target.text) : nullptr;
  if (output && output->shape.size() != raw.indices.size()) {
    error({raw.span.begin, raw.indices.empty() ? raw.target.span.end : raw.indices.back().span.end},
          "'" + output->name + "' has " + std::to_string(output->shape.size()) +
              (output->shape.size() == 1 ? " dimension" : " dimensions") + ", and its equation has " +
              std::to_string(raw.indices.size()) + (raw.indices.size() == 1 ? " index" : " indices"));
  }
  active_.clear();
  left_side(raw, output);
  ExprPtr value = expr(raw.value);
  bool ok = value != nullptr && d.known && diagnostics_.size() == before;
  Equation e;
  e.target = raw.target.text;
  e.span = raw.span;
  for (ActiveIndex& a : active_) {
    if (ok) ok = infer(a) && ok;
    if (ok && d.kind == Kind::temporary && !same_integer(*a.index.lo, *integer_literal(0))) {
      error(a.index.span, "the index '" + a.index.name + "' of a tensor must start at 0", "shift it on the right side");
      ok = false;
    }
    e.indices.push_back(a.index);
  }
  active_.clear();
  if (ok && output) {
    const Type want = type_of(output->dtype);
    if ((want == Type::boolean) != (value->type == Type::boolean) ||
        (want == Type::integer && value->type == Type::real)) {
      error(value->span,
            "'" + output->name + "' is " + std::string(dtype_name(output->dtype)) + ", but this value is " +
                std::string(type_name(value->type)),
            want == Type::integer && value->type == Type::real
                ? "write " + std::string(dtype_name(output->dtype)) + "(…) to cut it to a whole number"
            : value->type == Type::boolean ? "turn it into a number: if(…, 1, 0)"
                                           : "compare it: … != 0");
      ok = false;
    }
  }
  if (!ok) {
    d.known = false;
    complete_ = false;
    return;
  }
  if (pending_.erase(e.target) != 0 && value->type != Type::real) {
    carries_reals(value->span, e.target);
    complete_ = d.known = false;
    return;
  }
  if (output && is_real(output->dtype) && value->is_u64) value = real_of_u64(value);
  if (d.kind == Kind::temporary) {
    Param p;
    p.name = e.target;
    p.span = raw.target.span;
    p.dtype = value->type == Type::real      ? DType::f64
              : value->type == Type::boolean ? DType::boolean
              : value->is_u64                ? DType::u64
                                             : DType::i64;
    for (const Index& i : e.indices) p.shape.push_back(i.hi);
    spec_->temporaries.push_back(std::move(p));
  }
  e.value = std::move(value);
  e.value = pads_spelled_out(*spec_, e);
  spec_->equations.push_back(std::move(e));
}

void Checker::require_outputs() {
  for (const syntax::Param& p : file_.outputs) {
    const bool given = std::any_of(file_.equations.begin(), file_.equations.end(),
                                   [&](const syntax::Equation& e) { return e.target.text == p.name.text; });
    if (given) continue;
    std::vector<std::string> targets;
    for (const std::string& t : names_of({Kind::temporary})) targets.push_back(t);
    const std::string near = nearest_name(p.name.text, targets);
    error(p.name.span, "the output '" + p.name.text + "' has no equation",
          near.empty() ? "" : "there is an equation for '" + near + "'");
  }
}

ParseOutcome parse(std::string_view text) {
  ParseOutcome out;
  if (const auto mark = byte_order_mark(text)) {
    out.diagnostics.push_back(*mark);
    return out;
  }
  if (const auto bad = bad_utf8(text)) {  // nor could a worker be sent it
    out.diagnostics.push_back(diagnostic_at(text, {*bad, *bad + 1}, "this byte is not UTF-8 text", "save it as UTF-8"));
    return out;
  }
  syntax::Parsed parsed = syntax::read(text);
  out.diagnostics = std::move(parsed.diagnostics);
  Spec spec;
  bool complete = false;
  // With an unreadable header every name would be reported again.
  if (parsed.file.header_read) complete = Checker(text, parsed.file, out.diagnostics).run(spec);
  std::stable_sort(out.diagnostics.begin(), out.diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  if (out.diagnostics.empty() && complete) out.spec = std::move(spec);
  if (!out.spec && out.diagnostics.empty())
    out.diagnostics.push_back(diagnostic_at(text, {0, 1}, "the spec could not be read"));
  return out;
}

Result<Spec> parse_spec(std::string_view text, std::string_view name) {
  ParseOutcome out = parse(text);
  if (out.spec) return std::move(*out.spec);
  return fail(parse_error(out.diagnostics, text, name));
}

}  // namespace ww::op
