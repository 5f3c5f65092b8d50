// SPDX-License-Identifier: Apache-2.0
#include "llm/tool_text.h"
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include "base/ascii.h"
#include "base/fence.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "llm/reply_text.h"

namespace ww::llm {
namespace {

constexpr std::string_view mark = "tool:";
constexpr std::size_t most_calls = 64;

struct Argument {  // the only one of a tool
  std::string name, type, about;
};
Argument argument_of(const Tool& tool) {
  const json::Json schema = json::json_or_null(tool.parameters);
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !properties->is_object() || properties->empty()) return {};
  const auto only = properties->begin();
  const auto text = [&](const char* member) {
    const auto at = only->find(member);
    return at != only->end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  std::string about = text("description");
  if (const auto values = only->find("enum"); values != only->end() && values->is_array()) {
    about += " One of";
    for (const json::Json& v : *values)
      if (v.is_string()) about += ' ' + v.get<std::string>();
  }
  return {only.key(), text("type"), std::move(about)};
}

std::string arguments(const std::string& given, const Argument& argument) {
  const std::string word(trimmed(plain_text(given)));
  if (const json::Json whole = json::json_or_null(word); whole.is_object() && whole.contains(argument.name))
    return word;
  json::Json j = json::Json::object();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (argument.type == "integer" && error == std::errc() && end == word.data() + word.size())
    j[argument.name] = number;
  else
    j[argument.name] = argument.name == "candidate" && argument.type == "string" ? given : std::string(word);
  return j.dump(-1, ' ', false, json::Json::error_handler_t::replace);
}

}  // namespace

std::string tool_forms(const std::vector<Tool>& tools) {
  std::string out;
  for (const Tool& t : tools) {
    out += (out.empty() ? "" : "\n") + t.about + "\n```" + std::string(mark) + ' ' + t.name + '\n' +
           argument_of(t).about + "\n```\n";
  }
  return out;
}

std::vector<Block> calls_in(std::string_view reply, const std::vector<Tool>& tools) {
  std::vector<Block> calls;
  for (const FencedBlock& b : fenced_blocks(without_thinking(reply))) {
    const std::string_view info = trimmed(b.info);
    if (!b.closed || !info.starts_with(mark) || calls.size() == most_calls) continue;
    const std::string name(trimmed(info.substr(mark.size())));
    const auto tool = std::find_if(tools.begin(), tools.end(), [&](const Tool& t) { return t.name == name; });
    calls.push_back({.kind = Block::Kind::call,
                     .text = tool == tools.end() ? "{}" : arguments(b.text, argument_of(*tool)),
                     .tool = name});
  }
  return calls;
}

Block text_result(const std::string& tool, const std::string& said) {
  const std::string around = fence_for(said);
  return {.kind = Block::Kind::result,
          .text = "Result of " + one_line(tool, 80) + ":\n" + around + "text\n" + said + "\n" + around + "\n",
          .tool = tool};
}

}  // namespace ww::llm
