// SPDX-License-Identifier: Apache-2.0
#include "cases.h"
#include <QtGlobal>
#include <sstream>
#include "base/files.h"

namespace ww::cases {
namespace {

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

support::Answer answer_of(const Json& options, const std::string& body) {
  support::Answer a;
  a.status = options.value("status", 200);
  a.headers = {{"content-type", options.value("type", "text/event-stream")}};
  if (options.contains("headers"))
    for (const auto& h : options["headers"].items()) a.headers.emplace_back(h.key(), h.value().get<std::string>());
  a.gzip = options.value("gzip", false);
  a.length = options.value("length", false);
  const std::string end = options.value("end", "complete");
  using End = support::Answer::End;
  a.end = end == "cut"       ? End::cut
          : end == "reset"   ? End::reset
          : end == "hang"    ? End::hang
          : end == "garbage" ? End::garbage
                             : End::complete;
  const auto size = options.value("piece", -1);
  const std::string gap = options.value("crlf", false) ? "\r\n\r\n" : "\n\n";
  for (std::size_t at = 0; at < body.size();) {
    std::size_t next = size > 0 ? at + static_cast<std::size_t>(size) : std::string::npos;
    if (size < 0) next = body.find(gap, at) == std::string::npos ? next : body.find(gap, at) + gap.size();
    next = std::min(next, body.size());
    a.pieces.push_back({body.substr(at, next - at), std::chrono::milliseconds(options.value("pause", 0))});
    at = next;
  }
  return a;
}

struct Raw {
  std::string name;
  Json settings, expect;
  std::vector<std::pair<Json, std::string>> answers;
};

std::vector<Raw> read(const std::string& file) {
  const auto text = read_file(std::string(WW_SOURCE_DIR) + "/tests/providers/fixtures/" + file);
  if (!text) qFatal("%s", text.error().text().c_str());
  std::vector<Raw> all;
  std::istringstream lines(*text);
  const auto json = [&](const std::string& s) {
    Json j = Json::parse(s, nullptr, false);
    if (j.is_discarded()) qFatal("%s: no JSON in the case '%s': %s", file.c_str(), all.back().name.c_str(), s.c_str());
    return j;
  };
  bool settings = false, over = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("# ", 0) == 0 && over) {
      all.push_back({line.substr(2), {}, {}, {}});
      settings = true;
      over = false;
    } else if (settings) {
      all.back().settings = json(line);
      settings = false;
    } else if (line.rfind("--- ", 0) == 0) {
      all.back().answers.emplace_back(json(line.substr(4)), "");
    } else if (line.rfind("= ", 0) == 0) {
      all.back().expect = json(line.substr(2));
      over = true;
    } else if (!over) {
      if (all.back().answers.empty()) all.back().answers.emplace_back(Json::object(), "");
      all.back().answers.back().second += line + "\n";
    }
  }
  if (!over) qFatal("%s: the last case has no end", file.c_str());
  return all;
}

}  // namespace

std::string expand(std::string text) {
  replace(text, "{{KEY}}", key);
  for (std::size_t at = 0; (at = text.find("{{", at)) != std::string::npos; ++at)
    if (at + 6 <= text.size() && text.compare(at + 4, 2, "}}") == 0)
      text.replace(at, 6, 1, static_cast<char>(std::stoi(text.substr(at + 2, 2), nullptr, 16)));
  return text;
}

std::string usual(const std::string& dialect, bool whole) {
  const char* const words[] = {"Grüße, ", "世界", " 😀!"};
  std::string out;
  int number = 0;
  const auto event = [&](const std::string& name, Json data) {
    if (dialect == "responses") data["sequence_number"] = number++;
    if (dialect != "chat") out += "event: " + name + "\n";
    out += "data: " + data.dump() + "\n\n";
  };
  const auto typed = [&](const std::string& type, Json data) {
    data["type"] = type;
    event(type, std::move(data));
  };
  if (dialect == "responses") typed("response.created", {{"response", {{"id", "resp_1"}, {"model", "m1"}}}});
  if (dialect == "messages") {
    typed("message_start",
          {{"message", {{"id", "msg_1"}, {"model", "m1"}, {"usage", {{"input_tokens", 5}, {"output_tokens", 1}}}}}});
    typed("content_block_start", {{"index", 0}, {"content_block", {{"type", "text"}, {"text", ""}}}});
  }
  std::string all;
  for (int i = 0; i < (whole ? 3 : 2); ++i) {
    const std::string word = whole ? words[i] : "half ";
    all += word;
    if (dialect == "chat")
      event("", {{"choices", Json::array({Json{{"index", 0}, {"delta", {{"content", word}}}}})}});
    else if (dialect == "responses")
      typed("response.output_text.delta", {{"output_index", 0}, {"delta", word}});
    else
      typed("content_block_delta", {{"index", 0}, {"delta", {{"type", "text_delta"}, {"text", word}}}});
  }
  if (!whole) return out;
  if (dialect == "chat") {
    event("", {{"choices", Json::array({Json{{"index", 0}, {"delta", Json::object()}, {"finish_reason", "stop"}}})}});
    event("", {{"choices", Json::array()}, {"usage", {{"prompt_tokens", 5}, {"completion_tokens", 6}}}});
    out += "data: [DONE]\n\n";
  } else if (dialect == "responses") {
    const Json message{{"type", "message"},
                       {"role", "assistant"},
                       {"content", Json::array({Json{{"type", "output_text"}, {"text", all}}})}};
    typed("response.completed", {{"response",
                                  {{"id", "resp_1"},
                                   {"status", "completed"},
                                   {"output", Json::array({message})},
                                   {"usage", {{"input_tokens", 5}, {"output_tokens", 6}}}}}});
  } else {
    typed("content_block_stop", {{"index", 0}});
    typed("message_delta", {{"delta", {{"stop_reason", "end_turn"}}}, {"usage", {{"output_tokens", 6}}}});
    typed("message_stop", Json::object());
  }
  return out;
}

