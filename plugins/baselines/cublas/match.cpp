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
    const op::Index& index, const op::Resolved& resolved) {  // its length; nothing when it depends on other indices
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

namespace {

constexpr std::int64_t max_dimension = std::numeric_limits<std::int32_t>::max();

std::string too_long(std::int64_t n) {
  return "a dimension of " + std::to_string(n) + " is not supported by cuBLAS's interface";
}

struct Operands {  // of the one sum of products that the op is
  const op::Equation* equation = nullptr;
  const Expr *sum = nullptr, *a = nullptr, *b = nullptr;
  std::vector<std::string> subscripts_a, subscripts_b;
  Layout la, lb, ly;  // of the two operands and the result
};

// Why the op is not a sum of products of two plain tensors; empty if it is.
std::string find_operands(const op::Spec& spec, Operands& out) {
  if (spec.outputs.size() != 1 || spec.equations.size() != 1)
    return "cuBLAS computes a matrix product alone; the op " + spec.name + " has " +
           std::to_string(spec.equations.size()) + " equations";
  out.equation = &spec.equations.front();
  out.sum = out.equation->value.get();
  const Expr& sum = *out.sum;
  if (sum.kind != ExprKind::reduce || sum.reduce != op::ReduceOp::sum) {
    bool reads_sum = false;
    op::for_each(sum, [&](const Expr& e) { reads_sum = reads_sum || e.kind == ExprKind::reduce; });
    return reads_sum ? "the op " + spec.name + " does more than a matrix product (" + out.equation->target +
                           " is not the sum alone); what surrounds the product is not matched"
                     : "the op " + spec.name + " has no sum of products";
  }
  if (sum.args.size() > 1) return "only some terms of the sum count (a condition); cuBLAS's product takes all";
  const Expr& term = *sum.args[0];
  if (term.kind != ExprKind::binary || term.binary != op::BinaryOp::mul)
    return "the sum is not one of products of two tensors";
  out.a = access_of(*term.args[0]);
  out.b = access_of(*term.args[1]);
  if (!out.a || !out.b) return "the sum is not one of products of two tensors as they are";
  auto subscripts_a = plain_subscripts(*out.a), subscripts_b = plain_subscripts(*out.b);
  if (!subscripts_a || !subscripts_b)
    return "a tensor is read at computed places, as in a convolution; cuBLAS's product cannot do that";
  out.subscripts_a = std::move(*subscripts_a);
  out.subscripts_b = std::move(*subscripts_b);
  return {};
}

// Why the element types are not matched; empty when they are.
std::string find_types(const op::Spec& spec, const Operands& operands, Product& p) {
  p.in = op::find_param(spec, operands.a->name)->dtype;
  p.out = spec.outputs.front().dtype;
  if (op::find_param(spec, operands.b->name)->dtype != p.in) return "the two operands have different element types";
  const bool half = p.in == DType::f16 || p.in == DType::bf16;
  if (is_real(p.in) && (p.out == p.in || (half && p.out == DType::f32))) return {};
  return "element types " + std::string(dtype_name(p.in)) + " to " + std::string(dtype_name(p.out)) +
         " are not among those matched (f64, f32, f16 and bf16, the last two also to f32)";
}

// Why the tensors are not read as plain arrays; empty when they are.
Result<std::string> find_layouts(const op::Spec& spec, const op::Binding& binding, Operands& out) {
  std::vector<std::string> targets;
  for (const op::Index& i : out.equation->indices) targets.push_back(i.name);
  const struct {
    const op::Param& tensor;
    const std::vector<std::string>& subscripts;
    Layout& layout;
  } reads[] = {{*op::find_param(spec, out.a->name), out.subscripts_a, out.la},
               {*op::find_param(spec, out.b->name), out.subscripts_b, out.lb},
               {spec.outputs.front(), targets, out.ly}};
  std::vector<std::vector<std::int64_t>> shapes;
  for (const auto& r : reads) {
    shapes.push_back(WW_TRY(op::shape_of(spec, r.tensor, binding)));
    for (const std::int64_t n : shapes.back())
      if (n < 1 || n > max_dimension) return too_long(n);
  }
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    auto layout = layout_of(reads[k].subscripts, shapes[k]);
    if (!layout) return "a diagonal is read; cuBLAS's product cannot do that";
    reads[k].layout = std::move(*layout);
  }
  return std::string();
}

// The indices by what a product does with them: in both operands and the result, in one operand and the result, summed.
struct Classes {
  std::vector<std::string> batch, m, n, k;
};

// Why the indices do not fit a matrix product; empty when they do.
Result<std::string> classify(const Operands& o, const op::Resolved& resolved, Classes& out) {
  // Every index must run over the whole of each dimension that it walks along, and belong to one class.
  const auto whole = [&](const op::Index& index) -> Result<bool> {
    const auto range = WW_TRY(full_range(index, resolved));
    if (!range) return false;
    for (const Layout* l : {&o.la, &o.lb, &o.ly})
      if (const Axis* axis = find(*l, index.name); axis && axis->extent != *range) return false;
    return true;
  };
  const char* const partial =
      "an index does not run over the whole of a dimension, as in a triangular product; cuBLAS's product takes all";
  for (const op::Index& i : o.equation->indices) {
    if (!WW_TRY(whole(i))) return partial;
    const bool in_a = find(o.la, i.name), in_b = find(o.lb, i.name);
    if (!in_a && !in_b) return "the result is repeated along an index that neither operand has";
    (in_a && in_b ? out.batch : in_a ? out.m : out.n).push_back(i.name);
  }
  for (const op::Index& i : o.sum->indices) {
    if (!WW_TRY(whole(i))) return partial;
    if (!find(o.la, i.name) || !find(o.lb, i.name)) return "the sum runs over an index that only one operand has";
    out.k.push_back(i.name);
  }
  if (out.k.empty()) return "nothing is summed";
  std::stable_sort(out.k.begin(), out.k.end(), [&](const std::string& x, const std::string& y) {
    return find(o.la, x)->stride > find(o.la, y)->stride;
  });
  if (out.m.empty() && out.n.empty()) return "a dot product, not a matrix product";
  return std::string();
}

// One operand with the walks of its own index class and of the summed one.
struct Factor {
  const std::string& tensor;
  Walk own, depth, batch, result;  // result: of its own class
};

// Why cuBLAS cannot read or write the matrices as they lie in memory; empty when `p` describes the call.
std::string place_matrices(const Factor& a, const Factor& b, Product& p) {
  // The side along which the result is contiguous becomes the rows of the column-major result.
  const bool a_inside = a.result.stride == 1 && a.result.extent > 1;
  const Factor &rows = a_inside ? a : b, &columns = a_inside ? b : a;
  const auto left = matrix_of(rows.own, rows.depth), right = matrix_of(columns.depth, columns.own),
             result = matrix_of(rows.result, columns.result);
  if (!left || !right || !result || result->transposed) return "neither dimension of an operand is contiguous";
  p.left = rows.tensor;
  p.right = columns.tensor;
  p.rows = rows.result.extent;
  p.columns = columns.result.extent;
  p.depth = a.depth.extent;
  p.left_transposed = left->transposed;
  p.right_transposed = right->transposed;
  p.ld_left = left->ld;
  p.ld_right = right->ld;
  p.ld_result = result->ld;
  p.stride_left = rows.batch.stride;
  p.stride_right = columns.batch.stride;
  for (const std::int64_t x : {p.rows, p.columns, p.depth, p.batch, p.ld_left, p.ld_right, p.ld_result})
    if (x > max_dimension) return too_long(x);
  return {};
}

// A matrix times a vector that is contiguous along the summed indices: gemv, the vector on the right.
void prefer_vector(const Factor& matrix, const Factor& vector, Product& p) {
  const auto layout = matrix_of(matrix.own, matrix.depth);
  if (!layout || vector.depth.stride > 1 || matrix.result.stride > 1) return;
  p.vector = true;
  p.left = matrix.tensor;
  p.right = vector.tensor;
  p.left_transposed = layout->transposed;
  p.right_transposed = false;
  p.ld_left = layout->ld;
  p.rows = matrix.own.extent;
  p.columns = 1;
}

}  // namespace

