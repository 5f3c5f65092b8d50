// SPDX-License-Identifier: Apache-2.0
// What a model costs.
#pragma once
#include <cstdint>
#include <string>
#include "base/describe.h"

namespace ww::llm {

struct Price {  // US dollars per million tokens
  double prompt = 0, cached = 0, cache_written = 0, completion = 0;
  double batch = 1;  // of requests that are asked in a batch: 0.5 is half
  bool free = false;
  std::int64_t up_to = 0;    // longer prompts have another, unknown price; 0: no such limit
  std::string source, date;  // where it was published, and when it was last checked
  WW_FIELDS(Price, (prompt, "US dollars per million tokens, as the next three"), cached, cache_written, completion,
            (batch, "share of it that requests in a batch cost"), free,
            (up_to, "longer prompts have another, unknown price; 0: no such limit"), source, date)
};

}  // namespace ww::llm
