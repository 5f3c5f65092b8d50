// SPDX-License-Identifier: Apache-2.0
// Replies that change a file in a few places instead of repeating it:
//   <<<<<<< SEARCH
//   lines of the file
//   =======
//   what takes their place
//   >>>>>>> REPLACE
// Applied strictly: whole lines, byte for byte, each found exactly once in the file as it was given. Nothing is
// guessed: an error says what was found instead.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww::llm {

struct Edit {
  std::vector<std::string> search, replacement;  // lines
};
// The edits of a reply, in order, inside of fences or not; none: it holds no marker. Code::parse: a block is malformed,
// or a whole candidate is beside them.
Result<std::vector<Edit>> edits_in(std::string_view reply);
// `file` with the edits. They are found in `shown`, the file as the model saw it, which has the same lines except for
// what was withheld within them; no two may overlap. Code::parse: one does not match exactly once, or nothing changes.
Result<std::string> edited(std::string_view file, std::string_view shown, const std::vector<Edit>& edits);

}  // namespace ww::llm
