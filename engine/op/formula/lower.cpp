// SPDX-License-Identifier: Apache-2.0
#include "op/formula/lower.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include "op/formula/lowering.h"

namespace ww::op::formula {

using Kind = Node::Kind;

std::string number_of(double v) {
  char buffer[40];
  std::string out(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out[0] == '-' ? "(" + out + ")" : out;
}

Lowered Lowering::run() {
  for (const auto& [name, rank] : facts_.ranks) rank_.emplace(name, rank);
  limits(statement_.value);
  parameters(statement_.value);
  if (!statement_.indexed) glued_target();
  if (!statement_.indexed) glued_names(statement_.value, nullptr);
  ambiguous(statement_.value);
  if (!statement_.indexed) ambiguous_powers(statement_.value);
  if (out_.question.empty() && scaled_)
    for (const std::string& name : columns_) rank_.emplace(name, 1);
  if (out_.question.empty()) ranks(statement_.value, -1);
  if (bias_ && !statement_.indexed) rank_.emplace("bias", 1);
  Maybe value = out_.question.empty() ? lower(statement_.value) : Maybe();
  if (value && !(join_limits() && letter_sizes())) value.reset();
  if (value) value = targeted(*value);
  if (value && !shapes_used()) value.reset();
  if (value) finish(*value);
  if (!out_.spec && out_.question.empty()) out_.question = "This formula is not understood.";
  return std::move(out_);
}

Maybe Lowering::ask(std::string question) {
  if (out_.question.empty()) out_.question = std::move(question);
  return std::nullopt;
}

Maybe Lowering::tensor(const Node& n) {
  const bool by_row = n.subscripts.empty() && facts_.by_row.count(n.text);
  const auto used = [&](const Builder::Tensor& t) {
    Value v = builder_.use(t);
    if (by_row) v.kept = 1;
    return v;
  };
  if (const auto* known = builder_.find(n.text)) {
    if (!n.subscripts.empty()) return indexed(n, *known);
    return used(*known);
  }
  if (n.subscripts.empty())
    if (auto size = size_named(n.text)) return size;
  if (const auto v = facts_.values.find(n.text); v != facts_.values.end()) {
    values_taken_.insert(n.text);
    return constant(n.text, v->second);
  }
  if (const auto s = tables_.scalars.find(n.text);
      s != tables_.scalars.end() && n.subscripts.empty() && !is_parameter(n))
    return constant(n.text, s->second);
  if (n.text == "pi" || n.text == "inf") {
    Value out;
    out.text = n.text;
    return out;
  }
  std::size_t rank = n.subscripts.size();
  const Shape* shape = nullptr;
  if (const auto given = facts_.shapes.find(n.text); given != facts_.shapes.end()) shape = &given->second;
  const auto hint = rank_.find(n.text);
  if (!shape && !facts_.general.empty()) {
    const std::size_t want = rank ? rank : hint != rank_.end() ? static_cast<std::size_t>(hint->second) : 0;
    const bool each = facts_.general.size() == 1;
    const Shape& next = facts_.general[each ? 0 : std::min(general_used_, facts_.general.size() - 1)];
    if (want == 0 || want == next.size()) {
      shape = &next;
      general_used_ = each ? 1 : general_used_ + 1;
    }
  }
  if (rank == 0 && statement_.indexed && !shape && hint == rank_.end() && !facts_.rank)
    return ask("'" + n.text + "' stands without indices among tensors with them; give it its own, or a value.");
  if (rank == 0)
    rank = shape                 ? shape->size()
           : hint != rank_.end() ? static_cast<std::size_t>(hint->second)
                                 : static_cast<std::size_t>(facts_.rank.value_or(2));
  if (shape && shape->size() != rank)
    return ask("'" + n.text + "' has " + std::to_string(rank) + " dimensions in the formula, but " +
               std::to_string(shape->size()) + " in its shape.");
  if (shape) shapes_taken_.insert(shape);
  std::vector<int> sizes;
  for (std::size_t i = 0; i < rank; ++i) {
    if (shape && !(*shape)[i].name.empty() && !(*shape)[i].value) {
      sizes.push_back(symbol_size((*shape)[i]));
    } else {
      sizes.push_back(builder_.new_size({}, shape ? (*shape)[i].value : std::nullopt));
    }
  }
  auto& made = builder_.declare(n.text, sizes);
  if (!n.subscripts.empty()) return indexed(n, made);
  return used(made);
}

Maybe Lowering::indexed(const Node& n, const Builder::Tensor& t) {
  if (n.subscripts.size() != t.sizes.size())
    return ask("'" + n.text + "' is used with different numbers of dimensions.");
  Value out;
  for (std::size_t i = 0; i < t.sizes.size(); ++i) {
    const auto [at, fresh] = letters_.emplace(n.subscripts[i], 0);
    if (fresh) at->second = builder_.new_axis(t.sizes[i]);
    if (!builder_.join_sizes(builder_.size_of(at->second), t.sizes[i])) return ask(builder_.clash);
    out.axes.push_back(at->second);
  }
  out.text = t.name + builder_.subscripts(out.axes);
  std::vector<int> distinct;
  for (int a : out.axes)
    if (std::find(distinct.begin(), distinct.end(), a) == distinct.end()) distinct.push_back(a);
  out.axes = distinct;
  return out;
}

Value Lowering::constant(const std::string& name, double value) {
  const std::string own = name == "lambda" ? "lam" : name;
  if (!builder_.has_constant(own)) builder_.constant(own, number_of(value));
  Value out;
  out.text = own;
  return out;
}

// In brackets where negative.
static std::string in_brackets(std::int64_t v) { return v < 0 ? "(" + std::to_string(v) + ")" : std::to_string(v); }

Value Lowering::literal(double v) const {
  Value out;
  out.number = v;
  const bool whole = facts_.dtype && is_integer(*facts_.dtype) && v == std::floor(v) && std::fabs(v) < 1e15;
  out.text = whole ? in_brackets(static_cast<std::int64_t>(v)) : number_of(v);
  return out;
}

bool Lowering::shapes_used() {
  for (const auto& [name, shape] : facts_.shapes)
    if (!shapes_taken_.count(&shape) && name != statement_.target) {
      ask("There is no tensor '" + name + "' in the formula.");
      return false;
    }
  for (const auto& [name, rank] : facts_.ranks)
    if (!builder_.find(name) && name != statement_.target) {
      ask("There is no tensor '" + name + "' in the formula.");
      return false;
    }
  for (const std::string& name : facts_.tensors)
    if (!builder_.find(name) && name != statement_.target) {
      ask("There is no tensor '" + name + "' in the formula.");
      return false;
    }
  if (facts_.outside != Facts::Outside::unsaid || !facts_.starts.empty()) {
    ask("Nothing in the formula reads beyond the ends of a tensor.");
    return false;
  }
  for (const auto& [name, value] : facts_.values)
    if (!values_taken_.count(name)) {
      ask("There is no '" + name + "' in the formula.");
      return false;
    }
  if (facts_.axis && !axis_taken_ && !(facts_.each_row && by_element(statement_.value))) {
    ask("Nothing in the formula works along a dimension.");
    return false;
  }
  for (const Shape& s : facts_.general)
    if (!shapes_taken_.count(&s)) {
      ask("A shape fits none of the tensors.");
      return false;
    }
  return true;
}

Maybe Lowering::lower(const Node& n) {
  if (++lowered_ > most_lowered) return ask("The formula is too large to be read; write its parts as equations.");
  switch (n.kind) {
    case Kind::number: return literal(n.number);
    case Kind::name: return tensor(n);
    case Kind::word:
    case Kind::tuple: return ask("'" + n.text + "' is not a tensor.");
    case Kind::negate: {
      auto v = lower(n.args[0]);
      if (v) v = with_text(*v, "(-" + v->text + ")");
      return v;
    }
    case Kind::transpose: return transposed(n);
    case Kind::sum: return total(n);
    case Kind::select: return select(n);
    case Kind::slice: return sliced(n);
    case Kind::binary: return binary(n);
    case Kind::call: return call(n);
  }
  return std::nullopt;
}

Value Lowering::with_text(Value v, std::string text) {
  v.text = std::move(text);
  v.plain = false;
  v.tensor.clear();
  v.number.reset();
  return v;
}

Maybe Lowering::transposed(const Node& n) {
  auto v = lower(n.args[0]);
  if (!v) return v;
  if (v->kept) return ask("The transpose of a result with keepdim=True is not understood; leave keepdim out.");
  if (v->axes.size() == 1) {
    v->row = !v->row;
    return v;
  }
  if (v->axes.size() < 2) return ask("A number has no transpose.");
  std::swap(v->axes[v->axes.size() - 1], v->axes[v->axes.size() - 2]);
  return v;
}

Maybe Lowering::total(const Node& n) {
  auto v = lower(n.args[0]);
  if (!v) return v;
  std::vector<int> over;
  for (const std::string& s : n.subscripts) {
    const auto at = letters_.find(s);
    if (at == letters_.end()) return ask("The index '" + s + "' of the sum is not used.");
    over.push_back(at->second);
  }
  if (n.subscripts.empty())
    for (int a : v->axes)
      if (!in_target(a)) over.push_back(a);
  if (over.empty()) return ask("It is not clear what is summed over.");
  return reduced(*v, n.text.empty() ? "sum" : n.text, over);
}

bool Lowering::in_target(int axis) {
  return std::any_of(statement_.target_subscripts.begin(), statement_.target_subscripts.end(),
                     [&](const std::string& s) {
                       const auto at = letters_.find(s);
                       return at != letters_.end() && builder_.same_axis(at->second, axis);
                     });
}

Value Lowering::reduced(const Value& v, const std::string& how, const std::vector<int>& over) {
  Value out;
  std::string indices, count;
  for (int a : over) {
    indices +=
        (indices.empty() ? "" : ", ") + Builder::axis_text(a) + " in 0.." + Builder::size_text(builder_.size_of(a));
    count += (count.empty() ? "" : "*") + Builder::size_text(builder_.size_of(a));
  }
  for (int a : v.axes)
    if (std::none_of(over.begin(), over.end(), [&](int o) { return builder_.same_axis(o, a); })) out.axes.push_back(a);
  const bool mean = how == "mean";
  out.text = "(" + std::string(mean ? "sum" : how) + "(" + indices + ") " + v.text + ")";
  if (mean) out.text = "(" + out.text + " / (" + count + "))";
  out.reduced = true;
  return out;
}

Maybe Lowering::select(const Node& n) {
  auto c = lower(n.args[0]), yes = lower(n.args[1]), no = lower(n.args[2]);
  if (!c || !yes || !no) return std::nullopt;
  std::string condition = c->text;
  if (c->plain) {  // a mask
    condition = c->text;
    masks_.insert(c->tensor);
  }
  auto both = joined(*yes, *no);
  if (!both) return both;
  auto all = joined(*c, *both);
  if (!all) return all;
  return with_text(*all, "if(" + condition + ", " + yes->text + ", " + no->text + ")");
}

Maybe Lowering::joined(const Value& a, const Value& b) {
  auto out = joined_axes(a, b);
  if (out) out->dtype = DType::f32;
  return out;
}

Maybe Lowering::joined_axes(const Value& a, const Value& b) {
  if (a.axes.empty() || b.axes.empty()) {
    Value out = a.axes.empty() ? b : a;
    return with_text(out, {});
  }
  if (statement_.indexed) {
    Value out = a;
    for (int x : b.axes)
      if (std::none_of(out.axes.begin(), out.axes.end(), [&](int o) { return builder_.same_axis(o, x); }))
        out.axes.push_back(x);
    return with_text(out, {});
  }
  for (const auto& [column, row] : {std::pair(&a, &b), std::pair(&b, &a)})  // u[:, None] + v
    if (column->kept == column->axes.size() && !row->kept && row->axes.size() == 1) {
      Value out = *column;
      out.axes.push_back(row->axes[0]);
      out.kept.reset();
      return with_text(out, {});
    }
  const Value& high = a.axes.size() >= b.axes.size() ? a : b;
  const Value& low = a.axes.size() >= b.axes.size() ? b : a;
  if (low.kept && !high.kept) return beside_kept(high, low);
  const bool from_reductions = (low.reduced && !low.kept) || (high.reduced && !high.kept);
  if (low.kept != high.kept && !from_reductions) return crossed(a, b);
  if (low.kept != high.kept)
    return ask("A result with keepdim=True and one of another shape are joined; write both out.");
  const std::size_t skipped = high.axes.size() - low.axes.size();
  std::vector<int> partner(low.axes.size(), -1);
  if (skipped > 0 && low.reduced) {  // x - mean(x, dim=1): each result beside the elements that it came from
    for (std::size_t i = 0; i < low.axes.size(); ++i)
      for (int h : high.axes)
        if (builder_.same_size(builder_.size_of(h), builder_.size_of(low.axes[i])) &&
            std::find(partner.begin(), partner.end(), h) == partner.end()) {
          partner[i] = h;
          break;
        }
  }
  if (low.numbered && !aligned(high, low, partner)) return std::nullopt;
  for (std::size_t i = 0; i < low.axes.size(); ++i) {
    const int with = partner[i] >= 0 ? partner[i] : high.axes[skipped + i];
    if (!builder_.join_axes(with, low.axes[i])) return ask(builder_.clash);
  }
  return with_text(high, {});
}

// x[:, None, :] - y[None, :, :]: dimensions are matched from the last one on, those of size 1 with any.
Maybe Lowering::crossed(const Value& a, const Value& b) {
  static constexpr int one = -1;
  const auto dimensions = [](const Value& v) {
    std::vector<int> out = v.axes;
    if (v.kept) out.insert(out.begin() + static_cast<std::ptrdiff_t>(*v.kept), one);
    return out;
  };
  std::vector<int> high = dimensions(a), low = dimensions(b);
  if (high.size() < low.size()) std::swap(high, low);
  const std::size_t skipped = high.size() - low.size();
  for (std::size_t i = 0; i < low.size(); ++i) {
    int& with = high[skipped + i];
    if (with != one && low[i] != one && !builder_.join_axes(with, low[i])) return ask(builder_.clash);
    if (with == one) with = low[i];
  }
  Value out = a;
  out.kept.reset();
  out.axes.clear();
  for (std::size_t i = 0; i < high.size(); ++i) {
    if (high[i] != one) out.axes.push_back(high[i]);
    if (high[i] == one && out.kept) return ask("A result with two dimensions of size 1 is not understood.");
    if (high[i] == one) out.kept = i;
  }
  return with_text(out, {});
}

// Dimensions are matched from the last one on, the one of size 1 with any.
Maybe Lowering::beside_kept(const Value& high, const Value& low) {
  if (high.axes.size() < low.axes.size() + 1)
    return ask("A result with keepdim=True is joined with a tensor of fewer dimensions; write it out.");
  const std::size_t skipped = high.axes.size() - low.axes.size() - 1;
  for (std::size_t i = 0; i < low.axes.size(); ++i)
    if (!builder_.join_axes(high.axes[skipped + i + (i >= *low.kept ? 1 : 0)], low.axes[i])) return ask(builder_.clash);
  return with_text(high, {});
}

Maybe Lowering::binary(const Node& n) {
  if (!statement_.indexed && product_of_matrices(n)) return product(n);
  if (n.text == "/" && n.args[1].kind == Kind::call && n.args[1].text == "sqrt" && n.args[1].args.size() == 1 &&
      n.args[1].args[0].kind == Kind::name && is_size_name(n.args[1].args[0].text)) {
    auto v = lower(n.args[0]);
    if (!v) return v;
    const std::string& name = n.args[1].args[0].text;
    if (v->contracted < 0) return ask("It is not clear which size '" + name + "' is.");
    if (const auto given = facts_.values.find(name); given != facts_.values.end()) {
      const bool whole = given->second >= 1 && given->second == std::floor(given->second);
      const int size =
          builder_.new_size({}, whole ? std::optional(static_cast<std::int64_t>(given->second)) : std::nullopt);
      if (!whole || !builder_.join_sizes(v->contracted, size))
        return ask("'" + name + "' is not the size under the root.");
      values_taken_.insert(name);
    }
    return with_text(*v, "(" + v->text + " / sqrt(" + Builder::size_text(v->contracted) + "))");
  }
  if (statement_.indexed && average(n)) {
    auto mean = averaged(n.args[1]);
    const bool minus = n.args[0].kind == Kind::negate || n.args[0].args[0].number < 0;
    return mean && minus ? with_text(*mean, "(-" + mean->text + ")") : mean;
  }
  if (auto whole = library_sum(n)) return whole;
  auto a = lower(n.args[0]), b = lower(n.args[1]);
  if (!a || !b) return std::nullopt;
  if (n.text == "==" || n.text == "!=")  // labels beside positions are whole numbers
    for (const auto& [position, label] : {std::pair(&*a, &*b), std::pair(&*b, &*a)})
      if (position->dtype == DType::i64 && label->plain && label->dtype == DType::f32) {
        builder_.retype(label->tensor, DType::i32);
        label->dtype = DType::i32;
      }
  if (n.text == "+" || n.text == "-" || n.text == "*" || n.text == "")  // x * (x > 0)
    for (Value* v : {&*a, &*b})
      if (v->dtype == DType::boolean && !v->plain)
        *v = with_text(*v, "if(" + v->text + ", 1.0, 0.0)"), v->dtype = DType::f32;
  if (n.text == "^" && b->number && *b->number == 2.0 && a->axes.size() == a->axes.size())
    return with_text(*a, "(" + a->text + ")^2");
  if (n.text == "/" && b->number && *b->number == 0.0)
    return ask("A division by 0 gives infinity or no number; what is the divisor meant to be?");
  if (n.text == "%") return ask("Is '%' the remainder of a division? Write 'a - b * floor(a / b)'.");
  const bool times = n.text == "*" || n.text == "" || n.text == "⊙" || n.text == "·" || n.text == "×";
  if (times && a->number && *a->number == 1.0) return b;
  if (times && b->number && *b->number == 1.0) return a;
  auto out = joined(*a, *b);
  if (!out) return out;
  static const std::map<std::string, std::string> signs = {{"+", "add"}, {"-", "subtract"}, {"/", "divide"}};
  const auto called = signs.find(n.text);
  used_.push_back(called != signs.end() ? called->second : times ? "multiply" : "formula");
  const int contracted = a->contracted >= 0 ? a->contracted : b->contracted;
  std::string sign = times ? "*" : n.text;
  const std::string exponent = n.text == "^" && b->number && *b->number == std::floor(*b->number) && *b->number > 0
                                   ? std::to_string(static_cast<std::int64_t>(*b->number))
                                   : b->text;
  Value result = with_text(*out, "(" + a->text + " " + sign + " " + exponent + ")");
  result.contracted = contracted;
  result.reduced = a->reduced || b->reduced;
  if (a->axes.size() == b->axes.size() && !result.numbered) result.numbered = a->numbered ? a->numbered : b->numbered;
  if (sign == "<" || sign == ">" || sign.find('=') != std::string::npos) result.dtype = DType::boolean;
  return result;
}

Lowered lower(const Library& library, const Tables& tables, const Names& names, const Statement& statement,
              const Facts& facts) {
  return Lowering(library, tables, names, statement, facts).run();
}

}  // namespace ww::op::formula
