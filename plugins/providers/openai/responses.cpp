// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <nlohmann/json.hpp>
#include "llm/tokens.h"
#include "base/json_reader.h"
#include "providers/common/schema.h"
#include "providers/common/tolerant_json.h"
#include "providers/openai/openai.h"

namespace ww::providers {
namespace {

using llm::Block;
using llm::Stop;

std::string joined(const Json& parts, const char* member) {
  std::string text;
  for (const Json& p : parts) {
    const std::string_view t = text_at(p, member);
    if (!t.empty()) (text.empty() ? text : text += "\n\n") += t;
  }
  return text;
}

class ResponsesParser final : public ReplyParser {
 public:
  ResponsesParser(const llm::Request& request, bool structured, DeltaSink sink)
      : ReplyParser(std::move(sink)), request_(request), structured_(structured) {}

  std::string resume_path() const override {
    return id_.empty() || last_ < 0 || unnumbered_
               ? std::string()
               : "/responses/" + id_ + "?stream=true&starting_after=" + std::to_string(last_);
  }

  llm::Reply take() override {
    llm::Reply r;
    bool refused = false, called = false;
    for (const auto& [index, item] : items_) {
      const std::string_view type = text_at(item, "type");
      if (type == "reasoning") {
        std::string text = joined(list_at(item, "summary"), "text");
        if (text.empty()) text = joined(list_at(item, "content"), "text");
        r.blocks.push_back({text.empty() ? Block::Kind::opaque : Block::Kind::thinking, text, dump(item)});
      } else if (type == "message") {
        Block b{Block::Kind::text, {}, dump(item)};
        for (const Json& part : list_at(item, "content")) {
          refused |= text_at(part, "type") == "refusal";
          b.text += whole_text(std::string(text_at(part, "text")) + std::string(text_at(part, "refusal")));
        }
        r.blocks.push_back(std::move(b));
      } else if (type == "function_call" && !request_.tools.empty()) {
        called = true;
        r.blocks.push_back({.kind = Block::Kind::call,
                            .text = whole_text(std::string(text_at(item, "arguments"))),
                            .id = std::string(text_at(item, "call_id")),
                            .tool = std::string(text_at(item, "name"))});
      } else {
        r.blocks.push_back({Block::Kind::opaque, {}, dump(item)});
      }
    }
    if (r.text().empty() && !text_.text.empty()) r.blocks.push_back({Block::Kind::text, text_.text, {}});
    r.stop = refused ? Stop::refusal : called && stop_ == Stop::end ? Stop::calls : stop_;
    r.usage = usage_;
    if (!r.usage.reported) {
      r.usage.prompt = llm::estimate_tokens(request_);
      r.usage.reasoning = llm::estimate_tokens(r.thinking());
      r.usage.completion = llm::estimate_tokens(r.text()) + r.usage.reasoning;
    }
    r.model = model_.empty() ? request_.model : model_;
    r.id = id_;
    r.structured = structured_ && r.stop == Stop::end;
    return r;
  }

 private:
  static constexpr std::size_t most_waiting = 64;  // events that arrived before one with a smaller number

  // Events are numbered (sequence_number): repeats are dropped, others wait for their turn. Servers that do not number
  // them sensibly are taken as they come.
  void on_event(const Json& j) override {
    const Json* number = find(j, "sequence_number");
    if (unnumbered_ || !number || !number->is_number_integer()) return handle(j);
    const std::int64_t n = number->get<std::int64_t>();
    const std::string_view type = text_at(j, "type");
    if (n == last_ && j != last_event_) {  // the same number for all
      unnumbered_ = true;
      return handle(j);
    }
    if (n <= last_) return;
    if (last_ < 0 ? type != "response.created" && n != 0 : n != last_ + 1) {
      waiting_.emplace(n, j);
      if (is_last(type) || waiting_.size() > most_waiting) release(true);
      return;
    }
    step(n, j);
    release(false);
  }
  static bool is_last(std::string_view type) {
    return type == "response.completed" || type == "response.incomplete" || type == "response.failed" ||
           type == "response.cancelled" || type == "error";
  }
  void step(std::int64_t n, const Json& j) {
    last_ = n;
    last_event_ = j;
    handle(j);
  }
  void release(bool over_gaps) {
    while (!waiting_.empty() && !finished() && (over_gaps || waiting_.begin()->first <= last_ + 1)) {
      const auto node = waiting_.extract(waiting_.begin());
      if (node.key() > last_) step(node.key(), node.mapped());
    }
  }
  void on_end() override { release(true); }

