// SPDX-License-Identifier: Apache-2.0
#include "candidate/claim.h"
#include <algorithm>
#include <optional>
#include <set>
#include "op/parse.h"
#include "op/walk.h"

namespace ww::candidate {
namespace {

using op::BinaryOp;
using op::Expr;
using op::ExprKind;
using op::ExprPtr;

bool is_binary(const Expr& e, BinaryOp op) { return e.kind == ExprKind::binary && e.binary == op; }

std::optional<BinaryOp> opposite(BinaryOp op) {
  switch (op) {
    case BinaryOp::lt: return BinaryOp::ge;
    case BinaryOp::le: return BinaryOp::gt;
    case BinaryOp::gt: return BinaryOp::le;
    case BinaryOp::ge: return BinaryOp::lt;
    case BinaryOp::eq: return BinaryOp::ne;
    case BinaryOp::ne: return BinaryOp::eq;
    default: return std::nullopt;
  }
}

ExprPtr complement(const ExprPtr& e) {
  if (e->kind == ExprKind::unary && e->unary == op::UnaryOp::logical_not) return e->args[0];
  if (e->kind == ExprKind::binary) {
    if (e->binary == BinaryOp::logical_and || e->binary == BinaryOp::logical_or)
      return op::binary_of(e->binary == BinaryOp::logical_and ? BinaryOp::logical_or : BinaryOp::logical_and,
                           complement(e->args[0]), complement(e->args[1]));
    if (const auto other = opposite(e->binary)) return op::binary_of(*other, e->args[0], e->args[1]);
  }
  return op::unary_of(op::UnaryOp::logical_not, e);
}

// "C <= 8192" of "!(C > 8192)"; null: it has no such form.
ExprPtr without_not(const ExprPtr& e) {
  if (e->kind != ExprKind::unary || e->unary != op::UnaryOp::logical_not) return nullptr;
  const ExprPtr out = complement(e->args[0]);
  return out->kind == ExprKind::unary ? nullptr : out;
}

class ClaimReader {
 public:
  explicit ClaimReader(const Candidate& candidate) {
    for (const TuneAxis& t : candidate.tune) tuned_.insert(t.name);
  }

  void add(const ExprPtr& e, std::vector<Claim>& out) const {
    if (is_binary(*e, BinaryOp::logical_and)) {
      add(e->args[0], out);
      add(e->args[1], out);
    } else if (const ExprPtr positive = without_not(e)) {
      add(positive, out);
    } else if (!sizes_in(*e).empty()) {
      out.push_back({kind_of(*e), op::print(*e), op::print(*complement(e))});
    }
  }

 private:
  std::set<std::string> sizes_in(const Expr& e) const {
    std::set<std::string> names;
    op::for_each(e, [&](const Expr& part) {
      if (part.kind == ExprKind::name && !tuned_.contains(part.name)) names.insert(part.name);
    });
    return names;
  }

  // Products and sums of sizes: never negative, and no smaller where a size is larger.
  bool grows(const Expr& e) const {
    if (e.kind == ExprKind::name) return true;
    if (e.kind == ExprKind::integer) return e.integer >= 0;
    if (is_binary(e, BinaryOp::sub))  // a size is at least 1
      return grows(*e.args[0]) && !sizes_in(*e.args[0]).empty() && e.args[1]->kind == ExprKind::integer &&
             e.args[1]->integer == 1;
    return (is_binary(e, BinaryOp::add) || is_binary(e, BinaryOp::mul)) && grows(*e.args[0]) && grows(*e.args[1]);
  }

  // The same, rounded or shifted by what has no size in it.
  bool monotone(const Expr& e) const {
    if (sizes_in(e).empty() || grows(e)) return true;
    if (is_binary(e, BinaryOp::add)) return monotone(*e.args[0]) && monotone(*e.args[1]);
    if (is_binary(e, BinaryOp::sub)) return monotone(*e.args[0]) && sizes_in(*e.args[1]).empty();
    if (is_binary(e, BinaryOp::div)) return monotone(*e.args[0]) && is_count(*e.args[1]);
    if (e.kind != ExprKind::call) return false;
    if (e.name == "pow2ceil") return monotone(*e.args[0]);
    if (e.name == "ceildiv") return monotone(*e.args[0]) && is_count(*e.args[1]);
    return (e.name == "min" || e.name == "max") &&
           std::ranges::all_of(e.args, [&](const ExprPtr& a) { return monotone(*a); });
  }
  bool is_count(const Expr& e) const { return sizes_in(e).empty() && grows(e); }

  bool apart(const Expr& a, const Expr& b) const {
    const std::set<std::string> of_a = sizes_in(a), of_b = sizes_in(b);
    return std::ranges::none_of(of_a, [&](const std::string& name) { return of_b.contains(name); });
  }

  bool is_multiple(const Expr& rest, const Expr& zero) const {
    if (!is_binary(rest, BinaryOp::mod) || zero.kind != ExprKind::integer || zero.integer != 0) return false;
    const Expr &size = *rest.args[0], &of = *rest.args[1];
    return grows(size) && grows(of) && apart(size, of);
  }

  ClaimKind kind_of(const Expr& e) const {
    if (e.kind != ExprKind::binary || e.binary == BinaryOp::ne || !opposite(e.binary)) return ClaimKind::hole;
    const Expr &a = *e.args[0], &b = *e.args[1];
    if (e.binary == BinaryOp::eq && (is_multiple(a, b) || is_multiple(b, a))) return ClaimKind::alignment;
    return monotone(a) && monotone(b) && apart(a, b) ? ClaimKind::limit : ClaimKind::hole;
  }

  std::set<std::string> tuned_;
};

}  // namespace

std::vector<Claim> claims_of(const Candidate& candidate) {
  std::vector<Claim> out;
  const ClaimReader reader(candidate);
  for (const ExprPtr& condition : candidate.requires_) reader.add(condition, out);
  return out;
}

std::vector<std::string> holes_of(const Candidate& candidate) {
  std::vector<std::string> out;
  for (Claim& c : claims_of(candidate))
    if (c.kind == ClaimKind::hole) out.push_back(std::move(c.not_claimed));
  return out;
}

}  // namespace ww::candidate
