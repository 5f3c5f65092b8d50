// SPDX-License-Identifier: Apache-2.0
// Traversing, rewriting and building expressions. Built nodes are typed; rewriting does not change types.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::op {

// Calls `visit` on every node, parents first: arguments, and the ranges of reductions.
void for_each(const Expr& expr, const std::function<void(const Expr&)>& visit);

// A copy in which every node for which `change` returns an expression is replaced by it (outermost first; the
// replacement is not rewritten again); unchanged subtrees are shared with the original.
ExprPtr rewrite(const ExprPtr& expr, const std::function<ExprPtr(const Expr&)>& change);

// Replaces names (indices, symbols, constants) by expressions. The caller must ensure that reduction indices do not
// capture any.
ExprPtr substitute(const ExprPtr& expr, const std::map<std::string, ExprPtr>& names);

// Indices that `expr` uses but does not bind, in order of first use; tensors that it reads.
std::vector<std::string> free_indices(const Expr& expr);
std::vector<std::string> tensors_read(const Expr& expr);
// Inputs, in their order, that an equation of an output reads, itself or through temporaries; the outputs depend on no
// other.
std::vector<std::string> inputs_read(const Spec& spec);

ExprPtr integer_literal(std::int64_t value);
ExprPtr real_literal(double value);
ExprPtr name_of(std::string name, Role role, Type type = Type::integer);
ExprPtr binary_of(BinaryOp op, ExprPtr a, ExprPtr b);  // the type follows from the operands
ExprPtr unary_of(UnaryOp op, ExprPtr a);
ExprPtr select_of(ExprPtr condition, ExprPtr yes, ExprPtr no);  // a real
ExprPtr access_of(std::string tensor, std::vector<ExprPtr> subscripts, Type type);

Type type_of(DType dtype);  // of an element

// Whether two integer expressions are provably equal for all values of their names, by polynomial arithmetic.
bool same_integer(const Expr& a, const Expr& b);
// The value of an integer expression, if it is constant.
bool integer_value(const Expr& expr, std::int64_t* value);

}  // namespace ww::op
