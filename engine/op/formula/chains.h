// SPDX-License-Identifier: Apache-2.0
// Capital letters set side by side: a product of matrices (QK, ABx), or an abbreviation (MoE, CSR)?
#pragma once
#include <optional>
#include <string_view>
#include "op/formula/reading.h"

namespace ww::op::formula {

// Whether such letters make a product for certain: "QK", "ABC", "Wx".
bool is_chain(const Tables& tables, std::string_view letters);
// Whether a statement has nothing but names, and some of them are letters that make none: "MoE", "CSR matrix". A
// transpose makes them one: "GH^T".
bool is_abbreviation(const Library& library, std::string_view sentence, const Statement& s);
// The sentence that begins with such letters as a product: "M @ o @ E".
std::optional<Option> letters_as_product(const Library& library, std::string_view sentence);

}  // namespace ww::op::formula
