// SPDX-License-Identifier: Apache-2.0
// The messages of a compiler's log, with their positions in the text.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>
#include "base/describe.h"
#include "base/source.h"

namespace ww::compile {

enum class Severity : std::uint8_t { error, warning, remark };
constexpr auto names_of(Severity) {
  using enum Severity;
  return std::to_array<Enumerator<Severity>>({{error, "error"}, {warning, "warning"}, {remark, "remark"}});
}

struct LogMessage {
  Severity severity = Severity::error;
  Diagnostic where;  // the name at the column; the whole line if the log has no column
};

// Parses the formats of NVRTC ("candidate.cu(12): error: …" with the line and a caret below), of the assembler ("ptxas
// …, line 12; error : …") and of our own checks ("candidate:12:5: error: …"). Messages without a line of the text are
// left out.
std::vector<LogMessage> read_log(std::string_view text, std::string_view log);

}  // namespace ww::compile
