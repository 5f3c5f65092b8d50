// SPDX-License-Identifier: Apache-2.0
// Terminal output. Results go to stdout, progress and errors to stderr.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww::cli {

bool stdout_is_tty();
bool stderr_is_tty();
enum class Colour { none, red, green, yellow, blue, dim, bold };
std::string coloured(Colour colour, std::string_view text);  // plain if stdout is not a terminal or NO_COLOR is set

// Columns two spaces apart; a header "#Score" is right-aligned (the # is not shown). On a tty, the last column is
// truncated to the terminal's width. Line feeds and tabs in cells are shown as escapes.
std::string table(const std::vector<std::string>& headers, std::vector<std::vector<std::string>> rows);

// The only output functions, besides LiveLine. Only escape sequences from coloured() pass; everything else that could
// control or deceive a terminal is escaped (base/visible.h), and every known key is redacted.
enum class Stream { out, error };
void put(Stream stream, std::string_view text);
void put_json(const std::string& text);  // on stdout; remains the same JSON value
// The same for outside text within a line, which has no colours and is measured for columns. Line feeds and tabs are
// shown as escapes, so that outside text cannot begin a new line.
std::string safe(std::string_view text);
// Outside text with several lines; all but the first are indented by `indent`.
std::string safe_lines(std::string_view text, std::string_view indent = {});

// All of stdin. Code::io: it cannot be read, or is too large.
Result<std::string> read_stdin(std::size_t max_bytes);

// One line on stderr that overwrites itself; silent if stderr is not a terminal.
class LiveLine {
 public:
  ~LiveLine() { clear(); }
  void show(const std::string& text);
  void clear();

 private:
  bool shown_ = false;
};

}  // namespace ww::cli
