// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include "llm/tokens.h"
#include "base/json_reader.h"
#include "providers/anthropic/anthropic.h"
#include "providers/common/schema.h"
#include "providers/common/tolerant_json.h"

namespace ww::providers {
namespace {

using llm::Block;
using llm::Stop;

class MessagesParser final : public ReplyParser {
 public:
  MessagesParser(const llm::Request& request, bool constrained, DeltaSink sink)
      : ReplyParser(std::move(sink)), request_(request), constrained_(constrained) {}

  llm::Reply take() override {
    llm::Reply r;
    bool tool = false, called = false;  // the tool that stands for a schema; those that were offered
    for (const auto& [index, open] : blocks_) {
      tool |= open.type == "tool_use" && request_.tools.empty();
      called |= open.type == "tool_use" && !request_.tools.empty();
    }
    for (const auto& [index, open] : blocks_) {
      if (open.type == "tool_use" && called) {
        r.blocks.push_back({.kind = Block::Kind::call,
                            .text = open.growing.text.empty() ? "{}" : open.growing.text,
                            .id = open.id,
                            .tool = open.name});
      } else if (open.type == "text" || open.type == "tool_use") {
        // Text beside the tool call is not part of the answer's JSON.
        r.blocks.push_back(
            {tool && open.type == "text" ? Block::Kind::thinking : Block::Kind::text, open.growing.text, {}});
      } else if (open.type == "thinking") {
        const Json raw{{"type", "thinking"}, {"thinking", open.growing.text}, {"signature", open.signature}};
        r.blocks.push_back({open.growing.text.empty() ? Block::Kind::opaque : Block::Kind::thinking, open.growing.text,
                            open.signature.empty() ? std::string() : dump(raw)});
      } else {
        r.blocks.push_back({Block::Kind::opaque, {}, open.raw});
      }
    }
    r.stop = stop_.value_or(Stop::end);
    if (called && r.stop == Stop::end) r.stop = Stop::calls;
    r.usage = usage_;
    r.usage.reported = counted_;
    if (!counted_) {
      if (r.usage.prompt == 0) r.usage.prompt = llm::estimate_tokens(request_);
      r.usage.completion = llm::estimate_tokens(r.text()) + llm::estimate_tokens(r.thinking());
    }
    r.model = model_.empty() ? request_.model : model_;
    r.id = id_;
    r.structured = r.stop == Stop::end && (constrained_ || (tool && request_.schema));
    return r;
  }

 private:
  struct Open {
    std::string type, signature, raw, id, name;
    Growing growing;
    bool closed = false;
  };

  void on_event(const Json& j) override {
    const std::string_view type = text_at(j, "type");
    if (type == "error" || (type.empty() && find(j, "error"))) return fail_with(fault_in(0, j));
    const std::int64_t index = count_at(j, "index");
    if (type == "message_start") {
      head(child(j, "message"));
    } else if (type == "content_block_start") {
      begin(index, child(j, "content_block"));
    } else if (type == "content_block_delta") {
      extend(index, child(j, "delta"));
    } else if (type == "content_block_stop") {
      if (const auto at = blocks_.find(index); at != blocks_.end()) stop(at->second);
    } else if (type == "message_delta") {
      usage(child(j, "usage"), true);
      finish(text_at(child(j, "delta"), "stop_reason"));
    } else if (type == "message_stop") {
      stop_all();
      set_finished();
    }
  }
  void on_whole(const Json& j) override {
    if (text_at(j, "type") == "error") return fail_with(fault_in(0, j));
    head(j);
    std::int64_t index = 0;
    for (const Json& block : list_at(j, "content")) {
      begin(index, block);
      stop(blocks_[index++]);
    }
    usage(child(j, "usage"), true);
    finish(text_at(j, "stop_reason"));
  }
  void on_done() override {  // gateways add it
    stop_all();
    if (stop_) set_finished();
  }

