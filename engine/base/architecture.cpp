// SPDX-License-Identifier: Apache-2.0
#include "base/architecture.h"
#include <charconv>

namespace ww {

std::optional<Architecture> read_architecture(std::string_view name) {
  if (!name.starts_with("sm_")) return std::nullopt;
  name.remove_prefix(3);
  Architecture out;
  if (!name.empty() && (name.back() == 'a' || name.back() == 'f')) {
    out.suffix = name.back();
    name.remove_suffix(1);
  }
  if (name.size() < 2 || name.size() > 3 || name.find_first_not_of("0123456789") != name.npos) return std::nullopt;
  std::from_chars(name.data(), name.data() + name.size(), out.capability);
  constexpr int first_specific = 90, first_of_family = 100;
  if (out.suffix != 0 && out.capability < (out.suffix == 'a' ? first_specific : first_of_family)) return std::nullopt;
  return out;
}

std::string no_architecture(const std::string& name) { return "'" + name + "' is not an architecture such as sm_80"; }

}  // namespace ww
