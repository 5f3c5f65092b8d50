// SPDX-License-Identifier: Apache-2.0
// Lists of objects as tables for other programs: the one writer of CSV and Markdown. A member is a column, one of an
// object in it "score.value"; lists of objects are left out.
#pragma once
#include <string>
#include "base/described_json.h"

namespace ww::cli {

// As spreadsheets read it (RFC 4180). Texts come from outside: control characters are made visible, and an apostrophe
// precedes what a spreadsheet would take for a formula, at the beginning of a text or behind a semicolon.
std::string csv_of(const json::Json& records);
std::string markdown_of(const json::Json& records);

}  // namespace ww::cli