  void head(const Json& message) {
    if (!id_.empty()) return;  // sent twice
    id_ = text_at(message, "id");
    model_ = text_at(message, "model");
    usage(child(message, "usage"), false);
  }
  // Counts are totals so far; those at the beginning lack the reply.
  void usage(const Json& u, bool last) {
    if (has_count(u, "input_tokens")) {
      usage_.cached = count_at(u, "cache_read_input_tokens", usage_.cached);
      usage_.cache_written = count_at(u, "cache_creation_input_tokens", usage_.cache_written);
      usage_.prompt = count_at(u, "input_tokens") + usage_.cached + usage_.cache_written;
    }
    if (has_count(u, "output_tokens")) {
      usage_.completion = count_at(u, "output_tokens");
      counted_ |= last;
    }
    advance(usage_);
  }
  void begin(std::int64_t index, const Json& block) {
    const auto [at, fresh] = blocks_.try_emplace(index);
    if (!fresh) return;  // sent twice
    Open& open = at->second;
    open.type = text_at(block, "type");
    if (open.type == "thinking") {
      open.growing.kind = Block::Kind::thinking;
      grow(open.growing, text_at(block, "thinking"));
      open.signature = text_at(block, "signature");
    } else if (open.type == "text") {
      grow(open.growing, text_at(block, "text"));
    } else if (open.type == "tool_use") {
      open.id = text_at(block, "id");
      open.name = text_at(block, "name");
      advance(open.name);
      if (!request_.tools.empty()) open.growing.kind = Block::Kind::call;  // no text for the watchers
      if (const Json& input = child(block, "input"); input.is_object() && !input.empty())
        grow(open.growing, dump(input));
    } else {
      open.raw = dump(block);
      advance(open.raw);  // redacted thinking arrives whole
    }
  }
  void extend(std::int64_t index, const Json& delta) {
    const std::string_view type = text_at(delta, "type");
    const auto [at, fresh] = blocks_.try_emplace(index);
    Open& open = at->second;
    if (fresh) {  // its start was lost
      open.type = type == "thinking_delta" || type == "signature_delta" ? "thinking"
                  : type == "input_json_delta"                          ? "tool_use"
                                                                        : "text";
      if (open.type == "thinking") open.growing.kind = Block::Kind::thinking;
    }
    if (open.closed) return;  // sent twice
    if (type == "text_delta" && open.type == "text")
      grow(open.growing, text_at(delta, "text"));
    else if (type == "thinking_delta" && open.type == "thinking")
      grow(open.growing, text_at(delta, "thinking"));
    else if (type == "signature_delta" && open.type == "thinking")
      sign(open, text_at(delta, "signature"));
    else if (type == "input_json_delta" && open.type == "tool_use")
      grow(open.growing, text_at(delta, "partial_json"));
  }
  void sign(Open& open, std::string_view piece) {
    open.signature += piece;
    advance(piece);
  }
  void stop(Open& open) {
    if (!std::exchange(open.closed, true)) close(open.growing);
  }
  void stop_all() {
    for (auto& [index, open] : blocks_) stop(open);
  }
  void finish(std::string_view reason) {
    if (reason.empty()) return;
    if (reason == "end_turn" || reason == "stop_sequence" || reason == "tool_use")
      stop_ = Stop::end;
    else if (reason == "max_tokens" || reason == "model_context_window_exceeded")
      stop_ = Stop::length;
    else if (reason == "refusal")
      stop_ = Stop::refusal;
    else
      stop_ = Stop::other;
    stop_all();
    set_complete();
  }

