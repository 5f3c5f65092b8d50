// SPDX-License-Identifier: Apache-2.0
// A formula, or words for one, followed by ops: "average of x and y, then relu".
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include "op/sentence/phrasebook.h"
#include "op/sentence/several.h"

namespace ww::op {

using ReadPart = std::function<std::optional<Understanding>(const std::string&)>;

// Empty if the sentence has another form, or the ops have sizes or element types of their own.
std::optional<Understanding> read_chained(std::string_view sentence, const ReadPart& formula, const ReadPart& ops);

// Layers of PyTorch one after the other: "nn.Linear(64, 32) then nn.GELU()". Empty if the sentence is no such list.
std::optional<Understanding> read_layers(std::string_view sentence, const ReadOne& one);

}  // namespace ww::op