  void handle(const Json& j) {
    const std::string_view type = text_at(j, "type");
    const Json& response = child(j, "response");
    const std::int64_t index = count_at(j, "output_index");
    head(response);
    if (type == "response.output_text.delta" || type == "response.refusal.delta") {
      grow(text_, text_at(j, "delta"));
    } else if (type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta") {
      if (!thinking_.text.empty() && count_at(j, "summary_index") != part_) grow(thinking_, "\n\n");
      part_ = count_at(j, "summary_index");
      grow(thinking_, text_at(j, "delta"));
    } else if (type == "response.function_call_arguments.delta") {
      advance(text_at(j, "delta"));
    } else if (type == "response.output_item.done") {
      if (items_.try_emplace(index).second) advance(text_at(child(j, "item"), "type"));
      items_[index] = child(j, "item");
    } else if (type == "response.completed" || type == "response.incomplete") {
      ended(response, type == "response.incomplete");
    } else if (type == "response.failed" || type == "response.cancelled") {
      failed(response);
    } else if (type == "error" || (type.empty() && find(j, "error"))) {
      fail_with(fault_in(0, find(j, "error") ? j : Json{{"error", j_error(j)}}));
    }
  }
  static Json j_error(const Json& j) { return Json{{"code", child(j, "code")}, {"message", child(j, "message")}}; }
  void head(const Json& response) {
    if (id_.empty()) id_ = text_at(response, "id");
    if (model_.empty()) model_ = text_at(response, "model");
  }
  void failed(const Json& response) {
    if (find(response, "error"))
      fail_with(fault_in(0, Json{{"error", child(response, "error")}}));
    else
      fail_with({500, std::string(text_at(response, "status")), "the response did not complete"});
  }
  void ended(const Json& response, bool incomplete) {
    const Json& output = list_at(response, "output");
    if (!output.empty()) {
      items_.clear();
      std::int64_t index = 0;
      for (const Json& item : output) items_[index++] = item;
    }
    const Json& u = child(response, "usage");
    if (has_count(u, "input_tokens") && has_count(u, "output_tokens")) {
      usage_.prompt = count_at(u, "input_tokens");
      usage_.cached = std::min(usage_.prompt, count_at(child(u, "input_tokens_details"), "cached_tokens"));
      usage_.cache_written =
          std::min(usage_.prompt - usage_.cached, count_at(child(u, "input_tokens_details"), "cache_write_tokens"));
      usage_.completion = count_at(u, "output_tokens");
      usage_.reasoning = std::min(usage_.completion, count_at(child(u, "output_tokens_details"), "reasoning_tokens"));
      usage_.reported = true;
    }
    if (incomplete || text_at(response, "status") == "incomplete") {
      const std::string_view why = text_at(child(response, "incomplete_details"), "reason");
      stop_ = why == "content_filter"                             ? Stop::refusal
              : why == "max_output_tokens" || why == "max_tokens" ? Stop::length
                                                                  : Stop::other;
    }
    close(text_);
    close(thinking_);
    correct();
    set_finished();
  }
  // The final text counts; if deltas were lost, the watcher gets the rest.
  void correct() {
    const llm::Reply reply = take();
    const std::string whole = reply.text();
    if (whole.size() > text_.text.size() && whole.compare(0, text_.text.size(), text_.text) == 0) {
      deliver(llm::Delta::Kind::text, std::string_view(whole).substr(text_.text.size()));
    } else if (whole != text_.text) {
      deliver(llm::Delta::Kind::restart, "the service's final text differs from the streamed text");
      deliver(llm::Delta::Kind::thinking, reply.thinking());
      deliver(llm::Delta::Kind::text, whole);
    }
  }
  void on_whole(const Json& j) override {
    head(j);
    const std::string_view status = text_at(j, "status");
    if (status == "failed" || status == "cancelled") return failed(j);
    if (!find(j, "output")) return;
    const Json reply = j;
    for (const Json& item : list_at(j, "output"))
      if (text_at(item, "type") == "reasoning") grow(thinking_, joined(list_at(item, "summary"), "text"));
    ended(reply, status == "incomplete");
  }
  void on_done() override {}

