// SPDX-License-Identifier: Apache-2.0
// The random bits of one judgement, from which seeds, poison, addresses, identities and orders are drawn. They cannot
// be known beforehand; the verdict records them, so that it can be repeated exactly.
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
  static std::optional<Secret> read(std::string_view hex);  // parses the format of text()
  std::string text() const;                                 // 16 hexadecimal digits

  enum class Use : std::uint8_t { inputs, poison, surroundings, order, shapes, counted, errors };
  // The same result for the same use and numbers; else 64 independent bits.
  std::uint64_t draw(Use use, std::uint64_t a = 0, std::uint64_t b = 0) const;

 private:
  std::uint64_t value_;
};

}  // namespace ww::gate
