// SPDX-License-Identifier: Apache-2.0
// Screens the preprocessor directives of CUDA C++ text. NVRTC opens any absolute path named by #include, #include_next
// or __has_include, and prints lines of that file in its log, so each text is screened before NVRTC sees it. The screen
// errs on the side of refusing: it does not determine whether a line that looks like a directive is inside a comment or
// a string.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww::compile {

// The names of the headers that the text includes, each approved by `allowed`. Refused (Code::compile, message with its
// line, cause with a caret): any other include; directives other than define, undef, if…endif, error, warning, pragma
// and include; pragmas other than unroll, once, pack, push_macro and diagnostics; __has_include and its variants,
// __TIME__, __DATE__ and __TIMESTAMP__, even if pasted together; #define and #undef of names that begin with two
// underscores; stray control characters.
Result<std::vector<std::string>> screen(std::string_view code, const std::function<bool(const std::string&)>& allowed);

}  // namespace ww::compile
