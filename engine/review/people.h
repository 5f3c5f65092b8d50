// SPDX-License-Identifier: Apache-2.0
// Names of reviewers: normalises their spelling and finds those that could be mistaken for one another.
#pragma once
#include <string>
#include <string_view>

namespace ww::review {

// The name without surrounding or doubled blanks, invisible and bidirectional characters; accented Latin letters are
// one code point each (as in Unicode's NFC).
std::string normal_name(std::string_view name);
// Equal for names that look alike: case, marks, blanks and punctuation are left out, Cyrillic, Greek and full-width
// letters and digits are what they look like in Latin. "Ada", "ada", "Ada " and "Аda" have the same.
std::string name_shape(std::string_view name);

}  // namespace ww::review
