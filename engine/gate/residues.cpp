// SPDX-License-Identifier: Apache-2.0
#include "gate/residues.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include "evidence/case_kind.h"
#include "gate/defined.h"
#include "gate/reference.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "op/walk.h"
#include "op/work.h"

namespace ww::gate {
namespace {

using Draw = std::function<std::uint64_t()>;
using Results = std::vector<std::vector<double>>;

constexpr double most_work_of_sizes = 2e4, most_work_of_constants = 2e5;

std::int64_t below(const Draw& draw, std::int64_t n) {
  return static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1)));
}

// The values of the outputs on ordinary inputs; nothing where one is not finite (an empty window's mean).
std::optional<Results> results_of(const op::Spec& spec, const op::Binding& b, const std::stop_token& stop) {
  const auto outputs = ordinary_outputs(spec, b, 1, stop);
  if (!outputs) return {};
  Results all;
  for (const auto& [name, t] : *outputs) {
    if (!std::ranges::all_of(t.value, [](double v) { return std::isfinite(v); })) return {};
    all.push_back(t.value);
    all.emplace_back(t.integer.begin(), t.integer.end());
  }
  return all;
}

// The spec in whose equations, though not in its shapes, the constant is another one, which a binding gives.
constexpr const char* narrowed = "last bits";
op::Spec with_narrow(op::Spec spec, const std::string& constant) {
  for (op::Equation& e : spec.equations)
    e.value = op::rewrite(e.value, [&](const op::Expr& x) -> op::ExprPtr {
      const bool it = x.kind == op::ExprKind::name && x.role == op::Role::constant && x.name == constant;
      return it ? op::name_of(narrowed, op::Role::constant) : nullptr;
    });
  spec.constants.push_back({narrowed, op::integer_literal(0), op::Type::integer});
  return spec;
}

class Residues {
 public:
  Residues(const op::Spec& spec, const Case& own, const op::Resolved& resolved, const Draw& draw,
           const std::function<bool(const op::Binding&)>& wanted, const std::stop_token& stop)
      : spec_(spec), own_(own), resolved_(resolved), draw_(draw), wanted_(wanted), stop_(stop) {}

  std::vector<Case> all;

  void sizes() {
    std::map<std::string, std::vector<std::int64_t>> values;
    for (const std::string& s : spec_.symbols) {
      const bool small = resolved_.symbols.at(s) <= 8;  // of a window, or a count of groups
      std::vector<std::int64_t>& of = values[s];
      of.resize(residue_cases);
      std::iota(of.begin(), of.end(), small ? 1 : 1 + below(draw_, 32));
      if (small)
        for (std::int64_t& v : of) v = 1 + v % 8;
      for (std::size_t i = of.size(); i-- > 1;)
        std::swap(of[i], of[static_cast<std::size_t>(below(draw_, static_cast<std::int64_t>(i) + 1))]);
    }
    for (std::size_t turn = 0; turn < residue_cases && !stop_.stop_requested(); ++turn) {
      op::Binding b = own_.binding;
      for (const std::string& s : spec_.symbols) b.symbols[s] = values[s][turn];
      // Of too much work: some become small, others from turn to turn.
      for (std::size_t i = 0; i < spec_.symbols.size() && !fits(b, most_work_of_sizes); ++i)
        b.symbols[spec_.symbols[(turn + i) % spec_.symbols.size()]] = 1 + below(draw_, 3);
      if (!fits(b, most_work_of_sizes))
        for (const auto& [s, value] : resolved_.symbols)
          if (value <= 8) b.symbols[s] = value;
      const op::Binding varied = turn % 2 == 0 ? b : with_constants(b, turn / 2);
      if (varied != b && allows(varied)) b = varied;
      if (allows(b)) add(b);
    }
  }

  // One size next to another, its double, or equal to it, which chance would rarely give.
  void relations() {
    constexpr std::size_t turns = 6;
    constexpr std::int64_t least = 9, most = 40;
    const std::vector<std::string>& symbols = spec_.symbols;
    if (symbols.size() < 2) return;
    std::size_t first = 0, second = 0;
    for (std::size_t turn = 0; turn < turns && !stop_.stop_requested(); ++turn) {
      op::Binding b = own_.binding;
      for (const std::string& s : symbols)
        b.symbols[s] = resolved_.symbols.at(s) <= 8 ? resolved_.symbols.at(s) : 1 + below(draw_, 5);
      if (turn % 2 == 0) {
        first = draw_() % symbols.size();
        second = (first + 1 + draw_() % (symbols.size() - 1)) % symbols.size();
      } else {
        std::swap(first, second);
      }
      const std::int64_t n = least + below(draw_, most - least);
      const std::int64_t related[turns] = {n + 1, n + 1, 2 * n, 2 * n, n, 3 * n};
      b.symbols[symbols[first]] = related[turn];
      b.symbols[symbols[second]] = n;
      if (allows(b)) add(b);
    }
  }

