// SPDX-License-Identifier: Apache-2.0
// Text in an address.
#pragma once
#include <string>

namespace ww {

// Unreserved characters (RFC 3986) stay as they are, any other byte becomes "%2F".
inline void append_in_url(std::string& out, char c) {
  static constexpr char hex[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
      c == '~')
    out += c;
  else
    out += {'%', hex[byte >> 4], hex[byte & 15]};
}

}  // namespace ww
