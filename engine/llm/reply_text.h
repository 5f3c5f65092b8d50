// SPDX-License-Identifier: Apache-2.0
// Extracts the requested part of a model's reply. Tolerates any wrapping, but guesses nothing beyond what each function
// names.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"

namespace ww::llm {

// UTF-8 without byte order marks, control characters (but tab and newline), carriage returns; bytes that are no
// character become U+FFFD, and so do characters that hide text or turn it round. No empty lines at either end, no
// newline at the end.
std::string plain_text(std::string_view text);
// On one line, at most `bytes` long ("…" where it was cut).
std::string one_line(std::string_view text, std::size_t bytes);
// The text without <think>…</think> and similar tags at the beginning of a line; text before a lone closing tag is
// removed too.
std::string without_thinking(std::string_view text);

struct FencedBlock {
  std::string info, text;  // "cuda"; the lines between, without the fence's indentation
  bool closed = true;      // false: the reply ends within it
};
// Fences of three or more backticks or tildes. "markdown" blocks are wrappings: what is in them counts as if it stood
// outside.
std::vector<FencedBlock> fenced_blocks(std::string_view text, std::string* outside = nullptr);

// The candidate for `op` (empty: of any) in a reply: the block that parses as one, the largest of several, or the whole
// reply from its first directive on where there is no fence. A missing "//@ candidate" line is added where the op is
// known and launches are there. Code::parse says what is wrong with the likeliest one; cause: with carets.
Result<candidate::Candidate> candidate_in(std::string_view reply, const std::string& op, candidate::Language language);
// The model's own line about it: what follows "Note:", else the last line outside of blocks; empty: none.
std::string note_in(std::string_view reply);

// The JSON object with this member in a reply, as text: alone, in a block, or within prose.
Result<std::string> json_in(std::string_view reply, std::string_view member);
// The op spec in a reply: the largest block that has a line "op NAME(…", or what begins so without a fence. Empty:
// none.
std::string spec_in(std::string_view reply);

}  // namespace ww::llm
