// SPDX-License-Identifier: Apache-2.0
#include "llm/edits.h"
#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <utility>
#include "base/ascii.h"
#include "base/lines.h"
#include "candidate/directives.h"
#include "llm/reply_text.h"

namespace ww::llm {
namespace {

constexpr std::string_view search_mark = "<<<<<<< SEARCH", divider = "=======", replace_mark = ">>>>>>> REPLACE";
constexpr std::size_t max_edits = 64, shown_lines = 12;

std::vector<std::string> whole_lines(std::string_view text) {
  const std::vector<std::string_view> lines = split_lines(text);
  return {lines.begin(), lines.end()};
}

// The reply's lines, some of which are within blocks of edits.
class EditReader {
 public:
  Status take(const std::string& line) {
    const std::string_view t = trimmed(line);
    const bool mark = t == search_mark || t == replace_mark || (t == divider && part_ != Part::outside);
    if (!mark) {
      if (part_ == Part::search) edits_.back().search.push_back(line);
      if (part_ == Part::replacement) edits_.back().replacement.push_back(line);
      if (part_ == Part::outside && candidate::directive_at(line, 0)) file_ = true;
      return {};
    }
    const Part expected = t == search_mark ? Part::outside : t == divider ? Part::search : Part::replacement;
    if (part_ != expected) return malformed(t);
    part_ = t == search_mark ? Part::search : t == divider ? Part::replacement : Part::outside;
    if (t != search_mark) return {};
    if (edits_.size() == max_edits)
      return fail(Code::parse, fmt::format("the reply has more than {} edits: give the complete file", max_edits));
    edits_.emplace_back();
    return {};
  }

  Result<std::vector<Edit>> end() {
    if (part_ != Part::outside)
      return fail(Code::parse, fmt::format("the reply ends within edit {}: it has no line '{}'", edits_.size(),
                                           part_ == Part::search ? divider : replace_mark));
    if (!edits_.empty() && file_)
      return fail(Code::parse, "the reply holds both edits and lines of a candidate file; give one of them");
    return std::move(edits_);
  }

 private:
  enum class Part { outside, search, replacement } part_ = Part::outside;

  Status malformed(std::string_view mark) const {
    const char* need = part_ == Part::outside  ? "the line '<<<<<<< SEARCH' comes first"
                       : part_ == Part::search ? "after '<<<<<<< SEARCH' the next of the three lines is '======='"
                                               : "after '=======' the next of the three lines is '>>>>>>> REPLACE'";
    return fail(Code::parse, fmt::format("edit {} is malformed at its line '{}': {}",
                                         edits_.size() + (part_ == Part::outside ? 1 : 0), mark, need));
  }

