// SPDX-License-Identifier: Apache-2.0
#include "http/http.h"

namespace ww::http {

std::string url_host(const std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == url.npos || scheme == 0) return {};
  std::size_t begin = scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#\\", begin), url.size());
  const std::size_t at = url.rfind('@', end);  // user information precedes it
  if (at != url.npos && at >= begin && at < end) begin = at + 1;
  std::string host = url.substr(begin, end - begin);
  for (char& c : host) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 127) return {};
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return host.empty() || host[0] == ':' ? std::string() : host;
}

}  // namespace ww::http
