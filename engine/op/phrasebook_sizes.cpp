// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include "op/parse.h"
#include "op/phrasebook_build.h"
#include "op/phrasebook_rank.h"

namespace ww::op::phrases {

std::string bindings_text(const std::map<std::string, std::int64_t>& symbols) {
  std::string out;
  for (const auto& [name, value] : symbols) out += (out.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return out;
}

std::string shape_text(const std::vector<std::int64_t>& dims) {
  std::string out;
  for (std::int64_t d : dims) out += (out.empty() ? "" : " x ") + std::to_string(d);
  return out;
}

std::vector<ExprPtr> size_targets(const Spec& spec, const std::string& kind) {
  for (const std::string& part : split_list(directive(spec, "sizes"))) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || split_list(part.substr(0, equals)) != std::vector<std::string>{kind}) continue;
    std::vector<ExprPtr> out;
    for (const std::string& text : split_list(part.substr(equals + 1), ' ')) {
      auto e = parse_integer_expr(text);
      if (!e) return {};
      out.push_back(*e);
    }
    return out;
  }
  return {};
}

namespace {

bool is_constant(const Spec& spec, const std::string& name) {
  return std::any_of(spec.constants.begin(), spec.constants.end(), [&](const Constant& c) { return c.name == name; });
}

struct Known {
  Sizing& s;
  std::optional<std::int64_t> operator()(const std::string& name) const {
    if (const auto f = s.symbols.find(name); f != s.symbols.end()) return f->second;
    if (const auto f = s.constants.find(name); f != s.constants.end()) return static_cast<std::int64_t>(f->second);
    return std::nullopt;
  }
};

enum class Step { solved, waits, wrong };

// One equation: an expression without unknowns is compared, a name is bound, a product with one unknown factor is divided.
Step step(Sizing& s, const ExprPtr& e, std::int64_t value) {
  const Known known{s};
  if (const auto v = eval_integer(*e, known)) return *v == value ? Step::solved : Step::wrong;
  if (e->kind == ExprKind::name) {
    if (is_constant(*s.spec, e->name)) s.constants[e->name] = static_cast<double>(value);
    else s.symbols[e->name] = value;
    return Step::solved;
  }
  if (e->kind == ExprKind::binary && e->binary == BinaryOp::mul) {
    for (int side = 0; side < 2; ++side) {
      const auto factor = eval_integer(*e->args[static_cast<std::size_t>(side)], known);
      if (!factor) continue;
      if (*factor == 0 || value % *factor != 0) return Step::wrong;
      return step(s, e->args[static_cast<std::size_t>(1 - side)], value / *factor);
    }
  }
  return Step::waits;
}

// The first symbol of the expression that has no value yet.
std::string first_unknown(const Sizing& s, const Expr& e) {
  if (e.kind == ExprKind::name && !s.symbols.count(e.name) && s.spec->defaults.count(e.name)) return e.name;
  for (const ExprPtr& a : e.args)
    if (std::string found = first_unknown(s, *a); !found.empty()) return found;
  return {};
}

}  // namespace

Status solve(Sizing& s) {
  std::vector<std::pair<ExprPtr, std::int64_t>> left = std::move(s.equations);
  s.equations.clear();
  while (!left.empty()) {
    bool moved = false;
    std::vector<std::pair<ExprPtr, std::int64_t>> waiting;
    for (const auto& [e, value] : left) {
      switch (step(s, e, value)) {
        case Step::solved: moved = true; break;
        case Step::waits: waiting.emplace_back(e, value); break;
        case Step::wrong: {
          std::string now = print(*e);
          if (e->kind == ExprKind::name)
            if (const auto v = Known{s}(e->name)) now += " = " + std::to_string(*v);
          return fail(Code::invalid_argument, "The sizes given for " + s.shown + " contradict each other: " + now + " cannot be " + std::to_string(value) +
                                                  (e->kind == ExprKind::name ? " too." : " with " + bindings_text(s.symbols) + "."));
        }
      }
    }
    if (!moved) {   // 64 channels without a word on the groups: the default number of groups
      const std::string name = first_unknown(s, *waiting.front().first);
      if (name.empty()) return fail(Code::unsupported, "The size " + print(*waiting.front().first) + " of " + s.shown + " cannot be worked out.");
      s.symbols[name] = s.spec->defaults.at(name);
    }
    left = std::move(waiting);
  }
  return {};
}

}  // namespace ww::op::phrases
