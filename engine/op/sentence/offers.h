// SPDX-License-Identifier: Apache-2.0
// Answers to choose from where a sentence is not understood: with known words in place of others, or without what is
// not known.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include "op/sentence/phrasebook.h"

namespace ww::op {

using ReadAny = std::function<Understanding(const std::string&)>;

// Adds the sentence as an answer, where it is understood as something not offered yet.
void add_choice(const ReadAny& read, const std::string& sentence, const std::string& difference, Understanding& out);
void offer(const Library& library, std::string_view sentence, const ReadAny& read, Understanding& out);
// As understand(), without answers to choose from: for those who only ask what a sentence means.
Understanding understand_alone(const Library& library, std::string_view sentence);
std::string in_quotes(std::string_view text);  // the first of a long text

}  // namespace ww::op
