// SPDX-License-Identifier: Apache-2.0
#include "llm/message_json.h"
#include <cmath>
#include "base/json_members.h"

namespace ww::llm {
namespace {

using json::Json;
using json::Wrong;
using json::get;

constexpr Block::Kind all_kinds[] = {Block::Kind::text, Block::Kind::thinking, Block::Kind::opaque};
constexpr Stop all_stops[] = {Stop::end, Stop::length, Stop::refusal, Stop::other};
constexpr Role all_roles[] = {Role::system, Role::user, Role::assistant};

std::string_view kind_name(Block::Kind kind) {
  return kind == Block::Kind::text ? "text" : kind == Block::Kind::thinking ? "thinking" : "opaque";
}

// Bytes that are no UTF-8 become U+FFFD.
std::string written(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class T, std::size_t n, class Name>
T one_of(const T (&all)[n], const Name& name, const Json& j, const char* member) {
  const std::string text = get<std::string>(j, member);
  for (const T value : all)
    if (name(value) == text) return value;
  throw Wrong{std::string("the member '") + member + "' is '" + text + "', an unknown value"};
}

void only(const Json& j, std::initializer_list<std::string_view> known, const char* what) {
  if (!j.is_object()) throw Wrong{std::string(what) + " is not an object"};
  for (const auto& [key, value] : j.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Wrong{std::string(what) + " has a member '" + key + "', which is not known"};
}

double number(const Json& j, const char* name) {
  const Json& v = json::member(j, name);
  if (!v.is_number()) throw Wrong{std::string("the member '") + name + "' has the wrong type"};
  return v.get<double>();
}

// What a double can hold of JSON: no infinity and no NaN.
double finite(double value) { return std::isfinite(value) ? value : 0.0; }

Json blocks_to(const std::vector<Block>& blocks) {
  Json list = Json::array();
  for (const Block& b : blocks) {
    Json j = {{"kind", kind_name(b.kind)}, {"text", b.text}};
    if (!b.raw.empty()) j["raw"] = b.raw;
    list.push_back(std::move(j));
  }
  return list;
}

std::vector<Block> blocks_from(const Json& j) {
  std::vector<Block> blocks;
  for (const Json& b : json::list(j, "blocks")) {
    only(b, {"kind", "text", "raw"}, "a block");
    Block block;
    block.kind = one_of(all_kinds, kind_name, b, "kind");
    block.text = get<std::string>(b, "text");
    if (b.contains("raw")) block.raw = get<std::string>(b, "raw");
    blocks.push_back(std::move(block));
  }
  return blocks;
}

template <class T, class Read>
Result<T> read(const std::string& text, const char* what, const Read& from) {
  try {
    return from(Json::parse(text));
  } catch (const Wrong& wrong) {
    return fail(Code::corrupt, std::string("a stored ") + what + " cannot be read: " + wrong.what);
  } catch (const std::exception& e) {
    return fail(Code::corrupt, std::string("a stored ") + what + " is not JSON", e.what());
  }
}

}  // namespace

std::string request_to_json(const Request& r) {
  Json messages = Json::array();
  for (const Message& m : r.messages) {
    Json j = {{"role", role_name(m.role)}};
    if (m.cache) j["cache"] = true;
    j["blocks"] = blocks_to(m.blocks);
    messages.push_back(std::move(j));
  }
  Json j = {{"model", r.model}, {"max_output_tokens", r.max_output_tokens}};
  if (r.temperature) j["temperature"] = finite(*r.temperature);
  if (r.seed) j["seed"] = *r.seed;
  if (!r.effort.empty()) j["effort"] = r.effort;
  if (r.schema) j["schema"] = {{"name", r.schema->name}, {"json", r.schema->json}};
  j["messages"] = std::move(messages);
  return written(j);
}

Result<Request> request_from_json(const std::string& text) {
  return read<Request>(text, "request", [](const Json& j) {
    only(j, {"model", "max_output_tokens", "temperature", "seed", "effort", "schema", "messages"}, "it");
    Request r;
    r.model = get<std::string>(j, "model");
    r.max_output_tokens = get<std::int64_t>(j, "max_output_tokens");
    if (j.contains("temperature")) r.temperature = number(j, "temperature");
    if (j.contains("seed")) r.seed = get<std::int64_t>(j, "seed");
    if (j.contains("effort")) r.effort = get<std::string>(j, "effort");
    if (j.contains("schema")) {
      const Json& s = j["schema"];
      only(s, {"name", "json"}, "the schema");
      r.schema = OutputSchema{get<std::string>(s, "name"), get<std::string>(s, "json")};
    }
    for (const Json& m : json::list(j, "messages")) {
      only(m, {"role", "cache", "blocks"}, "a message");
      Message message;
      message.role = one_of(all_roles, role_name, m, "role");
      if (m.contains("cache")) message.cache = get<bool>(m, "cache");
      message.blocks = blocks_from(m);
      r.messages.push_back(std::move(message));
    }
    return r;
  });
}

std::string reply_to_json(const Reply& r) {
  const Usage& u = r.usage;
  return written({{"model", r.model},
                  {"id", r.id},
                  {"stop", stop_name(r.stop)},
                  {"structured", r.structured},
                  {"attempts", r.attempts},
                  {"first_token_seconds", finite(r.first_token_seconds)},
                  {"seconds", finite(r.seconds)},
                  {"usage",
                   {{"prompt", u.prompt},
                    {"cached", u.cached},
                    {"cache_written", u.cache_written},
                    {"completion", u.completion},
                    {"reasoning", u.reasoning},
                    {"reported", u.reported}}},
                  {"blocks", blocks_to(r.blocks)}});
}

Result<Reply> reply_from_json(const std::string& text) {
  return read<Reply>(text, "reply", [](const Json& j) {
    only(j, {"model", "id", "stop", "structured", "attempts", "first_token_seconds", "seconds", "usage", "blocks"},
         "it");
    Reply r;
    r.model = get<std::string>(j, "model");
    r.id = get<std::string>(j, "id");
    r.stop = one_of(all_stops, stop_name, j, "stop");
    r.structured = get<bool>(j, "structured");
    r.attempts = get<int>(j, "attempts");
    r.first_token_seconds = number(j, "first_token_seconds");
    r.seconds = number(j, "seconds");
    const Json& u = json::member(j, "usage");
    only(u, {"prompt", "cached", "cache_written", "completion", "reasoning", "reported"}, "the usage");
    r.usage = {get<std::int64_t>(u, "prompt"),        get<std::int64_t>(u, "cached"),
               get<std::int64_t>(u, "cache_written"), get<std::int64_t>(u, "completion"),
               get<std::int64_t>(u, "reasoning"),     get<bool>(u, "reported")};
    r.blocks = blocks_from(j);
    return r;
  });
}

}  // namespace ww::llm