namespace {

// The events of one reply in a dialect.
class Events {
 public:
  explicit Events(std::string dialect) : dialect_(std::move(dialect)) {}
  const std::string& text() const { return out_; }
  void chat(const Json& delta, const Json& finish = nullptr) {
    put("", {{"choices", Json::array({Json{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}})}});
  }
  void typed(const std::string& type, Json data) {
    data["type"] = type;
    put(type, std::move(data));
  }
  void put(const std::string& name, Json data) {
    if (dialect_ == "responses") data["sequence_number"] = number_++;
    if (dialect_ != "chat") out_ += "event: " + name + "\n";
    out_ += "data: " + data.dump() + "\n\n";
  }
  void done() { out_ += "data: [DONE]\n\n"; }

 private:
  const std::string dialect_;
  std::string out_;
  int number_ = 0;
};

const char* const first_half = "{\"candidate\":\"Gr";
const char* const second_half = "\u00fc\u00dfe, \u4e16\u754c\"}";

std::string calling_chat(Calling how) {
  Events e("chat");
  const auto call = [&](int index, const char* id, const char* name, const char* arguments) {
    Json function{{"arguments", arguments}};
    if (*name) function["name"] = name;
    Json c{{"index", index}, {"function", function}};
    if (*id) c["id"] = id, c["type"] = "function";
    e.chat({{"tool_calls", Json::array({c})}});
  };
  e.chat({{"content", "I check."}});
  call(0, "call_1", "check", "");
  call(0, "", "", first_half);
  if (how == Calling::half) return e.text();
  if (how == Calling::whole) {
    call(0, "", "", second_half);
    call(1, "call_2", "advice", "{}");
  }
  e.chat(Json::object(), how == Calling::cut ? "length" : "tool_calls");
  e.put("", {{"choices", Json::array()}, {"usage", {{"prompt_tokens", 5}, {"completion_tokens", 6}}}});
  e.done();
  return e.text();
}

std::string calling_responses(Calling how) {
  Events e("responses");
  const auto call = [](const char* id, const char* name, const std::string& arguments) {
    return Json{{"type", "function_call"}, {"id", std::string("f") + id}, {"call_id", id}, {"name", name},
                {"arguments", arguments},  {"status", "completed"}};
  };
  Json output = Json::array({Json{{"type", "message"},
                                  {"role", "assistant"},
                                  {"content", Json::array({Json{{"type", "output_text"}, {"text", "I check."}}})}}});
  e.typed("response.created", {{"response", {{"id", "resp_1"}, {"model", "m1"}}}});
  e.typed("response.output_text.delta", {{"output_index", 0}, {"delta", "I check."}});
  const auto begin = [&](int index, const char* id, const char* name) {
    e.typed("response.output_item.added", {{"output_index", index},
                                           {"item",
                                            {{"type", "function_call"},
                                             {"id", std::string("f") + id},
                                             {"call_id", id},
                                             {"name", name},
                                             {"arguments", ""}}}});
  };
  const auto more = [&](int index, const char* id, const char* delta) {
    e.typed("response.function_call_arguments.delta",
            {{"output_index", index}, {"item_id", std::string("f") + id}, {"delta", delta}});
  };
  const auto end = [&](int index, const Json& item) {
    output.push_back(item);
    e.typed("response.function_call_arguments.done",
            {{"output_index", index}, {"item_id", item["id"]}, {"arguments", item["arguments"]}});
    e.typed("response.output_item.done", {{"output_index", index}, {"item", item}});
  };
  begin(1, "call_1", "check");
  more(1, "call_1", first_half);
  if (how == Calling::half) return e.text();
  if (how == Calling::whole) {
    more(1, "call_1", second_half);
    end(1, call("call_1", "check", std::string(first_half) + second_half));
    begin(2, "call_2", "advice");
    more(2, "call_2", "{}");
    end(2, call("call_2", "advice", "{}"));
  }
  Json response{{"id", "resp_1"},
                {"status", how == Calling::cut ? "incomplete" : "completed"},
                {"output", output},
                {"usage", {{"input_tokens", 5}, {"output_tokens", 6}}}};
  if (how == Calling::cut) response["incomplete_details"] = {{"reason", "max_output_tokens"}};
  e.typed(how == Calling::cut ? "response.incomplete" : "response.completed", {{"response", response}});
  return e.text();
}

std::string calling_messages(Calling how) {
  Events e("messages");
  const auto begin = [&](int index, const Json& block) {
    e.typed("content_block_start", {{"index", index}, {"content_block", block}});
  };
  const auto more = [&](int index, const Json& delta) {
    e.typed("content_block_delta", {{"index", index}, {"delta", delta}});
  };
  const auto tool = [](const char* id, const char* name) {
    return Json{{"type", "tool_use"}, {"id", id}, {"name", name}, {"input", Json::object()}};
  };
  e.typed("message_start",
          {{"message", {{"id", "msg_1"}, {"model", "m1"}, {"usage", {{"input_tokens", 5}, {"output_tokens", 1}}}}}});
  begin(0, {{"type", "text"}, {"text", ""}});
  more(0, {{"type", "text_delta"}, {"text", "I check."}});
  e.typed("content_block_stop", {{"index", 0}});
  begin(1, tool("call_1", "check"));
  more(1, {{"type", "input_json_delta"}, {"partial_json", first_half}});
  if (how == Calling::half) return e.text();
  if (how == Calling::whole) {
    more(1, {{"type", "input_json_delta"}, {"partial_json", second_half}});
    e.typed("content_block_stop", {{"index", 1}});
    begin(2, tool("call_2", "advice"));
  }
  e.typed("content_block_stop", {{"index", how == Calling::whole ? 2 : 1}});
  e.typed("message_delta", {{"delta", {{"stop_reason", how == Calling::cut ? "max_tokens" : "tool_use"}}},
                            {"usage", {{"output_tokens", 6}}}});
  e.typed("message_stop", Json::object());
  return e.text();
}

}  // namespace

