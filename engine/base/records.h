// SPDX-License-Identifier: Apache-2.0
// Writes lists of objects as CSV and Markdown tables. Members are columns; nested ones are named like "score.value".
// Nested lists of objects are left out.
#pragma once
#include <string>
#include "base/described_json.h"

namespace ww {

// CSV as spreadsheets read it (RFC 4180). Since texts come from outside, control characters are escaped, and an
// apostrophe precedes anything that a spreadsheet would read as a formula, at the start of a text or after a semicolon.
std::string csv_of(const json::Json& records);
std::string markdown_of(const json::Json& records);

}  // namespace ww
