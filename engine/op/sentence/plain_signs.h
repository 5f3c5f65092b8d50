// SPDX-License-Identifier: Apache-2.0
// Signs of other keyboards: "x − y", "矩阵转置，大小 64x32".
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/edited.h"

namespace ww::op {

// With the ASCII signs of the same meaning; nothing where the sentence has them already.
std::optional<Edited> in_plain_signs(std::string_view sentence);

}  // namespace ww::op
