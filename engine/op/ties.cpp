// SPDX-License-Identifier: Apache-2.0
#include "op/ties.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include "op/parse.h"
#include "op/philox.h"
#include "op/walk.h"

namespace ww::op {
namespace {

constexpr std::uint32_t line_block = 5, set_block = 6;  // of the words that are drawn here; see inputs.cpp for others

bool has_element(const Expr& e) { return !tensors_read(e).empty(); }

bool compares_two(const Expr& e) {
  bool found = false;
  for_each(e, [&](const Expr& x) {
    found = found || (x.kind == ExprKind::binary && x.binary >= BinaryOp::lt && x.binary <= BinaryOp::ne &&
                      has_element(*x.args[0]) && has_element(*x.args[1]));
  });
  return found;
}

bool chooses(const Expr& e) {
  if (e.kind != ExprKind::reduce) return false;
  return e.reduce == ReduceOp::argmax || e.reduce == ReduceOp::argmin ||
         std::ranges::any_of(e.args, [](const ExprPtr& a) { return compares_two(*a); });
}

using IndexNames = std::set<std::string>;

// The dimensions of inputs that the indices `names` run through, by way of temporaries, too.
class ChosenDimensions {
 public:
  explicit ChosenDimensions(const Spec& spec) : spec_(spec) {}

  void mark(const Expr& body, const IndexNames& names) {
    for_each(body, [&](const Expr& x) {
      if (x.kind != ExprKind::access) return;
      const Equation* made = find_equation(spec_, x.name);
      IndexNames below;
      for (std::size_t d = 0; d < x.args.size(); ++d) {
        if (x.args[d]->kind != ExprKind::name || !names.contains(x.args[d]->name)) continue;
        if (!made)
          of[x.name].insert(d);
        else if (d < made->indices.size())
          below.insert(made->indices[d].name);
      }
      if (!below.empty() && seen_.insert({x.name, below}).second) mark(*made->value, below);
    });
  }

  std::map<std::string, std::set<std::size_t>> of;

 private:
  const Spec& spec_;
  std::set<std::pair<std::string, IndexNames>> seen_;
};

// 1, a power of two or a neighbour of one, a half, a third, or all but one; from 1 to length - 1.
std::int64_t tie_distance(std::uint32_t word, std::int64_t length) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(length - 1)));
  const std::uint32_t kind = word % (bits + 3);
  const std::int64_t step = static_cast<std::int64_t>(word >> 8) % 3 - 1;
  const std::int64_t d = kind < bits        ? (std::int64_t{1} << kind) + step
                         : kind == bits     ? length / 2
                         : kind == bits + 1 ? length / 3
                                            : length - 1;
  return std::clamp<std::int64_t>(d, 1, length - 1);
}

// Beyond all that is drawn otherwise, or as far as the domain goes.
double tie_end(DType dtype, const Domain& domain, bool upper) {
  if (domain.given && is_real(dtype)) return upper ? std::nextafter(domain.hi, domain.lo) : domain.lo;
  if (domain.given) return upper ? domain.hi - 1 : domain.lo;
  if (dtype == DType::boolean) return upper ? 1 : 0;
  if (is_unsigned(dtype)) return upper ? 16 : 0;
  return upper ? 9 : -9;
}

class LineElements {
 public:
  LineElements(DType dtype, void* values, std::int64_t base, std::int64_t stride)
      : dtype_(dtype),
        size_(dtype_size(dtype)),
        bytes_(static_cast<std::byte*>(values)),
        base_(base),
        stride_(stride) {}
  void copy(std::int64_t to, std::int64_t from) { std::memcpy(at(to), at(from), size_); }
  void set(std::int64_t to, double v) {
    if (is_real(dtype_))
      store_f64(dtype_, at(to), v);
    else
      store_i64(dtype_, at(to), static_cast<std::int64_t>(v));
  }

 private:
  std::byte* at(std::int64_t k) { return bytes_ + static_cast<std::size_t>(base_ + k * stride_) * size_; }
  DType dtype_;
  std::size_t size_;
  std::byte* bytes_;
  std::int64_t base_, stride_;
};

}  // namespace

bool chooses_position(const Spec& spec) {
  bool found = false;
  for (const Equation& e : spec.equations) for_each(*e.value, [&](const Expr& x) { found = found || chooses(x); });
  return found;
}

std::map<std::string, Line> lines_of(const Spec& spec, const Binding& binding) {
  ChosenDimensions dimensions(spec);
  for (const Equation& e : spec.equations)
    for_each(*e.value, [&](const Expr& x) {
      if (!chooses(x)) return;
      IndexNames names;
      for (const Index& i : x.indices) names.insert(i.name);
      for (const ExprPtr& a : x.args) dimensions.mark(*a, names);
    });
  std::map<std::string, Line> out;
  for (const auto& [name, marked] : dimensions.of) {
    const Param* p = find_param(spec, name);
    const auto shape = p ? shape_of(spec, *p, binding) : Result<std::vector<std::int64_t>>(std::vector<std::int64_t>{});
    if (!shape || marked.empty() || *marked.rbegin() >= shape->size()) continue;
    Line line;  // of the last dimension, and of those before it that are marked, too
    std::size_t d = *marked.rbegin();
    for (std::size_t after = d + 1; after < shape->size(); ++after) line.stride *= (*shape)[after];
    for (bool more = true; more; more = d > 0 && marked.contains(--d)) line.length *= (*shape)[d];
    out[name] = line;
  }
  return out;
}

void lay_ties(std::uint64_t seed, int ordinal, DType dtype, const Domain& domain, std::int64_t count, Line line,
              void* values) {
  if (line.length < 2 || line.stride < 1 || count < line.length * line.stride) return;
  const auto of_set = drawn_words(seed, 0, 0, set_block);
  const bool together = of_set[0] % 2 == 0;
  const std::int64_t lines = count / line.length;
  for (std::int64_t l = 0; l < lines; ++l) {
    const auto own = drawn_words(seed, ordinal, static_cast<std::uint64_t>(l), line_block);
    LineElements at(dtype, values, l / line.stride * line.stride * line.length + l % line.stride, line.stride);
    if (together || (static_cast<std::uint64_t>(l) + of_set[1]) % 2 == 0) {
      const std::int64_t d = std::min(tie_distance(together ? of_set[2] : own[0], line.length), line.length / 2);
      for (std::int64_t k = d; k < line.length; ++k) at.copy(k, k - d);
      continue;
    }
    const auto pair = [&](std::uint32_t apart, std::uint32_t first, bool upper) {
      const std::int64_t d = tie_distance(apart, line.length), p = first % (line.length - d);
      at.set(p, tie_end(dtype, domain, upper));
      at.set(p + d, tie_end(dtype, domain, upper));
    };
    const bool upper_last = own[0] % 2 == 0;  // which may take an element of the other pair
    pair(own[0], own[1], !upper_last);
    pair(own[2], own[3], upper_last);
  }
  keep_rules(dtype, domain, count, values);
}

}  // namespace ww::op
