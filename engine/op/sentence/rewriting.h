// SPDX-License-Identifier: Apache-2.0
// Other words for the same, tried where a sentence is not understood as it stands: the rules of
// resources/phrasebook/frames.txt for what stands around a request, and those of rewrites.txt.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "op/sentence/edited.h"

namespace ww::op {

// The sentence without what frames the request; what it says of the inputs and of the result stands apart.
struct Framed {
  Edited request;
  std::vector<std::string> inputs, results;
};
std::optional<Framed> framed(const Library& library, std::string_view sentence);

// The sentence with an example for each thing that it leaves open ("subtracts a value"), by the rules of blanks.txt.
struct Filled {
  std::string sentence;
  std::vector<std::string> examples;
};
std::optional<Filled> filled_in(const Library& library, std::string_view sentence);

// The sentence in the words that the rules put in place of its own; nothing where no rule fits.
std::optional<Edited> rewritten(const Library& library, std::string_view sentence);

}  // namespace ww::op
