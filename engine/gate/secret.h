// SPDX-License-Identifier: Apache-2.0
// The random bits of one judgement: seeds, poison, addresses, identities and orders are drawn from them. Nobody knows
// them before; the verdict keeps them, so that it can be repeated exactly.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ww::gate {

class Secret {
 public:
  explicit Secret(std::uint64_t value) : value_(value) {}
  static Secret fresh();                                    // from the system's randomness
  static std::optional<Secret> read(std::string_view hex);  // what text() gives
  std::string text() const;                                 // 16 hexadecimal digits

  enum class Use : std::uint8_t { inputs, poison, surroundings, order, shapes, counted, errors };
  // The same draw for the same use and numbers; 64 independent bits for others.
  std::uint64_t draw(Use use, std::uint64_t a = 0, std::uint64_t b = 0) const;

 private:
  std::uint64_t value_;
};

}  // namespace ww::gate
