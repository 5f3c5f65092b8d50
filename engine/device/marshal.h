// SPDX-License-Identifier: Apache-2.0
// Packs launch arguments into a kernel's parameter block, by the PTX types of its parameters:
//   tensor   8-byte integer or untyped parameter (a pointer)
//   integer  integer or untyped parameter of 1 to 8 bytes that can hold the value as signed or unsigned; also .f32 and
//            .f64 where exact
//   real     .f32 (rounded) and .f64
// Anything else is refused with a sentence that names kernel, position and both kinds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"

namespace ww::device {

struct Parameter {
  std::string type;      // PTX type without the dot: "u64", "f32", "b8"
  std::size_t size = 0;  // bytes, arrays included
  std::size_t offset = 0;
  bool is_array = false;  // a struct passed by value
};

using AddressOf = std::function<std::optional<std::uint64_t>(const std::string& tensor)>;

// The parameter block of `total` bytes. Without `address_of`, addresses are 0 (for checking the types only).
Result<std::vector<std::byte>> marshal(const candidate::PlannedLaunch& launch, const std::vector<Parameter>& parameters,
                                       std::size_t total, const AddressOf& address_of = {});

}  // namespace ww::device