std::string calling(const std::string& dialect, Calling how) {
  return dialect == "chat"        ? calling_chat(how)
         : dialect == "responses" ? calling_responses(how)
                                  : calling_messages(how);
}

std::string pings(const std::string& dialect) {
  std::vector<std::string> kinds{R"({"type":"ping"})", "{}", R"("ping")", "null", "[]"};
  if (dialect == "chat") {
    kinds.push_back(R"({"id":"c1","model":"m1","choices":[]})");
    kinds.push_back(R"({"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})");
    kinds.push_back(R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":""}}]}}]})");
    kinds.push_back(R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":0}})");
  } else if (dialect == "responses") {
    kinds.push_back(R"({"type":"response.in_progress","response":{"id":"resp_1","status":"in_progress"}})");
    kinds.push_back(R"({"type":"response.output_text.delta","output_index":0,"delta":""})");
    kinds.push_back(R"({"type":"response.function_call_arguments.delta","output_index":1,"delta":""})");
  } else {
    kinds.push_back(R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})");
    kinds.push_back(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}})");
    kinds.push_back(R"({"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":1}})");
  }
  std::string out;
  for (std::size_t i = 0; i < 35; ++i)
    out += (dialect == "chat" ? "" : "event: ping\n") + ("data: " + kinds[i % kinds.size()]) + "\n\n";
  return out;
}

std::vector<Case> load(const std::string& file) {
  std::vector<Case> out;
  for (const Raw& raw : read(file)) {
    const std::string dialect = raw.settings.at("dialect").get<std::string>();
    const std::vector<std::string> dialects = dialect == "all"
                                                  ? std::vector<std::string>{"chat", "responses", "messages"}
                                                  : std::vector<std::string>{dialect};
    const auto ways = raw.settings.value("ways", std::vector<std::string>{"http1"});
    for (const std::string& d : dialects)
      for (const std::string& way : ways) {
        Case c{raw.name, d, way, raw.settings, raw.expect, {}, {}};
        if (dialects.size() > 1) c.name = d + ": " + c.name;
        if (ways.size() > 1) c.name += way == "http2" ? ", HTTP/2 over TLS" : ", HTTP/1.1";
        for (const auto& [options, text] : raw.answers) {
          std::string body = expand(text);
          replace(body, "@whole\n", usual(d, true));
          replace(body, "@half\n", usual(d, false));
          replace(body, "@pings\n", pings(d));
          replace(body, "@calls\n", calling(d, Calling::whole));
          replace(body, "@cutcall\n", calling(d, Calling::cut));
          replace(body, "@halfcall\n", calling(d, Calling::half));
          if (options.value("crlf", false)) replace(body, "\n", "\r\n");
          c.answers.push_back(answer_of(options, body));
          c.bodies.push_back(std::move(body));
        }
        out.push_back(std::move(c));
      }
  }
  return out;
}

}  // namespace ww::cases
