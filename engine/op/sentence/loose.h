// SPDX-License-Identifier: Apache-2.0
// Names of ops whose words stand apart: "zero pad a 28x28 image by 2", "focal loss gamma=2 alpha=0.25".
#pragma once
#include <string_view>
#include <vector>
#include "op/sentence/edited.h"

namespace ww::op {

struct LooseName {
  Edited sentence;  // with the op's own name in place of the words
  std::string op;
  Span name{0, 0};       // where the op's own name stands in sentence.text()
  bool certain = false;  // the words stand in their order, with only numbers and words without meaning between them
};
// The ops whose names the sentence holds so, with at least one word that `read` does not understand; the longest names
// first, at most four, of a long sentence one.
std::vector<LooseName> loose_names(const Library& library, std::string_view sentence, const Understanding& read);

}  // namespace ww::op
