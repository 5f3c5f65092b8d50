// SPDX-License-Identifier: Apache-2.0
#include "llm/exchange_record.h"
#include "base/hash.h"
#include "llm/replay.h"

namespace ww::llm {

Usage usage_of(const store::ExchangeRecord& e) {
  return {e.prompt_tokens,     e.cached_tokens,    e.cache_written_tokens,
          e.completion_tokens, e.reasoning_tokens, e.tokens_reported};
}

void put_reply(const Reply& r, const ModelFacts& facts, store::ExchangeRecord& record) {
  record.prompt_tokens = r.usage.prompt;
  record.cached_tokens = r.usage.cached;
  record.cache_written_tokens = r.usage.cache_written;
  record.completion_tokens = r.usage.completion;
  record.reasoning_tokens = r.usage.reasoning;
  record.tokens_reported = r.usage.reported;
  record.money = cost(facts, r.usage);
  if (!record.money && r.usage.prompt + r.usage.completion == 0) record.money = 0;
  record.attempts = r.attempts;
  record.first_token_seconds = r.first_token_seconds;
  record.seconds = r.seconds;
}

store::ExchangeRecord new_record(const Model& model, const Request& request, const Purpose& purpose, std::int64_t run,
                                 const std::string& host, std::int64_t prompt) {
  store::ExchangeRecord record;
  record.run = run;
  record.role = purpose.role;
  record.label = purpose.label.text;
  record.origin = purpose.label.origin;
  record.prompt = purpose.prompt;
  record.model = ModelName{model.endpoint.preset, request.model}.text();
  record.provider = is_replay(*model.provider) ? "replay" : model.endpoint.provider;
  record.host = host;
  record.request = request_to_json(request);
  record.request_hash = hash_hex(record.request);
  record.prompt_tokens = prompt;
  record.money = cost(model.facts, {prompt, 0, 0, 0, 0, false});
  return record;
}

bool waits_in_batch(const store::ExchangeRecord& e) {
  using enum store::ExchangeState;
  return !e.batch.empty() && !e.batch_item.empty() &&
         (e.state == sent || e.state == cancelled || (e.state == failed && is_outage(code_from_name(e.code))));
}

}  // namespace ww::llm
