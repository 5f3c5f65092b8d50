// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <map>
#include <set>
#include "candidate/candidate.h"
#include "candidate/directives.h"
#include "op/names.h"
#include "op/walk.h"

namespace ww::candidate {
namespace {

enum class Kind { input, output, temp, symbol, integer_constant, real_constant, tuned };

bool is_tensor(Kind k) { return k <= Kind::temp; }
std::string_view kind_name(Kind k) {
  switch (k) {
    case Kind::input: return "an input";
    case Kind::output: return "an output";
    case Kind::temp: return "a temporary";
    case Kind::symbol: return "a shape symbol";
    case Kind::integer_constant: return "an integer constant";
    case Kind::real_constant: return "a real constant";
    case Kind::tuned: return "a tuned name";
  }
  return "";
}

class Checker {
 public:
  Checker(const Candidate& candidate, const op::Spec& spec) : c_(candidate), spec_(spec) {}

  Status check() {
    if (c_.op != spec_.name)
      return refuse(fmt::format("the candidate is for '{}', the op is '{}'", c_.op, spec_.name), "candidate");
    for (const op::Param& p : spec_.inputs) known_[p.name] = Kind::input;
    for (const op::Param& p : spec_.outputs) known_[p.name] = Kind::output;
    for (const std::string& s : spec_.symbols) known_[s] = Kind::symbol;
    for (const op::Constant& k : spec_.constants)
      known_[k.name] = k.type == op::Type::integer ? Kind::integer_constant : Kind::real_constant;
    for (const Temp& t : c_.temps)
      if (auto s = declare(t.name, Kind::temp); !s) return s;
    for (const TuneAxis& t : c_.tune)
      if (auto s = declare(t.name, Kind::tuned); !s) return s;
    for (const Temp& t : c_.temps)
      for (const op::ExprPtr& d : t.shape)
        if (auto s = integers(*d, fmt::format("the shape of '{}'", t.name), "temp"); !s) return s;
    for (const op::ExprPtr& r : c_.requires_)
      if (auto s = integers(*r, "a condition", "require"); !s) return s;
    for (const std::string& z : c_.zeroed)
      if (auto s = zeroed(z); !s) return s;
    for (const Launch& l : c_.launches)
      if (auto s = launch(l); !s) return s;
    for (const op::Param& p : spec_.outputs)
      if (!passed_.contains(p.name))
        return refuse(
            fmt::format("no launch has the output '{}' as an argument; a kernel that overwrites an input needs "
                        "a parameter of its own for its output",
                        p.name),
            "launch");
    for (const std::string& input : op::inputs_read(spec_))
      if (!passed_.contains(input))
        return refuse(fmt::format("no launch has the input '{}' as an argument, although the op's outputs are "
                                  "computed from it",
                                  input),
                      "launch");
    return {};
  }

 private:
  // The cause shows the first directive of that kind, or the launch in question, as the parser's diagnostics do.
  Status refuse(std::string message, std::string_view directive, std::string hint = {}) const {
    const auto at = first_directive(c_.text, directive);
    const Span first{0, std::min(c_.text.find('\n'), c_.text.size())};
    return refuse_at(at ? at->span : first, std::move(message), std::move(hint));
  }
  Status refuse_at(Span span, std::string message, std::string hint = {}) const {
    const Diagnostic d = diagnostic_at(c_.text, span, message, std::move(hint));
    return fail(Code::invalid_argument, std::move(message), render(d, c_.text, "candidate"));
  }

  Status declare(const std::string& name, Kind kind) {
    const auto [at, fresh] = known_.emplace(name, kind);
    if (fresh) return {};
    return refuse(
        fmt::format("the name '{}' of {} is already {} of the op", name, kind_name(kind), kind_name(at->second)),
        kind == Kind::temp ? "temp" : "tune", "choose another name");
  }

  std::string suggestion(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [n, kind] : known_) names.push_back(n);
    return op::did_you_mean(name, names);
  }

  // "R, C and TILE", not the kernel's parameters.
  std::string integers() const {
    std::string out;
    for (const auto& [name, kind] : known_)
      if (!is_tensor(kind) && kind != Kind::real_constant) out += (out.empty() ? "" : ", ") + name;
    return (out.empty() ? "numbers" : "the op's sizes and its own tuned values (" + out + ")") +
           ", not the kernel's parameters";
  }

  // First name that is not an integer, said in a sentence; empty: all are.
  std::string wrong_name(const op::Expr& e, std::string& hint) const {
    if (e.kind == op::ExprKind::name) {
      const auto at = known_.find(e.name);
      if (at == known_.end()) {
        hint = suggestion(e.name);
        if (hint.empty()) hint = "a plan may use " + integers();
        return fmt::format("'{}' is unknown", e.name);
      }
      if (is_tensor(at->second) || at->second == Kind::real_constant)
        return fmt::format("'{}' is {}, not an integer", e.name, kind_name(at->second));
    }
    for (const op::ExprPtr& a : e.args)
      if (a)
        if (std::string w = wrong_name(*a, hint); !w.empty()) return w;
    return {};
  }
  Status integers(const op::Expr& e, const std::string& where, std::string_view directive) const {
    std::string hint;
    const std::string wrong = wrong_name(e, hint);
    return wrong.empty() ? Status{} : refuse(fmt::format("{}: {}", where, wrong), directive, hint);
  }

  Status zeroed(const std::string& name) const {
    const auto at = known_.find(name);
    if (at == known_.end()) return refuse(fmt::format("zero: '{}' is unknown", name), "zero", suggestion(name));
    if (at->second == Kind::input)
      return refuse(fmt::format("zero: '{}' is an input, which a candidate must not change", name), "zero");
    if (!is_tensor(at->second))
      return refuse(fmt::format("zero: '{}' is {}, not a tensor", name, kind_name(at->second)), "zero");
    return {};
  }

  Status launch(const Launch& l) {
    std::string hint;
    for (const auto* dims : {&l.grid, &l.block, &l.cluster})
      for (const op::ExprPtr& d : *dims)
        if (d)
          if (std::string w = wrong_name(*d, hint); !w.empty())
            return refuse_at(l.span, fmt::format("the launch of '{}': {}", l.kernel, w), hint);
    if (l.shared)
      if (std::string w = wrong_name(*l.shared, hint); !w.empty())
        return refuse_at(l.span, fmt::format("shared of '{}': {}", l.kernel, w), hint);
    if (l.carveout)
      if (std::string w = wrong_name(*l.carveout, hint); !w.empty())
        return refuse_at(l.span, fmt::format("carveout of '{}': {}", l.kernel, w), hint);
    for (std::size_t i = 0; i < l.args.size(); ++i) {
      const op::Expr& e = *l.args[i];
      if (e.kind == op::ExprKind::name) {
        const auto at = known_.find(e.name);
        if (at != known_.end()) {
          if (is_tensor(at->second)) passed_.insert(e.name);
          continue;
        }
      }
      if (std::string w = wrong_name(e, hint); !w.empty())
        return refuse_at(l.span, fmt::format("argument {} of '{}': {}", i + 1, l.kernel, w), hint);
    }
    return {};
  }

  const Candidate& c_;
  const op::Spec& spec_;
  std::map<std::string, Kind> known_;
  std::set<std::string> passed_;
};

}  // namespace

Status check_contract(const Candidate& candidate, const op::Spec& spec) { return Checker(candidate, spec).check(); }

}  // namespace ww::candidate
