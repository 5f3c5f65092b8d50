// SPDX-License-Identifier: Apache-2.0
#include "exporter/templates.h"

namespace ww::exporter {

std::string filled(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t begin = text.find("{{", at);
    const std::size_t end = begin == text.npos ? text.npos : text.find("}}", begin);
    if (end == text.npos) return out + text.substr(at);
    const auto value = values.find(text.substr(begin + 2, end - begin - 2));
    out += text.substr(at, begin - at);
    if (value == values.end()) {  // other braces stay
      out += "{{";
      at = begin + 2;
    } else {
      out += value->second;
      at = end + 2;
    }
  }
}

}  // namespace ww::exporter
