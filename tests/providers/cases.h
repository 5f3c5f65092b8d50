// SPDX-License-Identifier: Apache-2.0
// The cases of fixtures/*.txt. One begins with "# NAME", then a line of JSON (settings: dialect or "all", ways,
// endpoint, request, attempts, headers), then what the server answers, request by request, the last again and again:
// each begins with "--- {options}", which the first may leave out, and is taken as it stands but for
// {{HEX}} (a byte), {{KEY}}, @whole and @half (a usual reply of the dialect, and one that stops in the middle), @calls
// (text and two calls of tools), @cutcall (which ends at the limit, within the first call), @halfcall (which breaks off
// there) and @pings (35 events without content).
// "= {…}" says what must come of it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include "support/loopback_server.h"

namespace ww::cases {

using Json = nlohmann::ordered_json;

inline const std::string key = "sk-test-4f9a8b7c6d5e";

struct Case {
  std::string name, dialect, way;  // way: "http1", "http2" (over TLS)
  Json settings, expect;
  std::vector<support::Answer> answers;
  std::vector<std::string> bodies;  // of the answers
};

std::vector<Case> load(const std::string& file);  // of the fixtures; aborts with a message where one is malformed
std::string usual(const std::string& dialect, bool whole);
enum class Calling { whole, cut, half };
std::string calling(const std::string& dialect, Calling how);
std::string pings(const std::string& dialect);
std::string expand(std::string text);

}  // namespace ww::cases
