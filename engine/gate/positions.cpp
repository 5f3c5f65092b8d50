// SPDX-License-Identifier: Apache-2.0
#include "gate/positions.h"
#include <cmath>
#include <memory>
#include "gate/compare.h"
#include "gate/forms.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::gate {
namespace {

using op::Expr;
using op::ExprKind;
using op::ExprPtr;
using op::ReduceOp;

// The argmax or argmin that the equation's value is, apart from casts; null: none.
const Expr* position_in(const op::Equation& e) {
  const Expr* value = e.value.get();
  while (value->kind == ExprKind::cast && value->type == op::Type::integer) value = value->args[0].get();
  const bool is = value->kind == ExprKind::reduce &&
                  (value->reduce == ReduceOp::argmax || value->reduce == ReduceOp::argmin) &&
                  value->args[0]->type == op::Type::real;
  return is ? value : nullptr;
}

struct Asked {  // a spec that judges positions, which are a further input
  op::Spec spec;
  std::string place, inside, gap;  // gap: empty if it judges only the range
};

class Asking {
 public:
  Asking(const op::Spec& spec, const op::Equation& equation, const Expr& position)
      : spec_(spec), equation_(equation), position_(position), text_(op::print(spec)) {}

  Result<Asked> about_range() const {
    op::Spec edited = spec_;
    edited.outputs.clear();
    edited.temporaries.clear();
    edited.equations.clear();
    return asked(std::move(edited), false);
  }
  Result<Asked> about_values() const { return asked(spec_, true); }

 private:
  std::string fresh(std::string name) const {
    while (text_.find(name) != std::string::npos) name += 'q';
    return name;
  }

  std::string element(const std::string& tensor) const { return op::print(*access(tensor)); }
  ExprPtr access(const std::string& tensor) const {
    std::vector<ExprPtr> subscripts;
    for (const op::Index& i : equation_.indices) subscripts.push_back(op::name_of(i.name, op::Role::index));
    return op::access_of(tensor, std::move(subscripts), op::Type::integer);
  }

  // The extreme of the terms with the first index fixed at the element of `at`, or, if it is empty, of all.
  std::string extreme(const std::string& at) const {
    auto all = std::make_shared<Expr>(position_);
    all->reduce = position_.reduce == ReduceOp::argmax ? ReduceOp::max : ReduceOp::min;
    all->type = op::Type::real;
    if (at.empty()) return op::print(*all);
    all->indices.erase(all->indices.begin());
    for (ExprPtr& a : all->args) a = op::substitute(a, {{position_.indices[0].name, access(at)}});
    return op::print(all->indices.empty() ? *all->args[0] : *all);
  }

  Result<Asked> asked(op::Spec edited, bool values) const {
    Asked out;
    out.place = fresh("place");
    out.inside = fresh("inside");
    const op::Param& target = *op::find_param(spec_, equation_.target);
    edited.inputs.push_back({out.place, DType::i64, target.shape, nullptr, nullptr, {}, {}});
    edited.outputs.push_back({out.inside, DType::boolean, target.shape, nullptr, nullptr, {}, {}});
    const op::Index& index = position_.indices[0];
    const std::string place = element(out.place), lo = '(' + op::print(*index.lo) + ')',
                      hi = '(' + op::print(*index.hi) + ')', inside = place + " >= " + lo + " && " + place + " < " + hi;
    std::string equations;
    if (values) {
      out.gap = fresh("gap");
      edited.outputs.push_back({out.gap, DType::f32, target.shape, nullptr, nullptr, {}, {}});
      const std::string at = fresh("at");
      equations += "  " + element(at) + " = max(" + lo + ", min(" + place + ", " + hi + " - 1))\n";
      const std::string here = extreme(at), best = extreme({});
      const bool most = position_.reduce == ReduceOp::argmax;
      equations += "  " + element(out.gap) + " = (" + (most ? best : here) + ") - (" + (most ? here : best) + ")\n";
      const bool conditional = position_.args.size() > 1 && position_.indices.size() == 1;
      const std::string condition =
          conditional ? op::print(*op::substitute(position_.args[1], {{index.name, access(at)}})) : std::string();
      equations += "  " + element(out.inside) + " = " + inside + (conditional ? " && (" + condition + ")" : "") + "\n";
    } else {
      equations += "  " + element(out.inside) + " = " + inside + "\n";
    }
    std::string text = op::print(edited);
    text.insert(text.rfind('}'), equations);
    out.spec = WW_TRY(op::parse_spec(text, spec_.name));
    return out;
  }

