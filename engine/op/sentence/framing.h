// SPDX-License-Identifier: Apache-2.0
// Requests in a frame: "Given two vectors of N floats, compute their dot product and store it in C." The words of the
// frame are known ones; what it says of the inputs is read with the request, and what it says of the result must fit.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include "op/sentence/edited.h"

namespace ww::op {

struct FramedReading {
  Understanding understanding;
  std::vector<Edited> edits;  // from the sentence to the text that was read, one upon the other
};
// Nothing where no words of a frame stand in the sentence. Without a spec, the reading of the bare request.
std::optional<FramedReading> read_framed(const Library& library, std::string_view sentence,
                                         const std::function<Understanding(const std::string&)>& read);

}  // namespace ww::op
