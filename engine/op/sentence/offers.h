// SPDX-License-Identifier: Apache-2.0
// Choices for a sentence that is not understood: unknown words replaced by known ones, or left out.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include "op/sentence/phrasebook.h"

namespace ww::op {

using ReadAny = std::function<Understanding(const std::string&)>;

// Adds the sentence as a choice if it is understood and its meaning is not offered yet.
void add_choice(const ReadAny& read, const std::string& sentence, const std::string& difference, Understanding& out);
void offer(const Library& library, std::string_view sentence, const ReadAny& read, Understanding& out);
// understand() without choices, for callers that only need the meaning.
Understanding understand_alone(const Library& library, std::string_view sentence);
std::string in_quotes(std::string_view text);  // only the beginning of a long text
std::string with_span_as(std::string_view sentence, Span span, std::string_view with);

// In place of a meaning; choices follow, then settle_outcome(): without any it is a refusal.
void ask_instead(Understanding& out, std::string question);
void settle_outcome(Understanding& out);

}  // namespace ww::op