  const op::Spec& spec_;
  const op::Equation& equation_;
  const Expr& position_;
  const std::string text_;
};

op::HostTensor places_of(const op::ReferenceTensor& expected, std::span<const std::byte> actual) {
  op::HostTensor places{DType::i64, expected.shape, {}};
  const std::size_t size = dtype_size(expected.dtype), n = expected.integer.size();
  places.bytes.resize(n * dtype_size(DType::i64));
  for (std::size_t i = 0; i < n; ++i)
    store_i64(DType::i64, &places.bytes[i * dtype_size(DType::i64)], load_i64(expected.dtype, &actual[i * size]));
  return places;
}

bool is_inside(const op::ReferenceTensor& inside, std::size_t i) {
  return inside.integer[i] != 0 || (!inside.bound.empty() && inside.bound[i] > 0);
}
bool is_extreme(const op::ReferenceTensor& gap, std::size_t i) {
  return !(gap.value[i] > tolerance_of(DType::f32, gap.bound[i]));  // NaN: of a form
}

}  // namespace

Result<Positions> judge_positions(const op::Spec& spec, const std::string& name, const Reference& reference,
                                  std::span<const std::byte> actual, int threads, std::stop_token stop) {
  Positions out;
  const op::ReferenceTensor& expected = reference.outputs.at(name);
  const op::Equation* equation = op::find_equation(spec, name);
  const Expr* position = equation && is_integer(expected.dtype) ? position_in(*equation) : nullptr;
  if (!position) return out;
  std::vector<std::size_t> differ;
  const std::size_t size = dtype_size(expected.dtype);
  const bool may_have_none = position->args.size() > 1;  // no term, if conditions are uncertain
  for (std::size_t i = 0; i < expected.integer.size(); ++i) {
    const std::int64_t found = load_i64(expected.dtype, &actual[i * size]);
    if (found != expected.integer[i] && !(may_have_none && found == -1)) differ.push_back(i);
  }
  if (differ.empty()) return out;
  const Asking asking(spec, *equation, *position);
  Result<Asked> asked = asking.about_values();
  const auto affordable = [&](const op::Spec& s) {
    const Result<op::Work> work = op::work_of(s, reference.set.binding);
    return work && work->flops <= most_form_flops;
  };
  const bool values = asked && affordable(asked->spec);
  if (!values) asked = asking.about_range();
  if (!asked) return out;  // a range that follows from temporaries
  Reference of{reference.set, reference.inputs, {}, {}, 0};
  of.inputs[asked->place] = places_of(expected, actual);
  op::EvaluateOptions options;
  options.threads = threads;
  options.stop = stop;
  options.precision = reference.set.precision;
  options.headroom = headroom_of(reference.set.distribution, reference.inputs);
  auto judged = op::evaluate(asked->spec, reference.set.binding, of.inputs, options);
  if (!judged) {
    if (judged.error().code == Code::cancelled) return fail(judged.error());
    return out;
  }
  of.outputs = std::move(*judged);
  std::optional<std::optional<ReferenceOutputs>> forms;
  for (const std::size_t i : differ) {
    if (values && std::isnan(of.outputs.at(asked->gap).value[i])) continue;  // there is no extreme
    bool right = is_inside(of.outputs.at(asked->inside), i);
    if (right && values && !is_extreme(of.outputs.at(asked->gap), i)) {
      if (!forms) forms = WW_TRY(with_forms(asked->spec, of, threads, stop));
      right = *forms && is_extreme((*forms)->at(asked->gap), i);
    }
    if (!right)
      out.wrong.push_back(i);
    else if (values && std::isfinite(of.outputs.at(asked->gap).bound[i]))
      ++out.right;
  }
  return out;
}

}  // namespace ww::gate
