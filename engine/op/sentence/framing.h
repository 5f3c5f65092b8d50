// SPDX-License-Identifier: Apache-2.0
// Requests in a frame: "Given two vectors of N floats, compute their dot product and store it in C." The
// frame uses known words. Its description of the inputs is read with the request; its description of the result must
// agree with the reading.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include "op/sentence/edited.h"

namespace ww::op {

struct FramedReading {
  Understanding understanding;
  std::vector<Edited>
      edits;  // turn the sentence into the text that was read; each applies to the result of the one before
};
// Empty if the sentence has no frame. If the reading has no spec, it is that of the bare request.
std::optional<FramedReading> read_framed(const Library& library, std::string_view sentence,
                                         const std::function<Understanding(const std::string&)>& read);

}  // namespace ww::op
