// SPDX-License-Identifier: Apache-2.0
// Op names with other words in between: "zero pad a 28x28 image by 2", "focal loss gamma=2 alpha=0.25".
#pragma once
#include <string_view>
#include <vector>
#include "op/sentence/edited.h"

namespace ww::op {

struct LooseName {
  Edited sentence;  // with the op's name in place of those words
  std::string op;
  Span name{0, 0};       // of the op's name in sentence.text()
  bool certain = false;  // the words are in order, with only numbers and filler between them
};
// The ops whose names occur in this way, with at least one word that `read` does not understand. Longest names first,
// at most four; one for a long sentence.
std::vector<LooseName> loose_names(const Library& library, std::string_view sentence, const Understanding& read);

}  // namespace ww::op
