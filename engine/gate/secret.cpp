// SPDX-License-Identifier: Apache-2.0
#include "gate/secret.h"
#include <charconv>
#include <cstdio>
#include <random>
#include "base/draw.h"

namespace ww::gate {

Secret Secret::fresh() {
  std::random_device system;  // getrandom or /dev/urandom
  return Secret(std::uint64_t{system()} << 32 | system());
}

std::optional<Secret> Secret::read(std::string_view hex) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
  if (hex.size() != 16 || error != std::errc() || end != hex.data() + hex.size()) return std::nullopt;
  return Secret(value);
}

std::string Secret::text() const {
  char out[17];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(value_));
  return out;
}

std::uint64_t Secret::draw(Use use, std::uint64_t a, std::uint64_t b) const {
  return splitmix(splitmix(splitmix(splitmix(value_) ^ static_cast<std::uint64_t>(use)) ^ a) ^ b);
}

}  // namespace ww::gate