  void constants() {
    constexpr int tries = 24;
    for (const op::ResolvedConstant& c : resolved_.constants) {
      if (c.type != op::Type::integer) continue;
      std::vector<std::int64_t> odd = {3, 5, 7};  // no powers of two, where shifts and masks would do
      std::swap(odd[0], odd[static_cast<std::size_t>(below(draw_, 3))]);
      const op::Spec narrow = with_narrow(spec_, c.name);
      for (int i = 0; i < tries && !stop_.stop_requested(); ++i) {
        const std::int64_t value = odd[static_cast<std::size_t>(i / all_sizes) % odd.size()];
        const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
        if (constant(c, narrow, value, power, static_cast<Sizes>(i % all_sizes))) break;
      }
      for (const auto& [least, values] : std::array<std::pair<std::int64_t, std::int64_t>, 2>{{{8, 8}, {16, 32}}})
        for (int i = 0; i < tries && !stop_.stop_requested(); ++i)
          if (const std::int64_t value = least + below(draw_, values);
              constant(c, narrow, value, value % least, Sizes::drawn))
            break;
    }
  }

 private:
  enum class Sizes : std::uint8_t {
    window,  // those up to 4 as they are, the others beyond three times the constant
    beyond,  // a little beyond the constant
    few,
    drawn
  };
  static constexpr int all_sizes = 4;

  std::int64_t size(Sizes how, std::int64_t own, std::int64_t value) {
    switch (how) {
      case Sizes::window: return own <= 4 ? own : 3 * value + below(draw_, 8);
      case Sizes::beyond: return value + below(draw_, 4);
      case Sizes::few: return 2 + below(draw_, 4);
      case Sizes::drawn: break;
    }
    const double unit = static_cast<double>(below(draw_, 1 << 20)) * 0x1p-20;
    const bool small = own <= 8;
    return small && below(draw_, 2) == 0 ? own : static_cast<std::int64_t>(std::exp2((small ? 2.5 : 7.5) * unit));
  }

  // A case in which the value gives another result in subscripts than `other` does, and than the spec's own.
  bool constant(const op::ResolvedConstant& c, const op::Spec& narrow, std::int64_t value, std::int64_t other,
                Sizes sizes) {
    op::Binding b = own_.binding;
    for (const std::string& s : spec_.symbols) b.symbols[s] = size(sizes, resolved_.symbols.at(s), value);
    b.constants[c.name] = static_cast<double>(value);
    if (!fits(b, most_work_of_constants) || !wanted_(b) || !stays_defined(spec_, b, own_.binding)) return false;
    const auto usual = results_of(spec_, b, stop_);
    if (!usual) return false;
    for (const std::int64_t instead : {other, c.integer}) {
      op::Binding last = b;
      last.constants[narrowed] = static_cast<double>(instead);
      const auto result = results_of(narrow, last, stop_);
      if (result && *result == *usual) return false;  // none: it would read out of range
    }
    add(b);
    return true;
  }

  // From turn to turn, each whole constant takes consecutive values.
  op::Binding with_constants(op::Binding b, std::size_t turn) {
    constexpr std::size_t turns = residue_cases / 2;
    for (const op::ResolvedConstant& c : resolved_.constants) {
      if (c.type != op::Type::integer) continue;
      const auto [at, fresh] = first_.try_emplace(c.name, draw_());
      b.constants[c.name] = static_cast<double>(1 + at->second % turns + (turn + at->second / turns) % turns);
    }
    return b;
  }

  bool allows(const op::Binding& b) const {
    return fits(b, most_work_of_sizes) && wanted_(b) && stays_defined(spec_, b, own_.binding) &&
           ordinary_outputs(spec_, b, 1, stop_);
  }
  bool fits(const op::Binding& b, double most) const {
    return case_work(spec_, b).value_or(most + 1) <= most && op::has_elements(spec_, b);
  }
  void add(const op::Binding& b) {
    if (std::ranges::find(all, b, &Case::binding) == all.end())
      all.push_back({evidence::case_names::residues + std::to_string(all.size() + 1), b});
  }

  std::map<std::string, std::uint64_t> first_;  // by constant: drawn
  const op::Spec& spec_;
  const Case& own_;
  const op::Resolved& resolved_;
  const Draw& draw_;
  const std::function<bool(const op::Binding&)>& wanted_;
  const std::stop_token& stop_;
};

}  // namespace

Result<std::vector<Case>> residues(const op::Spec& spec, const Case& own, const Draw& draw,
                                   const std::function<bool(const op::Binding&)>& wanted, std::stop_token stop) {
  const op::Resolved resolved = WW_TRY(op::resolve(spec, own.binding));
  Residues found(spec, own, resolved, draw, wanted, stop);
  if (!spec.symbols.empty()) found.sizes();
  found.relations();
  found.constants();
  if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
  return std::move(found.all);
}

}  // namespace ww::gate
