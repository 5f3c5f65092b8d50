// SPDX-License-Identifier: Apache-2.0
// Rewrites a sentence that is not understood as written: resources/phrasebook/frames.txt has rules for the text around
// a request, rewrites.txt the others.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "op/formula/rules.h"
#include "op/sentence/edited.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op {

// The request without its frame; what the frame says of the inputs and the result is separate.
struct Framed {
  Edited request;
  std::vector<std::string> inputs, results;
};
std::optional<Framed> framed(const Library& library, std::string_view sentence);

// The sentence with an example for each unspecified value ("subtracts a value"), by the rules of blanks.txt.
struct Filled {
  std::string sentence;
  std::vector<std::string> examples;
};
std::optional<Filled> filled_in(const Library& library, std::string_view sentence);

// The sentence as rewritten by the rules; empty if no rule matches.
std::optional<Edited> rewritten(const Library& library, std::string_view sentence);

// What the first rule that holds all of `words` puts in their place.
std::optional<std::string> matching_rule(const Library& library, const formula::Rules& rules, std::string_view words);

// The longest rule that holds the words from tokens[at] on: where they end, and what stands for them.
struct RuleAt {
  std::size_t end = 0;  // a token
  std::string text;
};
std::optional<RuleAt> rule_at(const Library& library, const formula::Rules& rules, std::string_view sentence,
                              const std::vector<phrases::Token>& tokens, std::size_t at);

}  // namespace ww::op
