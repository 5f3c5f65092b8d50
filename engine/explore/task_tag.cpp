// SPDX-License-Identifier: Apache-2.0
#include "explore/task_tag.h"
#include <algorithm>
#include <charconv>

namespace ww::explore {
namespace {

using Axes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

std::string values_text(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t v : values) text += (text.empty() ? "" : " | ") + std::to_string(v);
  return text;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

template <class T>
bool read_number(std::string_view s, T& value) {
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  return error == std::errc() && end == s.data() + s.size();
}

bool read_axes(std::string_view s, Axes& axes) {  // "BLOCK = 128 | 256; UNROLL = 1 | 2"
  while (!s.empty()) {
    const std::size_t end = std::min(s.find(';'), s.size()), equals = s.find('=');
    if (equals == std::string_view::npos || equals > end) return false;
    auto& axis = axes.emplace_back(std::string(trimmed(s.substr(0, equals))), std::vector<std::int64_t>());
    for (std::size_t at = equals + 1; at <= end;) {
      const std::size_t bar = std::min(s.find('|', at), end);
      std::int64_t value = 0;
      if (!read_number(trimmed(s.substr(at, bar - at)), value)) return false;
      axis.second.push_back(value);
      at = bar + 1;
    }
    s.remove_prefix(std::min(end + 1, s.size()));
  }
  return true;
}

struct Found {
  std::size_t begin = 0, end = 0;  // of the brackets
  TaskTag tag;
};

std::optional<Found> find(std::string_view text) {
  for (std::size_t open = text.rfind('['); open != std::string_view::npos;
       open = open == 0 ? std::string_view::npos : text.rfind('[', open - 1)) {
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) continue;
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const std::size_t slash = inside.find('/'), hash = inside.rfind(" #");
    if (slash == std::string_view::npos || hash == std::string_view::npos || hash < slash) continue;
    const std::size_t colon = std::min(inside.find(':', hash), inside.size());
    Found f{open,
            close + 1,
            {std::string(inside.substr(0, slash)), std::string(inside.substr(slash + 1, hash - slash - 1)), 0, {}}};
    if (f.tag.strategy.empty() || !read_number(inside.substr(hash + 2, colon - hash - 2), f.tag.number)) continue;
    if (!read_axes(colon < inside.size() ? inside.substr(colon + 1) : std::string_view(), f.tag.open)) continue;
    return f;
  }
  return std::nullopt;
}

}  // namespace

std::string tagged(const std::string& text, const TaskTag& tag) {
  std::string lineage = tag.lineage;
  for (char& c : lineage)
    if (c == '[' || c == ']' || c == '#' || c == '\n') c = ' ';
  std::string out =
      text + (text.empty() ? "[" : " [") + tag.strategy + "/" + lineage + " #" + std::to_string(tag.number);
  for (std::size_t i = 0; i < tag.open.size(); ++i)
    out += (i == 0 ? ": " : "; ") + tag.open[i].first + " = " + values_text(tag.open[i].second);
  return out + "]";
}

std::optional<TaskTag> tag_of(std::string_view text) {
  std::optional<Found> f = find(text);
  if (!f) return std::nullopt;
  return std::move(f->tag);
}

std::string without_tag(const std::string& text) {
  const std::optional<Found> f = find(text);
  if (!f) return text;
  std::string out = text.substr(0, f->begin);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string reopened(const candidate::Candidate& pinned, const Axes& axes) {
  std::string text = pinned.text;
  for (auto axis = pinned.tune.rbegin(); axis != pinned.tune.rend();
       ++axis) {  // from the end, so that spans before stay right
    const auto open = std::find_if(axes.begin(), axes.end(), [&](const auto& a) { return a.first == axis->name; });
    if (open != axes.end())
      text.replace(axis->span.begin, axis->span.end - axis->span.begin, values_text(open->second));
  }
  return text;
}

}  // namespace ww::explore
