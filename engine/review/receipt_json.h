// SPDX-License-Identifier: Apache-2.0
// Shared by making, signing and verifying receipts. For .cpp files of this folder only: it includes nlohmann's header.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include "review/receipt_body.h"

namespace ww::review {

using Sorted = nlohmann::json;  // objects are sorted by name
inline constexpr const char* receipt_schema = "warpwright/receipt/1";
inline constexpr const char* receipt_heading = "# Receipt: ";  // as Markdown
inline constexpr const char* receipt_parts[] = {"candidate", "checklist", "evidence",     "findings",
                                                "limits",    "lineage",   "measurements", "notes",
                                                "plan",      "spec",      "toolchain"};

std::string plain_bytes(const Sorted& j);  // without blanks
std::string file_bytes(const Sorted& j);   // as in the file
std::string part_hash(const Sorted& part);
Result<body::Body> read_body(const Sorted& receipt);          // Code::corrupt; the cause names the wrong member
Result<body::Body> genuine_body(const std::string& receipt);  // Code::corrupt if it does not verify
// The message signed by the last of `before` + one signature; `entry` with or without its "signature".
std::string signed_message(const Sorted& receipt, const Sorted& before, Sorted entry);

}  // namespace ww::review
