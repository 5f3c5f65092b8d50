// SPDX-License-Identifier: Apache-2.0
// Predicates on expressions, and integer expressions built with the obvious simplifications.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>
#include "search/program.h"

namespace ww::search {

ExprPtr add(ExprPtr a, ExprPtr b);
ExprPtr sub(ExprPtr a, ExprPtr b);
ExprPtr mul(ExprPtr a, ExprPtr b);
ExprPtr simplified(const ExprPtr& e);                   // the same rules applied throughout
bool is_integer(const ExprPtr& e, std::int64_t value);  // the literal
bool is_name(const Expr& e, const std::string& name);
bool is_index(const Expr& e);  // a bare index name

ExprPtr extent(const Index& index);                // hi - lo
ExprPtr extent(const std::vector<Index>& domain);  // product; 1 for none
bool from_zero(const Index& index);
bool same(const ExprPtr& a, const ExprPtr& b);  // equal for all values, as far as op::same_integer can tell
bool same_range(const Index& a, const Index& b);
bool same_domain(const std::vector<Index>& a, const std::vector<Index>& b);
// No range depends on another index of the domain, or on data.
bool rectangular(const std::vector<Index>& domain);

bool uses(const Expr& e, const std::string& index);  // index occurs free
bool uses_any(const Expr& e, const std::set<std::string>& indices);
bool reads(const Expr& e, const std::string& tensor);
bool reads_any(const Expr& e, const std::set<std::string>& tensors);
bool has_reduce(const Expr& e);
// Reductions that are not nested in another one, in order of occurrence.
std::vector<const Expr*> outer_reductions(const Expr& e);
// Every access to `tensor`.
std::vector<const Expr*> accesses(const Expr& e, const std::string& tensor);

// Factors of a product: a * b / c gives factors {a, b} and divisors {c}. Only through real-typed nodes.
struct Factors {
  std::vector<ExprPtr> over, under;
};
Factors factors_of(const ExprPtr& e);
std::vector<ExprPtr> multiplicands(const ExprPtr& e);     // a * b * c gives {a, b, c}, whatever their type
ExprPtr product_of(const std::vector<ExprPtr>& factors);  // 1.0 for none

std::set<std::string> names_of(const std::vector<Index>& domain);
std::set<std::string> names_of(const Program& program);  // tensors, symbols and constants
ExprPtr rename_indices(const ExprPtr& e, const std::map<std::string, std::string>& names);  // free and bound alike

}  // namespace ww::search
