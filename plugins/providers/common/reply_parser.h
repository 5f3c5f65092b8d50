// SPDX-License-Identifier: Apache-2.0
// Parses one reply's body from any chunks: server-sent events, or one JSON object from a server that does not stream.
// Emits deltas and a Reply. The dialects derive from it.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include "base/result.h"
#include "http/sse.h"
#include "llm/provider.h"
#include "providers/common/characters.h"
#include "providers/common/fault.h"

namespace ww::providers {

class ReplyParser {
 public:
  using Json = nlohmann::ordered_json;
  using DeltaSink = std::function<void(llm::Delta::Kind, std::string_view)>;  // whole characters

  explicit ReplyParser(DeltaSink sink) : sink_(std::move(sink)) {}
  virtual ~ReplyParser() = default;
  ReplyParser(const ReplyParser&) = delete;
  ReplyParser& operator=(const ReplyParser&) = delete;

  Status feed(std::string_view bytes);  // Code::corrupt: not this dialect
  Status end();                         // the body has ended, complete or not
  void reconnect();                     // the next bytes are another body that continues the same reply
  bool finished() const { return finished_ || fault_.has_value(); }  // nothing that follows matters
  // Grows with what is a part of the reply, or with a body that is no stream; not with comments and keep-alive events.
  std::size_t progress() const { return progress_; }
  bool complete() const { return complete_ && !fault_; }  // the model's text is complete; its usage may be missing
  const std::optional<Fault>& fault() const { return fault_; }
  virtual llm::Reply take() = 0;  // once complete
  // where the service continues this reply; empty: not supported
  virtual std::string resume_path() const { return {}; }

 protected:
  struct Growing {  // a block that is being streamed
    llm::Block::Kind kind = llm::Block::Kind::text;
    std::string text;
    WholeCharacters characters;
  };
  virtual void on_event(const Json& data) = 0;  // an object
  virtual void on_whole(const Json& body) = 0;  // the reply of a server that does not stream
  virtual void on_done() = 0;                   // "[DONE]"
  virtual void on_end() {}                      // of the body

  void grow(Growing& block, std::string_view piece);  // emits whole characters
  void close(Growing& block);                         // a truncated character becomes U+FFFD
  void deliver(llm::Delta::Kind kind, std::string_view text) {
    if (!text.empty()) sink_(kind, text);
  }
  void fail_with(Fault fault) {
    if (!fault_) fault_ = std::move(fault);
  }
  void advance(std::string_view part) { progress_ += part.size(); }  // of the reply; grow() tells by itself
  void advance(const llm::Usage& usage);                             // the counts so far; repeats are no progress
  void set_complete() { complete_ = true; }
  void set_finished() { complete_ = finished_ = true; }

 private:
  void add(Growing& block, const std::string& whole);  // calls of tools are no text for the watchers
  Status event(std::string_view data);
  Status read(std::string_view text, Json& out);
  Status one_body();

  DeltaSink sink_;
  http::EventParser events_;
  enum class Form { unknown, events, one } form_ = Form::unknown;
  std::string body_;  // of Form::one; before the form is known: white space
  std::size_t progress_ = 0;
  std::int64_t counted_ = 0;  // tokens, at the last advance()
  bool finished_ = false, complete_ = false;
  std::optional<Fault> fault_;
};

}  // namespace ww::providers
