// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as what a model wrote.
#include <cstdint>
#include "llm/limited.h"
#include "llm/reply_text.h"

using namespace ww;
using namespace ww::llm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string plain = plain_text(text);
  if (plain_text(plain) != plain) __builtin_trap();
  for (const candidate::Language language : {candidate::Language::cuda, candidate::Language::ptx}) {
    const auto c = candidate_in(text, "relu", language);
    if (!c) continue;
    // What was found is a candidate of that op, and stays itself when it is sent again.
    const auto again = candidate_in("```\n" + c->text + "```", "relu", language);
    if (c->op != "relu" || !candidate::parse(c->text, language)) __builtin_trap();
    if (c->text.find("```") == std::string::npos && c->text.find("~~~") == std::string::npos &&
        c->text.find("<") == std::string::npos && (!again || again->text != c->text))
      __builtin_trap();
  }
  if (note_in(text).size() > 400 || one_line(text, 50).size() > 50) __builtin_trap();
  (void)json_in(text, "spec");
  (void)spec_in(text);
  if (without_paths(text).size() > 7 * size + 7) __builtin_trap();
  (void)without_device_names(text);
  return 0;
}
