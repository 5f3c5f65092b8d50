// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include "llm/tokens.h"
#include "providers/common/schema.h"
#include "providers/common/tolerant_json.h"
#include "providers/openai/openai.h"

namespace ww::providers {
namespace {

using llm::Block;
using llm::Stop;

// Takes the reasoning that some local servers leave in the text, as "<think>…</think>" at its very beginning.
class ThinkTags {
 public:
  template <class Out>
  void feed(std::string_view piece, const Out& out) {  // out(thinking?, text)
    held_ += piece;
    if (state_ == State::open) {
      const std::size_t begin = held_.find_first_not_of(" \n\r\t");
      const std::string_view seen =
          begin == std::string::npos ? std::string_view() : std::string_view(held_).substr(begin);
      if (seen.size() < opening.size() && seen == opening.substr(0, seen.size())) return;  // undecided
      state_ = seen.substr(0, opening.size()) == opening ? State::thinking : State::text;
      if (state_ == State::thinking) held_.erase(0, begin + opening.size());
    }
    if (state_ == State::thinking) {
      const std::size_t end = held_.find(closing);
      if (end == std::string::npos) {
        std::size_t keep = std::min(held_.size(), closing.size() - 1);
        while (keep > 0 && std::string_view(held_).substr(held_.size() - keep) != closing.substr(0, keep)) --keep;
        out(true, std::string_view(held_).substr(0, held_.size() - keep));
        held_.erase(0, held_.size() - keep);
        return;
      }
      out(true, std::string_view(held_).substr(0, end));
      held_.erase(0, end + closing.size());
      state_ = State::after;
    }
    if (state_ == State::after) {
      held_.erase(0, held_.find_first_not_of("\n\r"));
      if (held_.empty()) return;
      state_ = State::text;
    }
    flush(out);
  }
  template <class Out>
  void flush(const Out& out) {
    const std::string rest = std::exchange(held_, {});
    out(state_ == State::thinking, std::string_view(rest));
  }

 private:
  static constexpr std::string_view opening = "<think>", closing = "</think>";
  enum class State { open, thinking, after, text } state_ = State::open;
  std::string held_;
};

class ChatParser final : public ReplyParser {
 public:
  ChatParser(const llm::Request& request, bool structured, DeltaSink sink)
      : ReplyParser(std::move(sink)), request_(request), structured_(structured) {
    thinking_.kind = Block::Kind::thinking;
  }

  llm::Reply take() override {
    end_text();
    llm::Reply r;
    if (!thinking_.text.empty()) r.blocks.push_back({Block::Kind::thinking, thinking_.text, {}});
    r.blocks.push_back({Block::Kind::text, text_.text, {}});
    if (!request_.tools.empty())
      for (std::size_t i = 0; i < calls_.size(); ++i) r.blocks.push_back(block_of(calls_[i], i));
    r.stop = stop_.value_or(Stop::end);
    if (r.stop == Stop::end && r.blocks.back().kind == Block::Kind::call) r.stop = Stop::calls;
    if (refused_) r.stop = Stop::refusal;
    r.usage = usage_;
    if (!r.usage.reported) {
      r.usage.prompt = llm::estimate_tokens(request_);
      r.usage.reasoning = llm::estimate_tokens(thinking_.text);
      r.usage.completion = llm::estimate_tokens(text_.text) + r.usage.reasoning;
    }
    r.model = model_.empty() ? request_.model : model_;
    r.id = id_;
    r.structured = structured_ && r.stop == Stop::end;
    return r;
  }

 private:
  void on_event(const Json& j) override {
    if (find(j, "error") || text_at(j, "object") == "error") return fail_with(fault_in(0, j));
    head(j);
    usage(child(j, "usage"));
    usage(child(child(j, "x_groq"), "usage"));
    for (const Json& choice : list_at(j, "choices")) {
      if (count_at(choice, "index") != 0) continue;
      usage(child(choice, "usage"));
      if (stop_) continue;  // data after the end was sent twice
      words(child(choice, "delta"));
      finish(text_at(choice, "finish_reason"));
    }
  }
  void on_whole(const Json& j) override {
    head(j);
    usage(child(j, "usage"));
    const Json& choices = list_at(j, "choices");
    if (choices.empty()) return;
    words(child(choices.front(), "message"));
    const std::string_view reason = text_at(choices.front(), "finish_reason");
    finish(reason.empty() ? "stop" : reason);
  }
  void on_done() override {
    end_text();
    set_finished();
  }

