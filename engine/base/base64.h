// SPDX-License-Identifier: Apache-2.0
// RFC 4648, with padding.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ww {

std::optional<std::vector<std::byte>> from_base64(std::string_view text);  // nothing where it is not that
std::string to_base64(std::span<const std::byte> bytes);

}  // namespace ww
