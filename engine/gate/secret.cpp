// SPDX-License-Identifier: Apache-2.0
#include "gate/secret.h"
#include <charconv>
#include <cstdio>
#include <random>

namespace ww::gate {
namespace {

std::uint64_t mixed(std::uint64_t z) {  // the finaliser of splitmix64 (Steele, Lea, Flood 2014)
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

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
  return mixed(mixed(mixed(mixed(value_) ^ static_cast<std::uint64_t>(use)) ^ a) ^ b);
}

}  // namespace ww::gate
