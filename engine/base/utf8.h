// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ww {

// Offset of the first byte that is not well-formed UTF-8 (RFC 3629); empty: all is well-formed.
std::optional<std::size_t> bad_utf8(std::string_view text);

// The text's first `bytes`, cut at a whole character, with "…" if truncated: for quoting outside names.
std::string clipped(std::string_view text, std::size_t bytes);

}  // namespace ww
