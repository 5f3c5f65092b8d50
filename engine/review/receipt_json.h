// SPDX-License-Identifier: Apache-2.0
// Shared parts of making, signing and verifying receipts. For .cpp files of this folder alone: it holds nlohmann's
// header.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include "review/receipt_body.h"

namespace ww::review {

using Sorted = nlohmann::json;  // its objects are in alphabetical order
inline constexpr const char* receipt_schema = "warpwright/receipt/1";
inline constexpr const char* receipt_parts[] = {"candidate", "checklist", "evidence",     "findings",
                                                "limits",    "lineage",   "measurements", "notes",
                                                "plan",      "spec",      "toolchain"};

std::string plain_bytes(const Sorted& j);  // without blanks
std::string file_bytes(const Sorted& j);   // as the file holds it
std::string part_hash(const Sorted& part);
Result<body::Body> read_body(const Sorted& receipt);          // Code::corrupt; the cause names the member that is wrong
Result<body::Body> genuine_body(const std::string& receipt);  // Code::corrupt where it does not verify
// What the last of `before` + one signature is over; `entry` with or without its "signature".
std::string signed_message(const Sorted& receipt, const Sorted& before, Sorted entry);

}  // namespace ww::review
