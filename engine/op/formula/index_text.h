// SPDX-License-Identifier: Apache-2.0
// Equations in index notation as people write them, as text that the op language has.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ww::op {

// "h_t = a_t h_{t-1} + b_t" as "h[t] = a[t] * h[t-1] + b[t]"; nothing where no subscript is shifted.
std::optional<std::string> with_brackets(std::string_view written);
// "x[i][j]", "0.5 x[i]" and a tensor called `in`, as the op language has them.
std::string plain_brackets(std::string_view text);
// "y[b, :] = x[b, :] * w[b]" as "y[b, k] = x[b, k] * w[b]"; nothing where the sides take different parts whole.
std::optional<std::string> with_letters(std::string_view text);
// "h[t] = a[t] * h[t-1] + b[t] with h[0] = b[0]" as "h[t] = if(t > 0, a[t] * h[t-1] + b[t], b[t])"; nothing where no
// first element is given.
std::optional<std::string> with_first_element(std::string_view text);
// Where equations that begin at `begin` may end: in front of a comma or a word that leads to sizes.
std::vector<std::size_t> ends_of(std::string_view sentence, std::size_t begin);

}  // namespace ww::op
