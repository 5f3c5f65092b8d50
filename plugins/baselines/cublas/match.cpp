// SPDX-License-Identifier: Apache-2.0
#include "match.h"
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <vector>
#include "op/parse.h"
#include "op/walk.h"

namespace ww::cublas {
namespace {

using op::Expr;
using op::ExprKind;

struct Axis {  // of one index: how it walks through a tensor
  std::string index;
  std::int64_t extent = 0, stride = 0;
};
using Layout = std::vector<Axis>;  // outermost first

Match no(std::string why) { return {false, {}, std::move(why)}; }

// The access below casts that change nothing in a product that is computed in f32 or more.
const Expr* access_of(const Expr& e) {
  if (e.kind == ExprKind::access) return &e;
  if (e.kind == ExprKind::cast && (e.cast == DType::f32 || e.cast == DType::f64)) return access_of(*e.args[0]);
  return nullptr;
}

// Each subscript a lone index, each index once.
std::optional<Layout> layout_of(const std::vector<std::string>& subscripts, const std::vector<std::int64_t>& shape) {
  Layout out;
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (std::any_of(out.begin(), out.end(), [&](const Axis& a) { return a.index == subscripts[i]; }))
      return std::nullopt;
    out.insert(out.begin(), Axis{subscripts[i], shape[i], stride});
    stride *= shape[i];
  }
  return out;
}

std::optional<std::vector<std::string>> plain_subscripts(const Expr& access) {
  std::vector<std::string> out;
  for (const op::ExprPtr& s : access.args) {
    if (s->kind != ExprKind::name || s->role != op::Role::index) return std::nullopt;
    out.push_back(s->name);
  }
  return out;
}

const Axis* find(const Layout& layout, const std::string& index) {
  for (const Axis& a : layout)
    if (a.index == index) return &a;
  return nullptr;
}

// Several indices that walk through a tensor like one: extent 1 and stride 0 when there are none.
struct Walk {
  std::int64_t extent = 1, stride = 0;
};
std::optional<Walk> merged(const Layout& layout, const std::vector<std::string>& indices) {
  Walk w;
  bool first = true;
  for (auto it = indices.rbegin(); it != indices.rend(); ++it) {  // innermost first
    const Axis* a = find(layout, *it);
    if (!a) return std::nullopt;
    if (a->extent == 1) continue;
    if (first)
      w = {a->extent, a->stride};
    else if (a->stride == w.extent * w.stride)
      w.extent *= a->extent;
    else
      return std::nullopt;
    first = false;
  }
  return w;
}

// A matrix as cuBLAS reads it: `along` has stride 1 when it is not transposed, `other` otherwise.
struct Matrix {
  bool transposed = false;
  std::int64_t ld = 1;
};
std::optional<Matrix> matrix_of(const Walk& along, const Walk& other) {
  const bool along_free = along.extent == 1, other_free = other.extent == 1;
  if (along_free || along.stride == 1) {
    if (other_free) return Matrix{false, std::max<std::int64_t>(1, along.extent)};
    if (other.stride >= along.extent) return Matrix{false, other.stride};
  }
  if (other_free || other.stride == 1) {
    if (along_free) return Matrix{true, std::max<std::int64_t>(1, other.extent)};
    if (along.stride >= other.extent) return Matrix{true, along.stride};
  }
  return std::nullopt;
}

Result<std::optional<std::int64_t>> full_range(
    const op::Index& index, const op::Resolved& resolved) {  // its length; nothing when it hangs on other indices
  if (!op::free_indices(*index.lo).empty() || !op::free_indices(*index.hi).empty() ||
      !op::tensors_read(*index.hi).empty())
    return std::nullopt;
  const op::Lookup lookup = [&](const std::string& name) { return resolved.integer(name); };
  const std::int64_t lo = WW_TRY(op::eval_integer(*index.lo, lookup));
  const std::int64_t hi = WW_TRY(op::eval_integer(*index.hi, lookup));
  if (lo != 0) return std::nullopt;
  return hi;
}

}  // namespace

