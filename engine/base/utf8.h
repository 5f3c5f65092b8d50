// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace ww {

// Offset of the first byte that is not well-formed UTF-8 (RFC 3629); none: all of it is.
std::optional<std::size_t> bad_utf8(std::string_view text);

}  // namespace ww
