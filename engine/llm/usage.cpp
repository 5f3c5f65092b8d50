// SPDX-License-Identifier: Apache-2.0
#include "llm/usage.h"
#include <algorithm>

namespace ww::llm {

std::int64_t total(const Usage& u) { return u.prompt + u.completion; }

void add(Usage& sum, const Usage& more) {
  sum.prompt += more.prompt;
  sum.cached += more.cached;
  sum.cache_written += more.cache_written;
  sum.completion += more.completion;
  sum.reasoning += more.reasoning;
  sum.reported = sum.reported && more.reported;
}

Usage at_most(Usage u, std::int64_t prompt, std::int64_t completion) {
  u.prompt = std::clamp<std::int64_t>(u.prompt, 0, prompt);
  u.completion = std::clamp<std::int64_t>(u.completion, 0, completion);
  u.cached = std::clamp<std::int64_t>(u.cached, 0, u.prompt);
  u.cache_written = std::clamp<std::int64_t>(u.cache_written, 0, u.prompt - u.cached);
  u.reasoning = std::clamp<std::int64_t>(u.reasoning, 0, u.completion);
  return u;
}

std::optional<double> worst_cost(const ModelFacts& facts, std::int64_t prompt, std::int64_t output) {
  const std::optional<double> plain = cost(facts, {prompt, 0, 0, output, 0, false}),
                              written = cost(facts, {prompt, 0, prompt, output, 0, false});
  if (!plain || !written) return std::nullopt;
  return std::max(*plain, *written);
}

}  // namespace ww::llm
