// SPDX-License-Identifier: Apache-2.0
// Checks of a candidate's text beyond its directives.
#pragma once
#include <set>
#include <string_view>
#include "base/result.h"

namespace ww::candidate {

Status check_text(std::string_view text);                      // size, NUL bytes, UTF-8, lengths of tokens
Status check_option(std::string_view option);                  // "fast-math", "maxrregcount=N" with N in 16…255
std::set<std::string_view> code_words(std::string_view text);  // identifiers outside "//" comments

}  // namespace ww::candidate
