// SPDX-License-Identifier: Apache-2.0
#include "console.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <fmt/format.h>
#include "base/secret.h"
#include "base/visible.h"

namespace ww::cli {
namespace {

std::size_t width_of(std::string_view text) {  // code points; exact for what these tables hold
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::size_t terminal_width(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 100;
}

std::string cut(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  std::size_t points = 0, end = 0;
  for (; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && ++points == width) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

// By Colour; the first ends each.
constexpr std::string_view codes[] = {"\x1b[0m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[2m", "\x1b[1m"};

bool colours() {
  static const bool use = stdout_is_tty() && std::getenv("NO_COLOR") == nullptr;
  return use;
}

std::size_t own_code(std::string_view text) {  // the length of the sequence that it begins with, or 0
  if (!colours()) return 0;
  for (const std::string_view code : codes)
    if (text.starts_with(code)) return code.size();
  return 0;
}

}  // namespace

bool stdout_is_tty() { return ::isatty(STDOUT_FILENO) == 1; }
bool stderr_is_tty() { return ::isatty(STDERR_FILENO) == 1; }

std::string coloured(Colour colour, std::string_view text) {
  if (!colours() || colour == Colour::none) return std::string(text);
  return fmt::format("{}{}{}", codes[static_cast<int>(colour)], text, codes[0]);
}

std::string table(const std::vector<std::string>& headers, std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = one_line(cell);
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < headers.size(); ++c) {
    std::size_t w = width_of(headers[c]) - (headers[c].starts_with('#') ? 1 : 0);
    for (const auto& row : rows) w = std::max(w, width_of(row[c]));
    widths.push_back(w);
  }
  std::size_t before = 0;
  for (std::size_t c = 0; c + 1 < widths.size(); ++c) before += widths[c] + 2;
  const std::size_t whole = terminal_width(STDOUT_FILENO);
  const std::size_t last = !stdout_is_tty() ? 100000 : whole > before + 12 ? whole - before : 12;
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells, bool head) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool right = headers[c].starts_with('#'), end = c + 1 == cells.size();
      std::string cell = head && right ? cells[c].substr(1) : cells[c];
      if (end) cell = cut(cell, last);
      const std::string pad(widths[c] - std::min(widths[c], width_of(cell)), ' ');
      text += right ? pad + cell : end ? cell : cell + pad;
      if (!end) text += "  ";
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out += (head ? coloured(Colour::bold, text) : text) + '\n';
  };
  line(headers, true);
  for (const auto& row : rows) line(row, false);
  return out;
}

std::string safe(std::string_view text) { return one_line(safe_lines(text)); }

std::string safe_lines(std::string_view text, std::string_view indent) {
  std::string out = visible(redact(text));
  for (std::size_t at = 0; !indent.empty() && (at = out.find('\n', at)) != std::string::npos; at += 1 + indent.size())
    out.insert(at + 1, indent);
  return out;
}

void put(Stream stream, std::string_view given) {
  const std::string text = redact(given);
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find('\x1b'); at != text.npos; at = text.find('\x1b', at + 1)) {
    const std::size_t size = own_code(std::string_view(text).substr(at));
    if (size == 0) continue;
    out += visible(std::string_view(text).substr(from, at - from)) + text.substr(at, size);
    from = at + size;
  }
  out += visible(std::string_view(text).substr(from));
  if (stream == Stream::error) std::fflush(stdout);  // where both go to one file, in the order of writing
  std::fputs(out.c_str(), stream == Stream::out ? stdout : stderr);
}

void put_json(const std::string& text) { std::fputs((visible(redact(text), Escapes::json) + '\n').c_str(), stdout); }

Result<std::string> read_stdin(std::size_t max_bytes) {
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EBADF) return fail(Code::io, "stdin is closed");
    if (n < 0) return fail(Code::io, "stdin cannot be read", std::strerror(errno));
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
    if (content.size() > max_bytes)
      return fail(Code::io, "stdin is larger than " + std::to_string(max_bytes) + " bytes");
  }
}

void LiveLine::show(const std::string& text) {
  if (!stderr_is_tty()) return;
  std::fputs(("\r\x1b[K" + cut(safe(text), terminal_width(STDERR_FILENO) - 1)).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void LiveLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace ww::cli