  void head(const Json& j) {
    if (id_.empty()) id_ = text_at(j, "id");
    if (model_.empty()) model_ = text_at(j, "model");
  }
  // OpenAI's prompt_tokens_details, DeepSeek's prompt_cache_hit_tokens, LiteLLM's and OpenRouter's counts of what was
  // written to a cache.
  void usage(const Json& u) {
    if (!has_count(u, "prompt_tokens") || (find(u, "completion_tokens") && !has_count(u, "completion_tokens"))) return;
    const Json& prompt = child(u, "prompt_tokens_details");
    const Json& completion = child(u, "completion_tokens_details");
    usage_.prompt = count_at(u, "prompt_tokens");
    usage_.cached =
        std::min(usage_.prompt, count_at(prompt, "cached_tokens",
                                         count_at(u, "prompt_cache_hit_tokens", count_at(u, "cached_tokens"))));
    usage_.cache_written = std::min(usage_.prompt - usage_.cached,
                                    count_at(prompt, "cache_write_tokens", count_at(u, "cache_creation_input_tokens")));
    usage_.completion = count_at(u, "completion_tokens");
    usage_.reasoning = count_at(completion, "reasoning_tokens", count_at(u, "reasoning_tokens"));
    // xAI counts reasoning beside the completion: its total tells.
    if (usage_.reasoning > 0 && count_at(u, "total_tokens") == usage_.prompt + usage_.completion + usage_.reasoning)
      usage_.completion += usage_.reasoning;
    usage_.completion = std::max(usage_.completion, usage_.reasoning);
    usage_.reported = true;
    advance(usage_);
  }
  void words(const Json& m) {  // of a delta, or of a whole message
    std::string_view reasoning = text_at(m, "reasoning_content");
    if (reasoning.empty()) reasoning = text_at(m, "reasoning");
    grow(thinking_, reasoning);
    content(child(m, "content"));
    if (const std::string_view refusal = text_at(m, "refusal"); !refusal.empty()) {
      refused_ = true;
      plain_text(refusal);
    }
    std::int64_t place = 0;  // in a whole message there are no indices
    for (const Json& call : list_at(m, "tool_calls")) take_call(call, count_at(call, "index", place++));
  }
  // In pieces; some servers send each call whole, all with the same index.
  void take_call(const Json& call, std::int64_t index) {
    const std::string_view id = text_at(call, "id");
    const auto at = std::find_if(calls_.rbegin(), calls_.rend(), [&](const Call& c) {
      return c.index == index && (id.empty() || c.id.empty() || c.id == id);
    });
    if (at == calls_.rend() && calls_.size() == most_calls) return;
    Call& c = at == calls_.rend() ? calls_.emplace_back() : *at;
    c.index = index;
    if (c.id.empty()) c.id = id;
    const Json& function = child(call, "function");
    if (c.name.empty()) advance(c.name = text_at(function, "name"));
    advance(text_at(function, "arguments"));
    c.arguments += text_at(function, "arguments");
    if (const Json& object = child(function, "arguments"); object.is_object()) c.arguments = dump(object);
  }
  void content(const Json& c) {
    if (c.is_string()) return plain_text(text_of(c));
    if (!c.is_array()) return;
    for (const Json& part : c) {  // Mistral
      plain_text(text_at(part, "text"));
      const Json& thought = child(part, "thinking");
      grow(thinking_, text_of(thought));
      if (thought.is_array())
        for (const Json& t : thought) grow(thinking_, text_at(t, "text"));
    }
  }
  void plain_text(std::string_view piece) {
    advance(piece);
    if (!piece.empty())
      tags_.feed(piece, [&](bool thinking, std::string_view t) { grow(thinking ? thinking_ : text_, t); });
  }
  void finish(std::string_view reason) {
    if (reason.empty()) return;
    if (reason == "length" || reason == "max_tokens" || reason == "model_length")
      stop_ = Stop::length;
    else if (reason == "content_filter" || reason == "safety" || reason == "refusal")
      stop_ = Stop::refusal;
    else if (reason == "stop" || reason == "eos" || reason == "end_turn" || reason == "tool_calls" ||
             reason == "function_call")
      stop_ = Stop::end;
    else if (reason == "error")
      return fail_with({502, "error", "the stream ended with an error"});
    else
      stop_ = Stop::other;
    end_text();
    set_complete();
  }
  void end_text() {
    if (ended_) return;
    ended_ = true;
    tags_.flush([&](bool thinking, std::string_view t) { grow(thinking ? thinking_ : text_, t); });
    close(thinking_);
    close(text_);
    // Where no tool was offered, a gateway may answer a schema this way.
    if (request_.tools.empty() && text_.text.empty() && !calls_.empty()) {
      grow(text_, calls_.front().arguments);
      close(text_);
    }
  }

