// SPDX-License-Identifier: Apache-2.0
// Extracts the requested part of a model's reply. Tolerates any wrapping, but infers nothing beyond what each function
// describes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"

namespace ww::llm {

// UTF-8 without byte order marks, control characters (except tab and newline) and carriage returns; invalid bytes
// become U+FFFD, as do characters that hide or reorder text. No empty lines at either end, no newline at the end.
std::string plain_text(std::string_view text);
// On one line, truncated to `bytes` with "…".
std::string one_line(std::string_view text, std::size_t bytes);
// The text without <think>…</think> and similar tags at the beginning of a line; text before a lone closing tag is
// removed too.
std::string without_thinking(std::string_view text);

struct FencedBlock {
  std::string info, text;  // "cuda"; the lines between, without the fence's indentation
  bool closed = true;      // false: the reply ends within it
};
// Fences of three or more backticks or tildes. "markdown" blocks are treated as wrappers: their contents count as
// outside.
std::vector<FencedBlock> fenced_blocks(std::string_view text, std::string* outside = nullptr);

// The candidate for `op` (empty: any) in a reply: the largest block that parses as one, or without a fence the reply
// from its first directive on. A missing "//@ candidate" line is added if the op is known and there are launches.
// Code::parse describes the error in the likeliest one; cause: with carets.
Result<candidate::Candidate> candidate_in(std::string_view reply, const std::string& op, candidate::Language language);
// The model's one-line summary: the text after "Note:", else the last line outside blocks; empty: none.
std::string note_in(std::string_view reply);

// The JSON object with this member in a reply, as text: alone, in a block, or within prose.
Result<std::string> json_in(std::string_view reply, std::string_view member);
// The op spec in a reply: the largest block with a line "op NAME(…", or without a fence the text that begins so. Empty:
// none.
std::string spec_in(std::string_view reply);

}  // namespace ww::llm
