// SPDX-License-Identifier: Apache-2.0
// The attempts around one reply: requests, retries, broken streams, plain error messages. A dialect defines what is
// sent and how the reply is parsed.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include "http/http.h"
#include "http/retry.h"
#include "llm/provider.h"
#include "providers/common/reply_parser.h"

namespace ww::providers {

enum class BatchForm : std::uint8_t {
  none,
  list,  // all requests in one: Anthropic
  file,  // uploaded first: OpenAI
};

class Dialect {  // stateless: concurrent calls are allowed
 public:
  virtual ~Dialect() = default;
  virtual std::string path() const = 0;  // after the base URL: "/chat/completions"
  virtual Result<std::string> body(const llm::Request& request) const = 0;
  virtual std::unique_ptr<ReplyParser> parser(const llm::Request& request, ReplyParser::DeltaSink sink) const = 0;
  virtual http::Headers headers() const { return {}; }
  virtual std::pair<std::string, std::string> key_header() const {
    return {"authorization", "Bearer "};
  }  // name, prefix
  virtual BatchForm batch_form() const { return BatchForm::none; }
  virtual std::string batch_path() const { return "/batches"; }
  virtual std::string models_path() const { return "/models"; }
};

// Endpoint.attempts and retry_budget override those in `pace`.
std::unique_ptr<llm::Provider> make_service(const llm::Endpoint& endpoint, std::unique_ptr<Dialect> dialect,
                                            const http::RetryOptions& pace = {});

}  // namespace ww::providers
