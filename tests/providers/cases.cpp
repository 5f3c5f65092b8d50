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
