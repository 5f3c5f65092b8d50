// SPDX-License-Identifier: Apache-2.0
#include "base/host.h"
#include <algorithm>
#include <arpa/inet.h>
#include "base/ascii.h"

namespace ww {
std::string host_of(const std::string& url) {
  const std::size_t colon = url.find("://");
  if (colon == url.npos || colon == 0) return {};
  const std::string scheme = ascii_lower(url.substr(0, colon));
  std::string host = url.substr(colon + 3);
  host.resize(std::min(host.size(), host.find_first_of("/?#")));
  if (const std::size_t at = host.rfind('@'); at != host.npos)
    host.erase(0, at + 1);  // a name and a password are no part of it
  host = ascii_lower(std::move(host));
  std::string port;
  const bool six = host.starts_with('[');
  const std::size_t end = six ? host.find(']') : host.find(':');
  if (six && end == host.npos) return {};
  const std::size_t name_end = six ? end + 1 : std::min(end, host.size());
  if (name_end < host.size()) {
    if (host[name_end] != ':') return {};
    port = host.substr(name_end + 1);
    host.resize(name_end);
  }
  while (!six && host.ends_with('.')) host.pop_back();  // "localhost." is the same name
  // Names and addresses alone: what else a URL may hold is read differently by different programs ("\", "%2e", other
  // scripts' dots).
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  };
  const auto of_address = [](char c) {
    return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == '.' || c == ':';
  };
  if (host.empty() || (six ? !std::all_of(host.begin() + 1, host.end() - 1, of_address)
                           : !std::all_of(host.begin(), host.end(), plain)))
    return {};
  if (port.size() > 5 || !std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })) return {};
  if (port.empty() || (scheme == "https" && port == "443") || (scheme == "http" && port == "80")) return host;
  return host + ":" + port;
}

bool is_this_machine(const std::string& given) {
  std::string host = host_of("none://" + given);
  if (host.starts_with('[')) {
    const std::string address = host.substr(1, host.find(']') - 1);
    in6_addr six{};
    if (inet_pton(AF_INET6, address.c_str(), &six) != 1) return false;
    return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
  }
  host.resize(std::min(host.size(), host.find(':')));
  if (host == "localhost") return true;
  in_addr four{};  // with the spellings that resolvers take: "127.1", "0x7f000001", "2130706433"
  return inet_aton(host.c_str(), &four) != 0 && (ntohl(four.s_addr) >> 24) == 127;
}

}  // namespace ww
