// SPDX-License-Identifier: Apache-2.0
// Notation that says in signs what the rest of the reader takes in plain text: comments beside code,
// "M = N = K = 2048", "(M, N) = (64, 32)", "x ∈ ℝ^{64×32}", "tensor<64x32xf16>", "w <- w - g", "u'[i] = u[i] + 1",
// "x = torch.randn(64, 32);".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "op/sentence/edited.h"

namespace ww::op {

struct PlainNotation {
  Edited sentence;
  std::vector<std::pair<std::string, std::int64_t>> sizes;  // given by chains and tuples of equal signs
};
// Nothing where the sentence is plain as it stands.
std::optional<PlainNotation> in_plain_notation(const Library& library, std::string_view sentence);

// "4 groups of 8 channels" as "32 channels in 4 groups".
std::optional<Edited::Edit> groups_of_channels(std::string_view sentence);

// Whether the spec has these sizes: those that it names, and the others under names of its own.
bool has_sizes(const Spec& spec, const std::vector<std::pair<std::string, std::int64_t>>& sizes);

}  // namespace ww::op
