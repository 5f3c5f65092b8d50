// SPDX-License-Identifier: Apache-2.0
// Sentences that ask for several results: "mean and variance of each row", "s = sin(x), c = cos(x)",
// "values, indices = torch.max(x, dim=1)". Formulas that are only intermediate
// ("t = 2x, y = t + 1") are substituted.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include "op/sentence/phrasebook.h"

namespace ww::op {

using ReadOne = std::function<Understanding(const std::string&)>;  // reads a sentence that asks for one result

// Empty if the sentence asks for one result.
std::optional<Understanding> read_several(const Library& library, std::string_view sentence, const ReadOne& read);

}  // namespace ww::op
