// SPDX-License-Identifier: Apache-2.0
// Sentences put otherwise where they are not understood as they stand: an expression in index notation as an equation,
// a call beside words of its sizes as words throughout.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include "op/sentence/edited.h"
#include "op/sentence/framing.h"

namespace ww::op {

// "x[i-1] - 2x[i] + x[i+1], periodic" as "y[i] = x[i-1] - ..."; nothing where no index is shifted, or a sum binds one.
std::optional<Edited> with_left_side(std::string_view sentence);

// "nn.Linear(512, 10), batch 64" as "linear with K = 512, N = 10, batch 64"; nothing where that is not understood or
// changes what the call says.
std::optional<FramedReading> read_call_in_words(const Library& library, std::string_view sentence,
                                                const std::function<Understanding(const std::string&)>& read);

// "put two matrices side by side, i.e. concat along the columns": the first of both readings where they are the same.
std::optional<FramedReading> read_twice_said(std::string_view sentence,
                                             const std::function<Understanding(const std::string&)>& read);

}  // namespace ww::op
