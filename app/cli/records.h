// SPDX-License-Identifier: Apache-2.0
// Writes lists of objects as CSV and Markdown tables. A member is a column; a nested one is called "score.value".
// Nested lists of objects are left out.
#pragma once
#include <string>
#include "base/described_json.h"

namespace ww::cli {

// CSV as spreadsheets read it (RFC 4180). Texts come from outside: control characters are made visible, and an
// apostrophe precedes what a spreadsheet would take for a formula, at the beginning of a text or after a semicolon.
std::string csv_of(const json::Json& records);
std::string markdown_of(const json::Json& records);

}  // namespace ww::cli
