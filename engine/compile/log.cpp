// SPDX-License-Identifier: Apache-2.0
#include "compile/log.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include "base/ascii.h"
#include "base/name_chars.h"

namespace ww::compile {
namespace {

constexpr std::string_view blanks = " \t\r";

bool take(std::string_view& rest, std::string_view what) {
  if (!rest.starts_with(what)) return false;
  rest.remove_prefix(what.size());
  return true;
}

std::optional<int> take_number(std::string_view& rest) {
  int n = 0;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
  if (error != std::errc{} || n < 1) return {};
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  return n;
}

struct Head {                // of a message
  int line = 0, column = 0;  // column 0: not said
  Severity severity = Severity::error;
  std::string_view message;
};

// "error: …", "catastrophic error: …", "warning #177-D: …", "error   : …"
bool take_severity(std::string_view rest, Head& head) {
  static_cast<void>(take(rest, "catastrophic "));
  if (take(rest, "error") || take(rest, "fatal"))
    head.severity = Severity::error;
  else if (take(rest, "warning"))
    head.severity = Severity::warning;
  else if (take(rest, "remark"))
    head.severity = Severity::remark;
  else
    return false;
  const std::size_t colon = rest.find(':');
  const std::string_view code = trimmed(rest.substr(0, colon));
  if (colon == rest.npos || (!code.empty() && code[0] != '#')) return false;
  head.message = trimmed(rest.substr(colon + 1));
  return !head.message.empty();
}

std::optional<Head> read_head(std::string_view rest) {
  Head head;
  if (take(rest, "candidate.cu(")) {
    const auto line = take_number(rest);
    if (!line || !take(rest, "): ")) return {};
    head.line = *line;
  } else if (take(rest, "candidate:") || take(rest, "candidate.cu:")) {
    const auto line = take_number(rest);
    const auto column = line && take(rest, ":") ? take_number(rest) : std::nullopt;
    if (!column || !take(rest, ": ")) return {};
    head.line = *line, head.column = *column;
  } else if (take(rest, "ptxas ")) {
    const std::size_t at = rest.find(", line ");
    if (at == rest.npos) return {};
    rest.remove_prefix(at + 7);
    const auto line = take_number(rest);
    if (!line || !take(rest, "; ")) return {};
    head.line = *line;
  } else {
    return {};
  }
  return take_severity(rest, head) ? std::optional(head) : std::nullopt;
}

class Log {
 public:
  Log(std::string_view text, std::string_view log) : text_(text) {
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) starts_.push_back(at + 1);
    while (!log.empty()) {
      rows_.push_back(log.substr(0, log.find('\n')));
      log.remove_prefix(std::min(log.size(), rows_.back().size() + 1));
    }
  }

  std::vector<LogMessage> read() const {
    std::vector<LogMessage> out;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      std::optional<Head> head = read_head(rows_[row]);
      if (!head || static_cast<std::size_t>(head->line) > starts_.size()) continue;
      if (head->column == 0) head->column = column_below(row, line(head->line));
      LogMessage m{head->severity,
                   {span(*head), {head->line, std::max(head->column, 1)}, std::string(head->message), {}}};
      out.push_back(std::move(m));
    }
    return out;
  }

 private:
  std::string_view line(int number) const {
    const std::size_t begin = starts_[static_cast<std::size_t>(number) - 1];
    return text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
  }

  // NVRTC repeats the line, indented in its own way, and puts a caret below it. From 1; 0: it does not.
  int column_below(std::size_t row, std::string_view source) const {
    for (std::size_t i = row + 1; i + 1 < rows_.size() && i < row + 4; ++i) {  // some messages take a second row
      const std::size_t caret = rows_[i + 1].find('^');
      if (caret == std::string_view::npos || trimmed(rows_[i + 1]) != "^") continue;
      const std::size_t shown = rows_[i].find_first_not_of(blanks), own = source.find_first_not_of(blanks);
      if (own == source.npos || shown == source.npos || caret < shown || trimmed(rows_[i]) != trimmed(source)) return 0;
      return static_cast<int>(std::min(own + caret - shown, source.size())) + 1;
    }
    return 0;
  }

  Span span(const Head& head) const {
    const std::string_view source = line(head.line);
    const std::size_t begin = starts_[static_cast<std::size_t>(head.line) - 1];
    if (head.column == 0) {
      const std::size_t first = std::min(source.find_first_not_of(blanks), source.size());
      return {begin + first, begin + std::max(first, source.find_last_not_of(blanks) + 1)};
    }
    const std::size_t first = std::min(static_cast<std::size_t>(head.column) - 1, source.size());
    std::size_t end = first;
    if (source.substr(first).starts_with("//@")) end = source.find_last_not_of(blanks) + 1;  // of the whole directive
    while (end < source.size() && in_name(source[end])) ++end;
    return {begin + first, begin + std::min(std::max(end, first + 1), std::max(first, source.size()))};
  }

  std::string_view text_;
  std::vector<std::size_t> starts_ = {0};
  std::vector<std::string_view> rows_;
};

}  // namespace

std::vector<LogMessage> read_log(std::string_view text, std::string_view log) { return Log(text, log).read(); }

}  // namespace ww::compile
