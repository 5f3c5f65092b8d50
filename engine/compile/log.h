// SPDX-License-Identifier: Apache-2.0
// The messages of a compiler's log, placed in the text that they are about.
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
  Diagnostic where;  // the name at the column; the whole line where the log gives none
};

// Reads what NVRTC ("candidate.cu(12): error: …" with the line and a caret below), the assembler ("ptxas …, line 12;
// error : …") and those who read before they do ("candidate:12:5: error: …") write. What names no line of the text is
// left out.
std::vector<LogMessage> read_log(std::string_view text, std::string_view log);

}  // namespace ww::compile