  const llm::Request& request_;
  bool structured_, unnumbered_ = false;
  Growing text_, thinking_{Block::Kind::thinking, {}, {}};
  std::map<std::int64_t, Json> items_;    // finished ones, by their place
  std::map<std::int64_t, Json> waiting_;  // by sequence number
  Json last_event_;
  std::int64_t last_ = -1, part_ = 0;
  std::string id_, model_;
  Stop stop_ = Stop::end;
  llm::Usage usage_;
};

class Responses final : public Dialect {
 public:
  explicit Responses(const llm::Endpoint& endpoint) : endpoint_(endpoint) {}
  std::string path() const override { return "/responses"; }
  BatchForm batch_form() const override { return BatchForm::file; }
  std::unique_ptr<ReplyParser> parser(const llm::Request& request, ReplyParser::DeltaSink sink) const override {
    return std::make_unique<ResponsesParser>(request, endpoint_.schemas && request.schema, std::move(sink));
  }
  Result<std::string> body(const llm::Request& request) const override {
    Json j;
    j["model"] = request.model;
    std::string instructions;
    Json input = Json::array();
    for (const llm::Message& m : request.messages) {
      if (m.role == llm::Role::system) {
        if (!instructions.empty()) instructions += "\n\n";
        instructions += m.text();
      } else if (m.role == llm::Role::user) {
        for (const Block& b : m.blocks)
          if (b.kind == Block::Kind::result && !b.is_text_result())
            input.push_back({{"type", "function_call_output"}, {"call_id", b.id}, {"output", b.text}});
        if (m.text().empty()) continue;
        input.push_back(
            {{"role", "user"}, {"content", Json::array({Json{{"type", "input_text"}, {"text", m.text()}}})}});
      } else {
        for (const Block& b : m.blocks) put(input, b);
      }
    }
    if (!instructions.empty()) j["instructions"] = instructions;
    j["input"] = std::move(input);
    for (const llm::Tool& t : request.tools) {
      auto parameters = WW_TRY(read_schema(t.parameters));
      j["tools"].push_back({{"type", "function"},
                            {"name", t.name},
                            {"description", t.about},
                            {"strict", false},
                            {"parameters", std::move(parameters)}});
    }
    if (request.no_calls && !request.tools.empty()) j["tool_choice"] = "none";
    j["stream"] = true;
    j["store"] = endpoint_.resumable;
    if (endpoint_.resumable) j["background"] = true;
    if (request.max_output_tokens > 0) j["max_output_tokens"] = request.max_output_tokens;
    if (request.temperature) j["temperature"] = *request.temperature;
    if (!request.effort.empty() && endpoint_.effort) {
      j["reasoning"]["effort"] = effort_word(request.effort);
      if (request.effort != "none") {
        j["reasoning"]["summary"] = "auto";
        j["include"] = Json::array({"reasoning.encrypted_content"});  // models that do not reason refuse it
      }
    } else if (!request.tools.empty() && endpoint_.effort) {  // calls go back with the reasoning that led to them
      j["include"] = Json::array({"reasoning.encrypted_content"});
    }
    if (request.schema && endpoint_.schemas) {
      auto schema = WW_TRY(read_schema(request.schema->json));
      const bool strict = is_strict(schema);
      j["text"]["format"] = {
          {"type", "json_schema"}, {"name", request.schema->name}, {"strict", strict}, {"schema", std::move(schema)}};
    }
    return dump(j);
  }

 private:
  // The service's own items go back as they came, where they are of this dialect; a reasoning item that it neither kept
  // nor encrypted would be unknown to it.
  void put(Json& input, const Block& b) const {
    if (!b.raw.empty()) {
      const Json raw = json::json_or_null(b.raw);
      const std::string_view type = text_at(raw, "type");
      if (type == "message" && child(raw, "content").is_array()) {
        input.push_back(raw);
        return;
      }
      if (type == "reasoning" && find(raw, "summary")) {
        if (endpoint_.resumable || !text_at(raw, "encrypted_content").empty()) input.push_back(raw);
        return;
      }
    }
    if (b.kind == Block::Kind::call)
      input.push_back({{"type", "function_call"}, {"call_id", b.id}, {"name", b.tool}, {"arguments", b.text}});
    if (b.kind == Block::Kind::text && !b.text.empty())
      input.push_back(
          {{"role", "assistant"}, {"content", Json::array({Json{{"type", "output_text"}, {"text", b.text}}})}});
  }

  llm::Endpoint endpoint_;
};

}  // namespace

std::unique_ptr<Dialect> make_responses(const llm::Endpoint& endpoint) { return std::make_unique<Responses>(endpoint); }

}  // namespace ww::providers
