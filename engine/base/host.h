// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace ww {

// "api.openai.com": in lower case, without user name, with its port where it is not the scheme's own; empty: no URL, or
// one that programs may read differently.
std::string host_of(const std::string& url);
// Loopback names and addresses: nothing leaves. What is sent to them never goes through a proxy.
bool is_this_machine(const std::string& host);

}  // namespace ww
