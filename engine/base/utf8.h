// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ww {

// Offset of the first byte that is not well-formed UTF-8 (RFC 3629); none: all of it is.
std::optional<std::size_t> bad_utf8(std::string_view text);

// Its first `bytes`, whole characters, and "…" where something is left out: what quotes a name from outside has an end.
std::string clipped(std::string_view text, std::size_t bytes);

}  // namespace ww
