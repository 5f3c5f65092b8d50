// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as text for a terminal, and as JSON. What is shown is UTF-8 that steers nothing.
#include "base/described_json.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "support/fuzz.h"

using namespace ww;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    return fuzz::Seeds{
        "\x1b[31mred\x1b[0m \xe2\x80\xae rtl \xc2\x9b"
        "2J \xff \xf0\x9f\x98\x80",
        "{\"a\": [1, -2.5e300, \"\\u202e\\ud83d\\ude00\", null, true], \"b\": {}}", "[[[[]]]]"};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::view(data, size);
  const std::string shown = visible(text);
  fuzz::require(!bad_utf8(shown) && visible(shown) == shown);
  for (const char32_t c : code_points(shown)) fuzz::require(!is_invisible(c));
  if (!bad_utf8(text)) fuzz::require(utf8(code_points(text)) == text);
  const Result<json::Json> j = json::parse(text);
  if (!j) return 0;
  const std::string once = json::dump(*j);
  const Result<json::Json> again = json::parse(once);
  fuzz::require(again && json::dump(*again) == once);
  fuzz::require(!bad_utf8(visible(once, Escapes::json)));
  return 0;
}
