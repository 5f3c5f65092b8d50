// SPDX-License-Identifier: Apache-2.0
#include "llm/message_json.h"
#include "base/described_json.h"

namespace ww::llm {
namespace {

using json::Json;

// The path of a member of `given` that `known` lacks; empty: none.
std::string unknown_member(const Json& given, const Json& known) {
  if (given.is_array())
    for (std::size_t i = 0; i < given.size(); ++i)
      if (std::string path = unknown_member(given[i], known[i]); !path.empty()) return path;
  if (given.is_object())
    for (const auto& [name, value] : given.items()) {
      if (!known.contains(name)) return name;
      if (std::string path = unknown_member(value, known[name]); !path.empty()) return path;
    }
  return {};
}

// Strict: a replay must not ignore parts of an exchange.
template <class T>
Result<T> read(const std::string& text, const char* what) {
  const std::string unreadable = std::string("a stored ") + what + " cannot be read";
  const Result<Json> j = json::parse(text);
  if (!j) return fail(Code::corrupt, std::string("a stored ") + what + " is not JSON", j.error().message);
  T value = WW_TRY(json::read<T>(*j, unreadable));
  if (const std::string name = unknown_member(*j, json::of(value)); !name.empty())
    return fail(Code::corrupt, unreadable, "the member '" + name + "' is not known");
  return value;
}

}  // namespace

std::string request_to_json(const Request& request) { return json::text_of(request); }
std::string reply_to_json(const Reply& reply) { return json::text_of(reply); }
Result<Request> request_from_json(const std::string& text) { return read<Request>(text, "request"); }
Result<Reply> reply_from_json(const std::string& text) { return read<Reply>(text, "reply"); }

}  // namespace ww::llm