  const llm::Request& request_;
  bool constrained_, counted_ = false;
  std::map<std::int64_t, Open> blocks_;
  std::string id_, model_;
  std::optional<Stop> stop_;
  llm::Usage usage_;
};

// What a model takes depends on its generation, which its name tells: "claude-sonnet-4-5-20250929",
// "claude-3-5-haiku-latest", "anthropic/claude-opus-4.6".
struct Takes {
  bool adaptive = false;  // from 4.6 on: thinking "adaptive" with an effort; later ones refuse a budget of thinking
  bool sampling = true;   // up to 4.6: a temperature
  bool format = false;    // from 4.5 on: replies constrained to a schema; later ones refuse a forced tool
  bool thinks = false;    // from 5 on: also unasked; some cannot be stopped from it
};
Takes takes(const std::string& model) {
  const std::size_t claude = model.find("claude");
  if (claude == std::string::npos) return {};
  int numbers[2] = {0, 0}, found = 0;
  for (std::size_t i = claude; i < model.size() && found < 2;) {
    if (!std::isdigit(static_cast<unsigned char>(model[i]))) {
      const bool divides = model[i] == '-' || model[i] == '.';
      ++i;
      if (found == 1 && !divides) break;
      continue;
    }
    std::size_t end = i;
    while (end < model.size() && std::isdigit(static_cast<unsigned char>(model[end]))) ++end;
    if (end - i > 2) break;  // a date
    numbers[found++] = std::stoi(model.substr(i, end - i));
    i = end;
  }
  const int version = found == 0 ? 9900 : numbers[0] * 100 + numbers[1];  // "claude-…-latest" is a new one
  return {version >= 406, version < 407, version >= 405, version >= 500};
}

class Messages final : public Dialect {
 public:
  explicit Messages(const llm::Endpoint& endpoint) : endpoint_(endpoint) {
    std::string_view base = endpoint.base_url;
    while (!base.empty() && base.back() == '/') base.remove_suffix(1);
    if (base.size() < 3 || base.substr(base.size() - 3) != "/v1") prefix_ = "/v1";
  }
  std::string path() const override { return prefix_ + "/messages"; }
  BatchForm batch_form() const override { return BatchForm::list; }
  std::string batch_path() const override { return prefix_ + "/messages/batches"; }
  std::string models_path() const override { return prefix_ + "/models?limit=1000"; }
  http::Headers headers() const override { return {{"anthropic-version", "2023-06-01"}}; }
  std::pair<std::string, std::string> key_header() const override { return {"x-api-key", ""}; }
  std::unique_ptr<ReplyParser> parser(const llm::Request& request, ReplyParser::DeltaSink sink) const override {
    return std::make_unique<MessagesParser>(request, endpoint_.schemas && request.schema && takes(request.model).format,
                                            std::move(sink));
  }

  Result<std::string> body(const llm::Request& request) const override {
    const Takes model = takes(request.model);
    const std::int64_t most = request.max_output_tokens > 0 ? request.max_output_tokens : 8192;
    Json j;
    j["model"] = request.model;
    j["max_tokens"] = most;
    put_messages(j, request);
    j["stream"] = true;
    bool thinking = model.thinks;
    if (endpoint_.effort && !request.effort.empty()) thinking = put_effort(j, request.effort, model, most);
    if (request.temperature && model.sampling && !thinking) j["temperature"] = *request.temperature;
    for (const llm::Tool& t : request.tools) {
      auto parameters = WW_TRY(read_schema(t.parameters));
      j["tools"].push_back({{"name", t.name}, {"description", t.about}, {"input_schema", std::move(parameters)}});
    }
    if (request.no_calls && !request.tools.empty()) j["tool_choice"] = {{"type", "none"}};
    if (request.schema && endpoint_.schemas) {
      auto schema = WW_TRY(read_schema(request.schema->json));
      if (model.format || !request.tools.empty()) {
        j["output_config"]["format"] = {{"type", "json_schema"}, {"schema", without_bounds(std::move(schema))}};
      } else {
        const std::string& name = request.schema->name;
        j["tools"] = Json::array({Json{{"name", name},
                                       {"description", "Gives the answer. The whole answer goes into this call."},
                                       {"input_schema", std::move(schema)}}});
        j["tool_choice"] =
            thinking ? Json{{"type", "auto"}}
                     : Json{{"type", "tool"}, {"name", name}};  // a forced tool and thinking exclude each other
      }
    }
    return dump(j);
  }

