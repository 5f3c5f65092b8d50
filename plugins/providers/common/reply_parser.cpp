// SPDX-License-Identifier: Apache-2.0
#include "providers/common/reply_parser.h"
#include <nlohmann/json.hpp>
#include "base/json_reader.h"
#include "providers/common/tolerant_json.h"

namespace ww::providers {
namespace {

constexpr std::size_t largest_body = std::size_t{64} << 20;

}  // namespace

Status ReplyParser::read(std::string_view text, Json& out) {
  if (const Status shape = json::check_shape(text); !shape)
    return fail(Code::corrupt, "The service's JSON was rejected", shape.error().message);
  out = Json::parse(text, nullptr, false);
  if (out.is_discarded()) out = Json::parse(carry_bytes(text), nullptr, false);
  if (out.is_discarded())
    return fail(Code::corrupt, "The service sent an event that is not JSON: the base URL may belong to something else",
                cut_text(whole_text(text), 120));
  return {};
}

Status ReplyParser::feed(std::string_view bytes) {
  if (finished()) return {};
  if (form_ == Form::unknown) {
    body_ += bytes;
    std::size_t begin = body_.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
    begin = body_.find_first_not_of(" \t\r\n", begin);
    if (begin == std::string::npos || (body_[begin] == '\xEF' && body_.size() < 3)) {
      if (body_.size() > 65536) body_.erase(0, 32768);  // a server may keep the line open with white space
      return {};
    }
    if (body_[begin] == '<')
      return fail(
          Code::corrupt,
          "A web page came instead of a reply: check the base URL, and whether a proxy or login page is in the way");
    form_ = body_[begin] == '{' || body_[begin] == '[' ? Form::one : Form::events;
    if (form_ == Form::one) return {};
    const std::string first = std::move(body_);
    body_.clear();
    form_ = Form::events;
    return feed(first);
  }
  if (form_ == Form::one) {
    if (body_.size() + bytes.size() > largest_body)
      return fail(Code::corrupt, "The service's reply is larger than 64 MiB");
    body_ += bytes;
    progress_ += bytes.size();
    return {};
  }
  Status status;
  const Status parsed = events_.feed(bytes, [&](const http::ServerEvent& e) {
    status = event(e.data);
    return status.has_value() && !finished();
  });
  if (!status) return status;
  return parsed;
}

Status ReplyParser::event(std::string_view data) {
  while (!data.empty() && (data.back() == ' ' || data.back() == '\n' || data.back() == '\r')) data.remove_suffix(1);
  if (data.empty()) return {};
  if (data == "[DONE]") {
    on_done();
    return {};
  }
  try {
    Json j;
    if (Status ok = read(data, j); !ok) return ok;
    if (j.is_object()) on_event(j);  // others are keep-alives
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "The service sent an event that cannot be read", json::explain_exception(e));
  }
  return {};
}

Status ReplyParser::one_body() {
  // At its end, a truncated body cannot be distinguished from a wrong one: incomplete JSON counts as broken.
  try {
    Json j;
    if (Status ok = read(body_, j); !ok) return j.is_discarded() ? Status{} : ok;
    if (j.is_array() && !j.empty()) j = Json(j.front());
    if (!j.is_object()) return fail(Code::corrupt, "The service's reply is not a JSON object");
    if (find(j, "error"))
      fail_with(fault_in(0, j));
    else
      on_whole(j);
    if (!complete_ && !fault_)
      return fail(Code::corrupt,
                  "The service's answer is JSON, but not a reply in this dialect: check the base URL and the dialect",
                  cut_text(whole_text(body_), 120));
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "The service's reply cannot be read", json::explain_exception(e));
  }
  return {};
}

Status ReplyParser::end() {
  if (finished()) return {};
  if (form_ == Form::one) return one_body();
  if (events_.unfinished())
    (void)feed(
        "\n\n");  // some servers leave out the empty line after the last event; what is not an event then was cut
  if (finished()) return {};
  try {
    on_end();
  } catch (const std::exception& e) {
    return fail(Code::corrupt, "The service's reply cannot be read", json::explain_exception(e));
  }
  return {};
}

void ReplyParser::reconnect() {
  events_ = {};
  form_ = Form::unknown;
  body_.clear();
}

void ReplyParser::advance(const llm::Usage& usage) {
  const std::int64_t counted = usage.prompt + usage.completion;
  if (std::exchange(counted_, counted) != counted) ++progress_;
}

void ReplyParser::grow(Growing& block, std::string_view piece) {
  advance(piece);
  if (!piece.empty()) add(block, block.characters.feed(carried_bytes(piece)));
}

void ReplyParser::close(Growing& block) { add(block, block.characters.flush()); }

void ReplyParser::add(Growing& block, const std::string& whole) {
  block.text += whole;
  if (block.kind == llm::Block::Kind::text) deliver(llm::Delta::Kind::text, whole);
  if (block.kind == llm::Block::Kind::thinking) deliver(llm::Delta::Kind::thinking, whole);
}

}  // namespace ww::providers
