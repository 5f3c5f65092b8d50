// SPDX-License-Identifier: Apache-2.0
// Products of matrices and vectors.
#include <algorithm>
#include "op/formula/lowering.h"

namespace ww::op::formula {

using Kind = Node::Kind;

Maybe Lowering::product(const Node& n) {
  if (auto whole = library_product(n)) return whole;
  auto a = lower(n.args[0]), b = lower(n.args[1]);
  if (!a || !b) return std::nullopt;
  if (a->kept || b->kept) return ask("A product with a result of keepdim=True is not understood; leave keepdim out.");
  return product_of(*a, *b);
}

Maybe Lowering::product_of(const Value& a, const Value& b) {
  if (a.axes.empty() || b.axes.empty()) {
    Value out = a.axes.empty() ? b : a;
    const int contracted = out.contracted;
    out = with_text(out, "(" + a.text + " * " + b.text + ")");
    out.contracted = contracted;
    return out;
  }
  Value out;
  used_.push_back("matmul");
  const std::size_t ra = a.axes.size(), rb = b.axes.size();
  if (ra == 1 && rb == 1 && b.row && !a.row) {  // x y^T
    out.axes = {a.axes[0], b.axes[0]};
    out.text = "(" + a.text + " * " + b.text + ")";
    return out;
  }
  if (ra == 1 && rb == 1 && !a.row && !b.row && !exact_product_)
    return ask("Is the product of two vectors meant element by element ('*') or summed up ('dot')?");
  const int inner_a = a.axes.back(), inner_b = rb == 1 ? b.axes[0] : b.axes[rb - 2];
  if (!builder_.join_axes(inner_a, inner_b)) return ask(builder_.clash);
  const std::size_t lead_a = ra > 2 ? ra - 2 : 0, lead_b = rb > 2 ? rb - 2 : 0;
  for (std::size_t i = 0; i < std::min(lead_a, lead_b); ++i)
    if (!builder_.join_axes(a.axes[lead_a - 1 - i], b.axes[lead_b - 1 - i])) return ask(builder_.clash);
  const Value& more = lead_a >= lead_b ? a : b;
  for (std::size_t i = 0; i < std::max(lead_a, lead_b); ++i) out.axes.push_back(more.axes[i]);
  if (ra >= 2) {
    out.axes.push_back(a.axes[ra - 2]);
    builder_.set_name(builder_.size_of(a.axes[ra - 2]), "M");
  }
  if (rb >= 2) {
    out.axes.push_back(b.axes[rb - 1]);
    builder_.set_name(builder_.size_of(b.axes[rb - 1]), products_ == 0 ? "N" : "P");
  }
  builder_.set_name(builder_.size_of(inner_a), products_ == 0 ? "K" : "L");
  ++products_;
  const int size = builder_.size_of(inner_a);
  out.row = ra == 1 && a.row;
  out.text = "(sum(" + Builder::axis_text(inner_a) + " in 0.." + Builder::size_text(size) + ") " + a.text + " * " +
             b.text + ")";
  out.contracted = size;
  return out;
}

Maybe Lowering::library_product(const Node& n) {
  if (&n != &statement_.value || n.text != "@") return std::nullopt;
  const bool ta = n.args[0].kind == Kind::transpose, tb = n.args[1].kind == Kind::transpose;
  const Node& a = ta ? n.args[0].args[0] : n.args[0];
  const Node& b = tb ? n.args[1].args[0] : n.args[1];
  if (a.kind != Kind::name || b.kind != Kind::name || tables_.scalars.count(a.text) || tables_.scalars.count(b.text))
    return std::nullopt;
  if (rank_of(a) != 2 || rank_of(b) != 2) return std::nullopt;
  const char* name = ta && tb ? "matmul_at_bt" : ta ? "matmul_at" : tb ? "matmul_bt" : "matmul";
  if (a.text == b.text) {
    if (ta || !tb) return std::nullopt;
    return apply("gram", {a}, {});
  }
  return apply(name, {a, b}, {});
}

}  // namespace ww::op::formula
