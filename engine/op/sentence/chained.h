// SPDX-License-Identifier: Apache-2.0
// A formula, or words for one, with ops behind it: "average of x and y, then relu".
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include "op/sentence/phrasebook.h"

namespace ww::op {

using ReadPart = std::function<std::optional<Understanding>(const std::string&)>;

// Nothing where the sentence is not so made, or the ops have sizes or element types of their own.
std::optional<Understanding> read_chained(std::string_view sentence, const ReadPart& formula, const ReadPart& ops);

}  // namespace ww::op
