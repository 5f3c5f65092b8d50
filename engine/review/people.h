// SPDX-License-Identifier: Apache-2.0
// Names of reviewers: normalises their spelling and detects look-alikes.
#pragma once
#include <string>
#include <string_view>

namespace ww::review {

// The name without leading, trailing or doubled blanks, invisible and bidirectional characters; accented Latin letters
// are one code point each (as in Unicode's NFC).
std::string normal_name(std::string_view name);
// Equal for look-alike names: case, marks, blanks and punctuation are ignored, and Cyrillic, Greek and full-width
// letters and digits map to their Latin look-alikes. "Ada", "ada", "Ada " and "Аda" give the same.
std::string name_shape(std::string_view name);

}  // namespace ww::review
