// SPDX-License-Identifier: Apache-2.0
// Several requests as one batch, which a service answers within a day at a lower price.
// https://docs.claude.com/en/docs/build-with-claude/batch-processing,
// https://platform.openai.com/docs/guides/batch.
#pragma once
#include <functional>
#include <string>
#include <vector>
#include "llm/provider.h"
#include "providers/common/fault.h"
#include "providers/common/service.h"

namespace ww::providers {

struct Sent {  // a request about batches
  std::string method, path, body, content_type = "application/json";
};
struct BatchWire {  // the service that they go to
  std::function<Result<std::string>(const Sent& sent, const std::stop_token& stop)> call;  // the body of its answer
  std::function<void(const Sent& sent)> give_up;  // a last word, whose answer is not waited for long
  std::function<Error(const Fault& fault, const std::string& model)> explained;
  std::function<std::string(const std::string& path)> url;
};

// One result for each, in order. Fails as a whole where the batch was not taken or is lost.
Result<std::vector<Result<llm::Reply>>> run_batch(const std::vector<llm::BatchItem>& items, const Dialect& dialect,
                                                  const llm::Endpoint& endpoint, const BatchWire& wire,
                                                  const std::stop_token& stop);

}  // namespace ww::providers