  static constexpr std::size_t most_calls = 64;
  struct Call {
    std::int64_t index = 0;
    std::string id, name, arguments;
  };
  static Block block_of(const Call& c, std::size_t place) {
    return {.kind = Block::Kind::call,
            .text = whole_text(c.arguments),
            .id = c.id.empty() ? "call_" + std::to_string(place + 1) : c.id,
            .tool = c.name};
  }

  const llm::Request& request_;
  bool structured_, refused_ = false, ended_ = false;
  Growing thinking_, text_;
  ThinkTags tags_;
  std::string id_, model_;
  std::vector<Call> calls_;
  std::optional<Stop> stop_;
  llm::Usage usage_;
};

class Chat final : public Dialect {
 public:
  explicit Chat(const llm::Endpoint& endpoint) : endpoint_(endpoint) {}
  std::string path() const override { return "/chat/completions"; }
  BatchForm batch_form() const override { return BatchForm::file; }
  std::unique_ptr<ReplyParser> parser(const llm::Request& request, ReplyParser::DeltaSink sink) const override {
    return std::make_unique<ChatParser>(request, endpoint_.schemas && request.schema, std::move(sink));
  }
  Result<std::string> body(const llm::Request& request) const override {
    Json j;
    j["model"] = request.model;
    j["messages"] = Json::array();
    for (const llm::Message& m : request.messages) {
      put_results(j["messages"], m);
      if (m.role == llm::Role::user && m.text().empty()) continue;  // it held only results
      Json message;
      message["role"] = enum_string(m.role);
      const auto marked = [](const Block& b) { return b.cache; };
      if (endpoint_.cache_marks && (m.cache || std::ranges::any_of(m.blocks, marked)))
        message["content"] = parts(m);
      else
        message["content"] = m.text();  // reasoning does not go back in this dialect
      for (const Block& b : m.blocks)
        if (b.kind == Block::Kind::call)
          message["tool_calls"].push_back(
              {{"id", b.id}, {"type", "function"}, {"function", {{"name", b.tool}, {"arguments", b.text}}}});
      j["messages"].push_back(std::move(message));
    }
    for (const llm::Tool& t : request.tools) {
      auto parameters = WW_TRY(read_schema(t.parameters));
      j["tools"].push_back(
          {{"type", "function"},
           {"function", {{"name", t.name}, {"description", t.about}, {"parameters", std::move(parameters)}}}});
    }
    if (request.no_calls && !request.tools.empty()) j["tool_choice"] = "none";
    j["stream"] = true;
    if (endpoint_.usage_in_stream) j["stream_options"]["include_usage"] = true;
    if (request.max_output_tokens > 0)
      j[endpoint_.legacy_max_tokens ? "max_tokens" : "max_completion_tokens"] = request.max_output_tokens;
    if (request.temperature) j["temperature"] = *request.temperature;
    if (request.seed && endpoint_.seeds) j["seed"] = *request.seed;
    if (!request.effort.empty() && endpoint_.effort) j["reasoning_effort"] = effort_word(request.effort);
    if (request.schema && endpoint_.schemas) {
      auto schema = WW_TRY(read_schema(request.schema->json));
      const bool strict = is_strict(schema);
      j["response_format"] = {
          {"type", "json_schema"},
          {"json_schema", {{"name", request.schema->name}, {"strict", strict}, {"schema", std::move(schema)}}}};
    }
    return dump(j);
  }

 private:
  // The text up to each mark.
  static Json parts(const llm::Message& m) {
    Json list = Json::array();
    std::string text;
    for (std::size_t i = 0; i < m.blocks.size(); ++i) {
      const Block& b = m.blocks[i];
      if (b.kind == Block::Kind::text || b.is_text_result()) text += b.text;
      const bool last = i + 1 == m.blocks.size(), mark = b.cache || (last && m.cache);
      if (text.empty() || !(mark || last)) continue;
      list.push_back({{"type", "text"}, {"text", std::exchange(text, {})}});
      if (mark) list.back()["cache_control"] = {{"type", "ephemeral"}};
    }
    return list;
  }
  static void put_results(Json& messages, const llm::Message& m) {
    for (const Block& b : m.blocks)
      if (b.kind == Block::Kind::result && !b.is_text_result())
        messages.push_back({{"role", "tool"}, {"tool_call_id", b.id}, {"content", b.text}});
  }

  llm::Endpoint endpoint_;
};

}  // namespace

std::unique_ptr<Dialect> make_chat(const llm::Endpoint& endpoint) { return std::make_unique<Chat>(endpoint); }

std::unique_ptr<llm::Provider> make_openai(const llm::Endpoint& endpoint, const http::RetryOptions& pace) {
  return make_service(endpoint, endpoint.dialect == "responses" ? make_responses(endpoint) : make_chat(endpoint), pace);
}

}  // namespace ww::providers