std::string Product::text() const {
  const std::string arithmetic = in == DType::f64   ? "f64"
                                 : in == DType::f32 ? "f32, TF32 is not used"
                                                    : std::string(dtype_name(in)) + " summed in f32";
  const std::string name_left = left + (left_transposed ? " transposed" : ""),
                    name_right = right + (right_transposed ? " transposed" : "");
  std::string call = vector      ? (in == DType::f64 ? "cublasDgemv" : "cublasSgemv")
                     : batch > 1 ? "cublasGemmStridedBatchedEx"
                                 : "cublasGemmEx";
  call += ": m " + std::to_string(rows) + ", n " + std::to_string(columns) + ", k " + std::to_string(depth);
  if (batch > 1) call += ", batch " + std::to_string(batch);
  return call + ", " + name_left + " times " + name_right + " (column-major), " + arithmetic;
}

Result<Match> match(const op::Spec& spec, const op::Binding& binding) {
  const op::Resolved resolved = WW_TRY(op::resolve(spec, binding));
  if (spec.outputs.size() != 1 || spec.equations.size() != 1)
    return no("cuBLAS computes a matrix product alone; the op " + spec.name + " has " +
              std::to_string(spec.equations.size()) + " equations");
  const op::Equation& equation = spec.equations.front();
  const Expr& sum = *equation.value;
  if (sum.kind != ExprKind::reduce || sum.reduce != op::ReduceOp::sum) {
    bool reads_sum = false;
    op::for_each(sum, [&](const Expr& e) { reads_sum = reads_sum || e.kind == ExprKind::reduce; });
    return no(reads_sum ? "the op " + spec.name + " does more than a matrix product (" + equation.target +
                              " is not the sum alone); what stands around the product is not matched"
                        : "the op " + spec.name + " has no sum of products");
  }
  if (sum.args.size() > 1) return no("only some terms of the sum count (a condition); cuBLAS's product takes all");
  const Expr& term = *sum.args[0];
  if (term.kind != ExprKind::binary || term.binary != op::BinaryOp::mul)
    return no("the sum is not one of products of two tensors");
  const Expr* a = access_of(*term.args[0]);
  const Expr* b = access_of(*term.args[1]);
  if (!a || !b) return no("the sum is not one of products of two tensors as they are");
  const auto subscripts_a = plain_subscripts(*a), subscripts_b = plain_subscripts(*b);
  if (!subscripts_a || !subscripts_b)
    return no("a tensor is read at computed places, as in a convolution; cuBLAS's product cannot do that");

  const op::Param* pa = op::find_param(spec, a->name);
  const op::Param* pb = op::find_param(spec, b->name);
  const op::Param& py = spec.outputs.front();
  if (pa->dtype != pb->dtype) return no("the two operands have different element types");
  Product p;
  p.in = pa->dtype;
  p.out = py.dtype;
  const bool half = p.in == DType::f16 || p.in == DType::bf16;
  if (!is_real(p.in) || !(p.out == p.in || (half && p.out == DType::f32)))
    return no("element types " + std::string(dtype_name(p.in)) + " to " + std::string(dtype_name(p.out)) +
              " are not among those matched (f64, f32, f16 and bf16, the last two also to f32)");

  const auto shape_a = op::shape_of(spec, *pa, binding), shape_b = op::shape_of(spec, *pb, binding),
             shape_y = op::shape_of(spec, py, binding);
  for (const auto* shape : {&shape_a, &shape_b, &shape_y}) {
    if (!*shape) return fail(shape->error());
    for (const std::int64_t n : **shape)
      if (n < 1 || n > std::numeric_limits<std::int32_t>::max())
        return no("a dimension of " + std::to_string(n) + " is not one that cuBLAS's interface takes");
  }
  std::vector<std::string> targets;
  for (const op::Index& i : equation.indices) targets.push_back(i.name);
  const auto la = layout_of(*subscripts_a, *shape_a), lb = layout_of(*subscripts_b, *shape_b),
             ly = layout_of(targets, *shape_y);
  if (!la || !lb || !ly) return no("a diagonal is read; cuBLAS's product cannot do that");

  // Every index must run over the whole of each dimension that it walks along, and belong to one class.
  std::vector<std::string> batch, m, n, k;
  const auto whole = [&](const op::Index& index) -> Result<bool> {
    const auto range = WW_TRY(full_range(index, resolved));
    if (!range) return false;
    for (const Layout* l : {&*la, &*lb, &*ly})
      if (const Axis* axis = find(*l, index.name); axis && axis->extent != *range) return false;
    return true;
  };
  for (const op::Index& i : equation.indices) {
    const bool all = WW_TRY(whole(i));
    if (!all)
      return no(
          "an index does not run over the whole of a dimension, as in a triangular product; cuBLAS's product takes "
          "all");
    const bool in_a = find(*la, i.name), in_b = find(*lb, i.name);
    if (!in_a && !in_b) return no("the result is repeated along an index that neither operand has");
    (in_a && in_b ? batch : in_a ? m : n).push_back(i.name);
  }
  for (const op::Index& i : sum.indices) {
    const bool all = WW_TRY(whole(i));
    if (!all)
      return no(
          "an index does not run over the whole of a dimension, as in a triangular product; cuBLAS's product takes "
          "all");
    if (!find(*la, i.name) || !find(*lb, i.name)) return no("the sum runs over an index that only one operand has");
    k.push_back(i.name);
  }
  if (k.empty()) return no("nothing is summed");
  std::stable_sort(k.begin(), k.end(), [&](const std::string& x, const std::string& y) {
    return find(*la, x)->stride > find(*la, y)->stride;
  });
  if (m.empty() && n.empty()) return no("a dot product, not a matrix product");

  const auto ma = merged(*la, m), my = merged(*ly, m), nb = merged(*lb, n), ny = merged(*ly, n), ka = merged(*la, k),
             kb = merged(*lb, k);
  const auto ba = merged(*la, batch), bb = merged(*lb, batch), by = merged(*ly, batch);
  if (!ma || !my || !nb || !ny || !ka || !kb || !ba || !bb || !by)
    return no("its dimensions cannot be put together to those of one (batched) matrix product");

  // The side along which the result is contiguous becomes the rows of the column-major result.
  const bool m_inside = my->stride == 1 && my->extent > 1;
  const Walk rows_in = m_inside ? *ma : *nb, columns_in = m_inside ? *nb : *ma, rows_out = m_inside ? *my : *ny,
             columns_out = m_inside ? *ny : *my;
  const Walk depth_left = m_inside ? *ka : *kb, depth_right = m_inside ? *kb : *ka;
  const auto left = matrix_of(rows_in, depth_left), right = matrix_of(depth_right, columns_in),
             result = matrix_of(rows_out, columns_out);
  if (!left || !right || !result || result->transposed) return no("neither dimension of an operand is contiguous");
  p.left = m_inside ? a->name : b->name;
  p.right = m_inside ? b->name : a->name;
  p.result = py.name;
  p.rows = rows_out.extent;
  p.columns = columns_out.extent;
  p.depth = ka->extent;
  p.batch = by->extent;
  p.left_transposed = left->transposed;
  p.right_transposed = right->transposed;
  p.ld_left = left->ld;
  p.ld_right = right->ld;
  p.ld_result = result->ld;
  p.stride_left = m_inside ? ba->stride : bb->stride;
  p.stride_right = m_inside ? bb->stride : ba->stride;
  p.stride_result = by->stride;
  for (const std::int64_t x : {p.rows, p.columns, p.depth, p.batch, p.ld_left, p.ld_right, p.ld_result})
    if (x > std::numeric_limits<std::int32_t>::max())
      return no("a dimension of " + std::to_string(x) + " is not one that cuBLAS's interface takes");

  if ((p.in == DType::f32 || p.in == DType::f64) && p.batch == 1 && (m.empty() || n.empty())) {
    // The matrix on the left, the vector (contiguous along k) on the right.
    const bool matrix_is_a = n.empty();
    const Walk side = matrix_is_a ? *ma : *nb, depth = matrix_is_a ? *ka : *kb, vector = matrix_is_a ? *kb : *ka,
               out = matrix_is_a ? *my : *ny;
    if (const auto matrix = matrix_of(side, depth); matrix && vector.stride <= 1 && out.stride <= 1) {
      p.vector = true;
      p.left = matrix_is_a ? a->name : b->name;
      p.right = matrix_is_a ? b->name : a->name;
      p.left_transposed = matrix->transposed;
      p.right_transposed = false;
      p.ld_left = matrix->ld;
      p.rows = side.extent;
      p.columns = 1;
    }
  }
  return Match{true, p, {}};
}

}  // namespace ww::cublas