Result<Match> match(const op::Spec& spec, const op::Binding& binding) {
  const op::Resolved resolved = WW_TRY(op::resolve(spec, binding));
  Operands o;
  if (const std::string why = find_operands(spec, o); !why.empty()) return no(why);
  Product p;
  p.result = spec.outputs.front().name;
  Classes c;
  if (const std::string why = find_types(spec, o, p); !why.empty()) return no(why);
  if (const std::string why = WW_TRY(find_layouts(spec, binding, o)); !why.empty()) return no(why);
  if (const std::string why = WW_TRY(classify(o, resolved, c)); !why.empty()) return no(why);
  const auto ma = merged(o.la, c.m), my = merged(o.ly, c.m), nb = merged(o.lb, c.n), ny = merged(o.ly, c.n),
             ka = merged(o.la, c.k), kb = merged(o.lb, c.k), ba = merged(o.la, c.batch), bb = merged(o.lb, c.batch),
             by = merged(o.ly, c.batch);
  if (!ma || !my || !nb || !ny || !ka || !kb || !ba || !bb || !by)
    return no("its dimensions cannot be merged into those of one (batched) matrix product");
  p.batch = by->extent;
  p.stride_result = by->stride;
  const Factor a{o.a->name, *ma, *ka, *ba, *my}, b{o.b->name, *nb, *kb, *bb, *ny};
  if (const std::string why = place_matrices(a, b, p); !why.empty()) return no(why);
  if ((p.in == DType::f32 || p.in == DType::f64) && p.batch == 1 && (c.m.empty() || c.n.empty()))
    c.n.empty() ? prefer_vector(a, b, p) : prefer_vector(b, a, p);
  return Match{true, p, {}};
}

}  // namespace ww::cublas
