// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include "base/describe.h"

namespace ww::simt {

enum class AccessKind : std::uint8_t { read, write, atomic };
constexpr auto names_of(AccessKind) {
  using enum AccessKind;
  return std::to_array<Enumerator<AccessKind>>({{read, "read"}, {write, "write"}, {atomic, "atomic"}});
}

}  // namespace ww::simt