 private:
  static constexpr std::int64_t least_answer = 8192;  // what the most thinking leaves
  // Whether the model thinks then. A budget counts into max_tokens and is at least 1024 tokens.
  static bool put_effort(Json& j, const std::string& effort, const Takes& model, std::int64_t most) {
    if (model.adaptive) {
      if (effort == "none" && !model.thinks) return false;
      j["output_config"]["effort"] = effort == "none" ? "low" : effort;
      if (effort != "none") j["thinking"] = {{"type", "adaptive"}, {"display", "summarized"}};
      return true;
    }
    if (effort == "none" || most < 2048) return false;
    const std::int64_t budget = effort == "low"      ? most / 4
                                : effort == "medium" ? most / 2
                                : effort == "max"    ? most - std::min(most / 4, least_answer)
                                                     : most - most / 4;
    j["thinking"] = {{"type", "enabled"}, {"budget_tokens", std::max<std::int64_t>(1024, budget)}};
    return true;
  }
  void put_messages(Json& j, const llm::Request& request) const {
    std::vector<const Block*> marked;  // four at most: the first and the last three
    for (const llm::Message& m : request.messages)
      for (const Block& b : m.blocks)
        if (endpoint_.cache_marks && (b.cache || (m.cache && &b == &m.blocks.back()))) marked.push_back(&b);
    if (marked.size() > 4) marked.erase(marked.begin() + 1, marked.end() - 3);
    Json system = Json::array(), messages = Json::array();
    for (const llm::Message& m : request.messages) {
      Json blocks = Json::array();
      for (const Block& b : m.blocks) {
        if (b.kind == Block::Kind::text || b.is_text_result()) {
          if (b.text.empty()) continue;
          blocks.push_back({{"type", "text"}, {"text", b.text}});
          if (std::ranges::find(marked, &b) != marked.end()) blocks.back()["cache_control"] = {{"type", "ephemeral"}};
          continue;
        }
        if (b.kind == Block::Kind::call) {
          Json input = json::json_or_null(b.text);
          if (!input.is_object()) input = Json::object();
          blocks.push_back({{"type", "tool_use"}, {"id", b.id}, {"name", b.tool}, {"input", std::move(input)}});
          continue;
        }
        if (b.kind == Block::Kind::result) {
          blocks.push_back({{"type", "tool_result"}, {"tool_use_id", b.id}, {"content", b.text}});
          continue;
        }
        if (m.role != llm::Role::assistant || b.raw.empty()) continue;
        Json raw = json::json_or_null(b.raw);
        const std::string_view type = text_at(raw, "type");
        if ((type == "thinking" && find(raw, "signature")) || (type == "redacted_thinking" && find(raw, "data")))
          blocks.push_back(std::move(raw));
      }
      if (blocks.empty()) continue;  // the service refuses empty ones
      if (m.role == llm::Role::system) {
        for (Json& b : blocks) system.push_back(std::move(b));
      } else {
        messages.push_back({{"role", enum_string(m.role)}, {"content", std::move(blocks)}});
      }
    }
    if (!system.empty()) j["system"] = std::move(system);
    j["messages"] = std::move(messages);
  }

  llm::Endpoint endpoint_;
  std::string prefix_;
};

}  // namespace

std::unique_ptr<Dialect> make_messages(const llm::Endpoint& endpoint) { return std::make_unique<Messages>(endpoint); }

std::unique_ptr<llm::Provider> make_anthropic(const llm::Endpoint& endpoint, const http::RetryOptions& pace) {
  return make_service(endpoint, make_messages(endpoint), pace);
}

}  // namespace ww::providers
