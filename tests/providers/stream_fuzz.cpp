// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a reply's body, in each dialect, cut into pieces. What is emitted is valid UTF-8, and
// is the reply's text where there is one.
#include <cstdint>
#include "providers/anthropic/anthropic.h"
#include "providers/openai/openai.h"

using namespace ww;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static const llm::Request request = [] {
    llm::Request r;
    r.model = "m";
    r.messages.push_back(llm::message(llm::Role::user, "u"));
    return r;
  }();
  llm::Endpoint endpoint;
  const auto dialect = data[0] % 3 == 0   ? providers::make_chat(endpoint)
                       : data[0] % 3 == 1 ? providers::make_responses(endpoint)
                                          : providers::make_messages(endpoint);
  const std::size_t piece = 1 + data[1];
  std::string text, thinking;
  const auto parser = dialect->parser(request, [&](llm::Delta::Kind kind, std::string_view t) {
    if (t.empty()) __builtin_trap();
    if (kind == llm::Delta::Kind::restart) text.clear();
    providers::WholeCharacters whole;
    if (whole.feed(t) != t) __builtin_trap();
    if (kind == llm::Delta::Kind::text) text += t;
  });
  std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  Status ok;
  while (ok && !body.empty()) {
    ok = parser->feed(body.substr(0, piece));
    body.remove_prefix(std::min(piece, body.size()));
  }
  if (ok) ok = parser->end();
  (void)parser->resume_path();
  if (!ok || !parser->complete()) return 0;
  const llm::Reply reply = parser->take();
  if (data[0] % 3 != 2 && reply.text() != text)
    __builtin_trap();  // Messages: words beside a tool are shown, and no part of the text
  if (reply.usage.prompt < 0 || reply.usage.completion < 0 || reply.usage.cached < 0 || reply.usage.reasoning < 0)
    __builtin_trap();
  return 0;
}
