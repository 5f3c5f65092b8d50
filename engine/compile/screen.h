// SPDX-License-Identifier: Apache-2.0
// Screens what CUDA C++ text asks of the preprocessor. NVRTC opens any absolute path that an #include, #include_next or
// __has_include names and prints the lines it stumbles over into its log, so a text is screened before NVRTC sees it.
// The screen errs to the side of refusing: it does not try to know whether a line that looks like a directive stands
// inside a comment or a string.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww::compile {

// The names of the headers that the text includes, each one approved by `allowed`. Refused (Code::compile, message with
// its line, cause with a caret): any other include, directives beside define, undef, if…endif, error, warning, pragma
// and include; pragmas beside unroll, once, pack, push_macro and diagnostics; __has_include and its variants, also when
// a condition could paste it together; __TIME__, __DATE__ and __TIMESTAMP__, likewise; #define and #undef of names that
// begin with two underscores; stray control characters.
Result<std::vector<std::string>> screen(std::string_view code, const std::function<bool(const std::string&)>& allowed);

}  // namespace ww::compile
