// SPDX-License-Identifier: Apache-2.0
// One reply's body in, in any pieces: server-sent events, or one JSON object from a server that does not stream. Deltas
// and a Reply out. The dialects derive from it.
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
  using Tell = std::function<void(llm::Delta::Kind, std::string_view)>;  // whole characters

  explicit ReplyParser(Tell tell) : tell_(std::move(tell)) {}
  virtual ~ReplyParser() = default;
  ReplyParser(const ReplyParser&) = delete;
  ReplyParser& operator=(const ReplyParser&) = delete;

  Status feed(std::string_view bytes);  // Code::corrupt: this is not the dialect
  Status end();                         // the body is over, wholly or not
  void reconnect();                     // the next bytes are another body that continues the same reply
  bool finished() const { return finished_ || fault_.has_value(); }  // nothing that may follow matters
  std::size_t heard() const {
    return heard_;
  }  // grows with each event, or with a body that is no stream; not with
     // comments and white space
  bool complete() const { return complete_ && !fault_; }  // the model's words are whole; its usage may be missing
  const std::optional<Fault>& fault() const { return fault_; }
  virtual llm::Reply take() = 0;                          // once it is complete
  virtual std::string resume_path() const { return {}; }  // where the service continues this reply; empty: nowhere

 protected:
  struct Growing {  // a block that is being streamed
    llm::Block::Kind kind = llm::Block::Kind::text;
    std::string text;
    WholeCharacters characters;
  };
  virtual void on_event(const Json& data) = 0;  // an object
  virtual void on_whole(const Json& body) = 0;  // the answer of a server that does not stream
  virtual void on_done() = 0;                   // "[DONE]"
  virtual void on_end() {}                      // of the body

  void grow(Growing& block, std::string_view piece);  // tells what is whole
  void close(Growing& block);                         // a character that was cut becomes U+FFFD
  void tell(llm::Delta::Kind kind, std::string_view text) {
    if (!text.empty()) tell_(kind, text);
  }
  void fail_with(Fault fault) {
    if (!fault_) fault_ = std::move(fault);
  }
  void set_complete() { complete_ = true; }
  void set_finished() { complete_ = finished_ = true; }

 private:
  Status event(std::string_view data);
  Status read(std::string_view text, Json& out);
  Status one_body();

  Tell tell_;
  http::EventParser events_;
  enum class Form { unknown, events, one } form_ = Form::unknown;
  std::string body_;  // of Form::one; before the form is known: white space
  std::size_t heard_ = 0;
  bool finished_ = false, complete_ = false;
  std::optional<Fault> fault_;
};

}  // namespace ww::providers
