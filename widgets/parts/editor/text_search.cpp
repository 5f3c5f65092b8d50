// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/text_search.h"
#include <algorithm>
#include <cstring>

namespace ww::widgets {

namespace {

char search_low(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char search_high(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

bool search_here(const char* at, std::string_view needle) {
  for (std::size_t i = 1; i < needle.size(); ++i)
    if (search_low(at[i]) != needle[i]) return false;
  return true;
}

}  // namespace

std::string folded(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), search_low);
  return out;
}

std::size_t find_folded(std::string_view text, std::string_view needle, std::size_t from) {
  if (needle.empty() || text.size() < needle.size() || from > text.size() - needle.size()) return text.npos;
  const char* const begin = text.data();
  const char* const end = begin + text.size() - needle.size() + 1;  // behind the last place where it may begin
  const auto next = [end](const char* at, char c) {
    const void* const hit = at < end ? std::memchr(at, c, static_cast<std::size_t>(end - at)) : nullptr;
    return hit ? static_cast<const char*>(hit) : end;
  };
  const char low = needle[0], high = search_high(low);
  const char* small = next(begin + from, low);
  const char* large = high == low ? end : next(begin + from, high);
  while (small < end || large < end) {
    const char* const at = std::min(small, large);
    if (search_here(at, needle)) return static_cast<std::size_t>(at - begin);
    if (at == small)
      small = next(at + 1, low);
    else
      large = next(at + 1, high);
  }
  return text.npos;
}

std::size_t find_folded_back(std::string_view text, std::string_view needle, std::size_t before) {
  if (needle.empty() || text.size() < needle.size()) return text.npos;
  for (std::size_t at = std::min(before, text.size() - needle.size() + 1); at-- > 0;)
    if (search_low(text[at]) == needle[0] && search_here(text.data() + at, needle)) return at;
  return text.npos;
}

}  // namespace ww::widgets
