// SPDX-License-Identifier: Apache-2.0
// Requests to language models and their replies, independent of any provider. Plain data. Text is UTF-8.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"

namespace ww::llm {

enum class Role : std::uint8_t { system, user, assistant };
constexpr auto names_of(Role) {
  using enum Role;
  return std::to_array<Enumerator<Role>>({{system, "system"}, {user, "user"}, {assistant, "assistant"}});
}

struct Block {
  enum class Kind : std::uint8_t {
    text,
    thinking,  // the model's reasoning, as far as it is shown
    opaque,    // provider-specific (redacted thinking, encrypted reasoning): only `raw`
    call,      // of a tool; text: its arguments, a JSON object if the model made no mistake
    result,    // of a call, from us
  } kind = Kind::text;
  std::string text;
  std::string raw = {};   // the provider's JSON block if it must be returned unchanged (signatures); else empty
  std::string id = {};    // of a call, and of its result: the service's own; empty: by text (tool_text.h)
  std::string tool = {};  // its name
  bool cache = false;     // as of a message: the prompt up to the end of this block is constant over many requests
  bool is_text_result() const { return kind == Kind::result && id.empty(); }  // sent as text
  WW_FIELDS(Block, kind, text, (raw, sparse), (id, sparse), (tool, sparse), (cache, sparse))
};
constexpr auto names_of(Block::Kind) {
  using enum Block::Kind;
  return std::to_array<Enumerator<Block::Kind>>(
      {{text, "text"}, {thinking, "thinking"}, {opaque, "opaque"}, {call, "call"}, {result, "result"}});
}

struct Message {
  Role role = Role::user;
  std::vector<Block> blocks;
  bool cache = false;        // the prompt up to the end of this message is constant over many requests: worth caching
  std::string text() const;  // of the text blocks and the results that are sent as text, joined
  WW_FIELDS(Message, role, (cache, sparse), blocks)
};
Message message(Role role, std::string text, bool cache = false);

struct OutputSchema {  // the reply is one JSON value of this JSON Schema, if the provider can guarantee that
  std::string name;    // letters, digits, "_"
  std::string json;
  WW_FIELDS(OutputSchema, name, json)
};

struct Tool {               // that the model may call before it answers
  std::string name, about;  // name: letters, digits, "_"
  std::string parameters;   // a JSON Schema of an object
  WW_FIELDS(Tool, name, about, parameters)
};

inline constexpr std::array<std::string_view, 5> efforts{"none", "low", "medium", "high",
                                                         "max"};  // max: all that the model has

struct Request {
  std::string model;
  std::vector<Message> messages;          // system ones first
  std::int64_t max_output_tokens = 8192;  // including reasoning
  std::optional<double> temperature;      // absent: the service's default
  std::optional<std::int64_t> seed;       // if the service accepts one
  std::string effort;                     // of reasoning: "" (the service's default), or one of `efforts`
  std::optional<OutputSchema> schema;
  std::vector<Tool> tools;
  bool no_calls = false;  // the tools are listed for the calls made before; this reply must not call any
  WW_FIELDS(Request, model, max_output_tokens, (temperature, sparse), (seed, sparse), (effort, sparse),
            (schema, sparse), (tools, sparse), (no_calls, sparse), messages)
};

struct Usage {              // tokens
  std::int64_t prompt = 0;  // in total, including `cached` and `cache_written`
  std::int64_t cached = 0, cache_written = 0;
  std::int64_t completion = 0;  // in total, including `reasoning`
  std::int64_t reasoning = 0;
  bool reported = false;  // by the service; false: estimated from the texts (tokens.h)
  WW_FIELDS(Usage, (prompt, "all of it"), (cached, "part of `prompt`"), (cache_written, "part of `prompt`"),
            (completion, "all of it"), (reasoning, "part of `completion`"),
            (reported, "by the service; false: estimated"))
};

enum class Stop : std::uint8_t {
  end,
  length,   // output tokens or context exhausted
  refusal,  // by the model or a filter
  other,
  calls,  // it waits for the results of its calls
};
constexpr auto names_of(Stop) {
  using enum Stop;
  return std::to_array<Enumerator<Stop>>(
      {{end, "end"}, {length, "length"}, {refusal, "refusal"}, {other, "other"}, {calls, "calls"}});
}

struct Reply {
  std::vector<Block> blocks;
  Stop stop = Stop::end;
  Usage usage;
  std::string model;        // as named by the service
  std::string id;           // the service's own
  bool structured = false;  // the service guaranteed that the text follows the request's schema
  double first_token_seconds = 0, seconds = 0;
  int attempts = 1;          // number of requests made
  std::string text() const;  // of the text blocks, joined
  std::string thinking() const;
  WW_FIELDS(Reply, model, id, stop, structured, attempts, first_token_seconds, seconds, usage, blocks)
};

// One JSON object each, the form in which they are stored, replayed and hashed (hash_hex of request_to_json identifies
// a request).
std::string request_to_json(const Request& request);
std::string reply_to_json(const Reply& reply);

}  // namespace ww::llm
