// SPDX-License-Identifier: Apache-2.0
// A formula, or words for one, followed by ops: "average of x and y, then relu".
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include "op/sentence/phrasebook.h"

namespace ww::op {

using ReadPart = std::function<std::optional<Understanding>(const std::string&)>;

// Empty if the sentence has another form, or the ops have sizes or element types of their own.
std::optional<Understanding> read_chained(std::string_view sentence, const ReadPart& formula, const ReadPart& ops);

}  // namespace ww::op
