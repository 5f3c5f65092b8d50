// SPDX-License-Identifier: Apache-2.0
// Any text: parse never crashes, and what it accepts prints to a text that parses to the same print.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include "op/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ww::op;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ParseOutcome first = parse(text);
  if (!first) {
    if (first.diagnostics.empty()) std::abort();
    ww::render_all(first.diagnostics, text);
  } else {
    const std::string once = print(*first.spec);
    const ParseOutcome second = parse(once);
    if (!second || print(*second.spec) != once) std::abort();
  }
  const auto plan = parse_integer_expr(text);
  if (plan) {
    const auto none = [](const std::string&) -> std::optional<std::int64_t> { return 3; };
    (void)eval_integer(**plan, none);
    const auto again = parse_integer_expr(print(**plan));
    if (!again || print(**again) != print(**plan)) std::abort();
  }
  return 0;
}
