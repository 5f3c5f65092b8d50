// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace ww {

// "api.openai.com": in lower case, without user name, with the port unless it is the scheme's default; empty: not a
// URL, or one that programs may parse differently.
std::string host_of(const std::string& url);
// Loopback names and addresses. Requests to them stay on this machine and never go through a proxy.
bool is_this_machine(const std::string& host);

}  // namespace ww