  std::vector<Edit> edits_;
  bool file_ = false;  // directives of a candidate are outside of the edits
};

bool stands_at(const std::vector<std::string>& file, std::size_t at, const std::vector<std::string>& search) {
  return at + search.size() <= file.size() &&
         std::equal(search.begin(), search.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
}

std::string quoted(const std::vector<std::string>& lines, std::size_t from, std::size_t count) {
  std::string out;
  for (std::size_t i = from; i < std::min({from + count, from + shown_lines, lines.size()}); ++i)
    out += fmt::format("{:>5} | {}\n", i + 1, lines[i]);
  return out;
}

std::size_t common_bytes(std::string_view a, std::string_view b) {  // at both ends
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t begin = 0, end = 0;
  while (begin < most && a[begin] == b[begin]) ++begin;
  while (end < most - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  return begin + end;
}

// Where a line of the file is at least half like one of the search: the place of the search's first line.
std::optional<std::size_t> alike_place(const std::vector<std::string>& file, const std::vector<std::string>& search) {
  std::optional<std::size_t> place;
  std::size_t best = 0;
  for (std::size_t i = 0; i < search.size(); ++i)
    for (std::size_t at = i; at < file.size(); ++at) {
      const std::string_view a = trimmed(search[i]), b = trimmed(file[at]);
      const std::size_t same = common_bytes(a, b);
      if (2 * same >= std::max(a.size(), b.size()) && same > best) best = same, place = at - i;
    }
  return place;
}

// The place with the most lines in common, but for white space at their ends; none: no line is like any.
std::string nearest(const std::vector<std::string>& file, const std::vector<std::string>& search) {
  std::size_t best = 0, best_at = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::size_t same = 0;
    for (std::size_t i = 0; i < search.size() && at + i < file.size(); ++i)
      same += !trimmed(search[i]).empty() && trimmed(search[i]) == trimmed(file[at + i]);
    if (same > best) best = same, best_at = at;
  }
  if (best == 0) {
    const std::optional<std::size_t> alike = alike_place(file, search);
    if (!alike) return "No line of the file is like any of its lines.";
    best_at = *alike;
  }
  std::string out = fmt::format("The file has at the nearest place, from line {}:\n{}", best_at + 1,
                                quoted(file, best_at, search.size()));
  for (std::size_t i = 0; i < search.size(); ++i) {
    const bool past = best_at + i >= file.size();
    if (!past && search[i] == file[best_at + i]) continue;
    const bool blanks = !past && trimmed(search[i]) == trimmed(file[best_at + i]);
    return out + fmt::format("The first difference is in line {} of the search{}:\n      | {}", i + 1,
                             blanks ? ", white space only" : "", search[i]);
  }
  return out;
}

struct Place {
  std::size_t begin = 0, end = 0;  // lines
  std::size_t edit = 0;
};

Result<Place> place_of(const std::vector<std::string>& file, const Edit& edit, std::size_t number) {
  if (edit.search.empty())
    return fail(Code::parse,
                fmt::format("edit {} searches for nothing: repeat the line before or behind which it adds", number));
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < file.size(); ++i)
    if (stands_at(file, i, edit.search)) at.push_back(i);
  if (at.size() == 1) return Place{at[0], at[0] + edit.search.size(), number};
  if (at.empty())
    return fail(Code::parse,
                fmt::format("edit {} matches nowhere in the file; its lines must be the file's, with their "
                            "white space",
                            number),
                nearest(file, edit.search));
  std::string lines;
  for (std::size_t i = 0; i < std::min<std::size_t>(at.size(), 8); ++i)
    lines += fmt::format("{}{}", i == 0 ? "" : ", ", at[i] + 1);
  return fail(Code::parse,
              fmt::format("edit {} matches {} times, from the lines {}{}; add lines around it until it is unique",
                          number, at.size(), lines, at.size() > 8 ? " and others" : ""),
              quoted(file, at[0], edit.search.size()));
}

}  // namespace

Result<std::vector<Edit>> edits_in(std::string_view reply) {
  const std::string text = without_thinking(plain_text(reply));
  if (text.find(search_mark) == std::string::npos) return std::vector<Edit>{};
  EditReader reader;
  for (const std::string& line : whole_lines(text)) WW_TRY(reader.take(line));
  return reader.end();
}

Result<std::string> edited(std::string_view file, std::string_view shown, const std::vector<Edit>& edits) {
  const std::vector<std::string> lines = whole_lines(file), seen = whole_lines(shown);
  if (lines.size() != seen.size())
    return fail(Code::internal, "the file has other lines than what the model was shown of it");
  std::vector<Place> places;
  for (std::size_t i = 0; i < edits.size(); ++i) places.push_back(WW_TRY(place_of(seen, edits[i], i + 1)));
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t at = 0;
  const auto keep = [&](std::size_t until) {
    for (; at < until; ++at) out += lines[at] + '\n';
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    if (place.begin < at)
      return fail(Code::parse, fmt::format("the edits {} and {} overlap, at line {}: make one of them",
                                           places[i - 1].edit, place.edit, place.begin + 1));
    keep(place.begin);
    for (const std::string& line : edits[place.edit - 1].replacement) out += line + '\n';
    at = place.end;
  }
  keep(lines.size());
  if (!file.ends_with('\n') && !out.empty()) out.pop_back();
  if (out == file) return fail(Code::parse, "the edits change nothing");
  return out;
}

}  // namespace ww::llm
