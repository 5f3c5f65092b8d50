// SPDX-License-Identifier: Apache-2.0
#include "providers/common/characters.h"
#include <algorithm>
#include <cctype>
#include <cstdint>
#include "base/secret.h"

namespace ww::providers {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::uint32_t carrier = 0x10FF00;

void append(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// Bytes of the character at the text's beginning (surrogates in three bytes included); 0: it ends inside of one; -1:
// none (RFC 3629, section 4).
int sequence(std::string_view s) {
  const auto b = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = b(0);
  if (first < 0x80) return 1;
  const int length = first >= 0xC2 && first <= 0xDF   ? 2
                     : first >= 0xE0 && first <= 0xEF ? 3
                     : first >= 0xF0 && first <= 0xF4 ? 4
                                                      : -1;
  if (length < 0) return -1;
  for (std::size_t i = 1; i < static_cast<std::size_t>(length); ++i) {
    if (i >= s.size()) return 0;
    if ((b(i) & 0xC0) != 0x80) return -1;
    if (i == 1 && ((first == 0xE0 && b(1) < 0xA0) || (first == 0xF0 && b(1) < 0x90) || (first == 0xF4 && b(1) > 0x8F)))
      return -1;
  }
  return length;
}

bool is_surrogate(std::string_view s) {
  return s.size() >= 2 && s[0] == '\xED' && static_cast<unsigned char>(s[1]) >= 0xA0;
}
std::uint32_t low_bits(std::string_view three) {  // ten bits of a surrogate
  return (static_cast<std::uint32_t>(three[1]) & 0x0F) << 6 | (static_cast<std::uint32_t>(three[2]) & 0x3F);
}
bool is_high(std::string_view three) { return static_cast<unsigned char>(three[1]) < 0xB0; }

int hex4(std::string_view s) {  // of "uXXXX…"; -1: not that
  if (s.size() < 5 || s[0] != 'u') return -1;
  int value = 0;
  for (std::size_t i = 1; i < 5; ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (!std::isxdigit(c)) return -1;
    value = value * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

}  // namespace

std::string carry_bytes(std::string_view json) {
  std::string out;
  out.reserve(json.size() + 16);
  const auto carry = [&](std::string_view bytes) {
    for (const char c : bytes) append(out, carrier + static_cast<unsigned char>(c));
  };
  while (!json.empty()) {
    std::size_t take = 1;
    if (json[0] == '\\' && json.size() > 1) {
      const int unit = hex4(json.substr(1));
      if (unit >= 0xD800 && unit <= 0xDBFF && json.size() >= 12 && json[6] == '\\') {
        const int next = hex4(json.substr(7));
        take = next >= 0xDC00 && next <= 0xDFFF ? 12 : 6;
      } else {
        take = unit >= 0 ? 6 : 2;
      }
      if (take == 6 && unit >= 0xD800 && unit <= 0xDFFF) {
        std::string three;
        append(three, static_cast<std::uint32_t>(unit));
        carry(three);
      } else {
        out += json.substr(0, take);
      }
    } else {
      const int length = sequence(json);
      take = length > 0 ? static_cast<std::size_t>(length) : 1;
      if (length > 0 && !is_surrogate(json))
        out += json.substr(0, take);
      else
        carry(json.substr(0, take));
    }
    json.remove_prefix(take);
  }
  return out;
}

std::string carried_bytes(std::string_view text) {
  if (text.find("\xF4\x8F") == std::string_view::npos) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto b = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    if (i + 3 < text.size() && b(0) == 0xF4 && b(1) == 0x8F && b(2) >= 0xBC) {
      out += static_cast<char>((b(2) & 0x03) << 6 | (b(3) & 0x3F));
      i += 4;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::string WholeCharacters::scan(std::string_view s, bool last) {
  std::string out;
  out.reserve(s.size());
  while (!s.empty()) {
    const int length = sequence(s);
    if (length == 0 && !last) break;
    if (length <= 0) {
      out += replacement;
      s.remove_prefix(length == 0 ? s.size() : 1);
      continue;
    }
    const auto take = static_cast<std::size_t>(length);
    if (!is_surrogate(s)) {
      out += s.substr(0, take);
      s.remove_prefix(take);
      continue;
    }
    const std::string_view next = s.substr(3);
    const bool may_pair =
        is_high(s) &&
        (next.empty() || (next[0] == '\xED' && (next.size() < 2 || (is_surrogate(next) && !is_high(next)))));
    if (may_pair && next.size() < 3 && !last) break;
    if (may_pair && next.size() >= 3 && sequence(next) == 3) {
      append(out, 0x10000 + (low_bits(s) << 10) + low_bits(next));
      s.remove_prefix(6);
    } else {
      out += replacement;
      s.remove_prefix(3);
    }
  }
  pending_.assign(s);
  return out;
}

std::string WholeCharacters::feed(std::string_view bytes) {
  if (pending_.empty()) return scan(bytes, false);
  const std::string all = pending_ + std::string(bytes);
  return scan(all, false);
}

std::string WholeCharacters::flush() {
  const std::string rest = std::move(pending_);
  pending_.clear();
  return scan(rest, true);
}

std::string whole_text(std::string_view text) {
  WholeCharacters whole;
  const std::string out = whole.feed(carried_bytes(text));
  return out + whole.flush();
}

std::string cut_text(std::string_view given, std::size_t bytes) {
  const std::string text = redact(given);  // a part of a key could not be found any more
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes) + "…";
}

}  // namespace ww::providers
