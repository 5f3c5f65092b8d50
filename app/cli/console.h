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
std::string coloured(Colour colour, std::string_view text);  // plain where stdout is not a terminal or NO_COLOR is set

// Columns two spaces apart; a header "#Score" is right-aligned (the # is not shown). The last column is cut to the
// terminal's width on a tty. Line feeds and tabs of cells are shown as escapes.
std::string table(const std::vector<std::string>& headers, std::vector<std::vector<std::string>> rows);

// The only ways out, but for LiveLine. Of escape sequences those of coloured() pass; everything else that could steer
// or deceive a terminal is made visible (base/visible.h), and every known key is replaced.
enum class Stream { out, error };
void put(Stream stream, std::string_view text);
void put_json(const std::string& text);  // on stdout; stays the same JSON value
// The same for text from outside within a line, which has no colours of its own and is measured for columns. Line feeds
// and tabs are shown as escapes: no text from outside begins a line of its own.
std::string safe(std::string_view text);
// Text from outside that has several lines; all but the first begin with `indent`.
std::string safe_lines(std::string_view text, std::string_view indent = {});

// All that comes in on stdin. Code::io: it cannot be read, or is larger.
Result<std::string> read_stdin(std::size_t max_bytes);

// One line on stderr that replaces itself; nothing where stderr is not a terminal.
class LiveLine {
 public:
  ~LiveLine() { clear(); }
  void show(const std::string& text);
  void clear();

 private:
  bool shown_ = false;
};

}  // namespace ww::cli
