// SPDX-License-Identifier: Apache-2.0
#include "llm/reply_text.h"
#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <optional>
#include "base/ascii.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "candidate/directives.h"

namespace ww::llm {
namespace {

constexpr std::size_t max_reply = std::size_t{4} << 20;  // bytes that are parsed
constexpr std::size_t max_blocks = 200;

bool blank(char c) { return c == ' ' || c == '\t'; }
bool same_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return ascii_lower(x) == y; });
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Length of the well-formed character at `i` (RFC 3629); 0: none.
std::size_t character(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < s.size() ? static_cast<std::uint8_t>(s[k]) : 0u; };
  const std::uint32_t lead = byte(i), second = byte(i + 1);
  if (lead < 0x80) return 1;
  const std::size_t n = lead >= 0xC2 && lead < 0xE0   ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  for (std::size_t k = 1; k < n; ++k)
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
      (lead == 0xF4 && second > 0x8F))
    return 0;
  return n;
}

// Invisible characters, and those that reorder others: people would not read what a model reads.
bool hidden(std::string_view c) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(c[k]); };
  if (c.size() == 3 && byte(0) == 0xE2)  // U+202A…202E, U+2066…2069
    return (byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
           (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
  return c.size() == 4 && byte(0) == 0xF3 && byte(1) == 0xA0 && byte(2) <= 0x81;  // tags, U+E0000…E007F
}

// From the first directive on, to the last line that a closing brace ends: text around it without a fence is
// prose.
std::string unfenced(std::string_view text) {
  const auto first = candidate::next_directive(text);
  if (!first) return {};
  text.remove_prefix(first->line.begin);
  std::size_t at = 0, end = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view t = trimmed(line);
    if (t.ends_with('}') || t.ends_with("};")) end = at + line.size();
    at += line.size() + 1;
  }
  return std::string(text.substr(0, end > 0 ? end : std::string_view::npos));
}

Result<candidate::Candidate> read(std::string text, const std::string& op, candidate::Language language) {
  if (candidate::language_of(text) != language)
    return fail(Code::parse, language == candidate::Language::ptx ? "the reply is not PTX: it has no .version line"
                                                                  : "the reply is PTX; CUDA C++ was asked for");
  if (!op.empty() && !candidate::first_directive(text, "candidate") && candidate::first_directive(text, "launch"))
    text.insert(candidate::next_directive(text)->line.begin, "//@ candidate " + op + "\n");
  if (text.empty() || text.back() != '\n') text += '\n';
  auto c = candidate::parse(text, language);
  if (c && !op.empty() && c->op != op)
    return fail(Code::parse, fmt::format("the candidate is for '{}', but the op is '{}'", c->op, op));
  return c;
}

// The end of the JSON value that begins with the brace at `at`; npos: it is not closed.
std::size_t closing_brace(std::string_view s, std::size_t at) {
  int depth = 0;
  bool text = false;
  for (std::size_t i = at; i < s.size(); ++i) {
    if (text) {
      if (s[i] == '\\')
        ++i;
      else if (s[i] == '"')
        text = false;
    } else if (s[i] == '"') {
      text = true;
    } else if (s[i] == '{') {
      ++depth;
    } else if (s[i] == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

enum class Found { no, other, yes };
Found holds(std::string_view text, std::string_view member) {
  try {
    const auto j = json::json_or_null(text);
    if (!j.is_object()) return Found::no;
    return j.contains(std::string(member)) ? Found::yes : Found::other;
  } catch (const std::exception&) { return Found::no; }
}

bool begins_spec(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("op ")) return false;
  line = trimmed(line.substr(3));
  const std::size_t n =
      std::min(line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"), line.size());
  return n > 0 && trimmed(line.substr(n)).starts_with('(');
}

}  // namespace

std::string plain_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = character(text, i);
    const char c = text[i];
    if (n == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    if (n == 1) {
      if (c == '\r')
        out += i + 1 < text.size() && text[i + 1] == '\n' ? "" : "\n";
      else if (c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7F))
        out += c;
    } else if (text.substr(i, n) != "\xEF\xBB\xBF") {
      out += hidden(text.substr(i, n)) ? std::string_view("\xEF\xBF\xBD") : text.substr(i, n);
    }
    i += n;
  }
  const std::size_t end = out.find_last_not_of(" \t\n");
  if (end == std::string::npos) return {};
  out.resize(end + 1);
  const std::size_t first = out.find_first_not_of(" \t\n"), line = out.rfind('\n', first);
  if (line != std::string::npos && first > 0) out.erase(0, line + 1);
  return out;
}

std::string one_line(std::string_view text, std::size_t bytes) {
  std::string out;
  for (const char c : plain_text(text)) {
    const char d = c == '\n' || c == '\t' ? ' ' : c;
    if (d != ' ' || (!out.empty() && out.back() != ' ')) out += d;
  }
  if (out.size() <= bytes) return out;
  std::size_t cut = bytes < 3 ? 0 : bytes - 3;
  while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0) == 0x80) --cut;
  return out.substr(0, cut) + "…";
}

std::string without_thinking(std::string_view text) {
  std::string out(text);
  for (const std::string tag : {"think", "thinking", "reasoning", "thought"}) {
    const std::string open = "<" + tag + ">", close = "</" + tag + ">";
    std::string kept;
    bool any = false;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = out.find(open, at)) != std::string::npos;) {
      std::size_t line = at;
      while (line > from && blank(out[line - 1])) --line;
      if (line > from && out[line - 1] != '\n') {
        at += open.size();
        continue;
      }
      any = true;
      kept.append(out, from, at - from);
      const std::size_t end = out.find(close, at);
      from = at = end == std::string::npos ? out.size() : end + close.size();
    }
    kept.append(out, from);
    out = std::move(kept);
    // The opening tag may have been in the server's own text before the reply.
    const std::size_t end = any ? std::string::npos : out.rfind(close);
    if (end != std::string::npos && out.find(open) == std::string::npos && out.find("```", end) != std::string::npos)
      out.erase(0, end + close.size());
    else if (end != std::string::npos && out.find("```") == std::string::npos)
      out.erase(0, end + close.size());
  }
  return out;
}

std::vector<FencedBlock> fenced_blocks(std::string_view text, std::string* outside) {
  std::vector<FencedBlock> blocks;
  char mark = 0;
  std::size_t length = 0, indent = 0;
  std::string rest;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t blanks = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view t = line.substr(blanks);
    const char c = t.empty() ? '\0' : t[0];
    const std::size_t n = c == '`' || c == '~' ? std::min(t.find_first_not_of(c), t.size()) : 0;
    const std::string_view info = trimmed(t.substr(n));
    if (mark == 0) {
      if (n >= 3 && info.find('`') == std::string_view::npos && blocks.size() < max_blocks) {
        if (same_letters(info, "markdown") || same_letters(info, "md")) continue;
        blocks.push_back({std::string(info), {}, false});
        mark = c;
        length = n;
        indent = blanks;
      } else {
        rest.append(line) += '\n';
      }
    } else if (c == mark && n >= length && info.empty()) {
      blocks.back().closed = true;
      mark = 0;
    } else {
      blocks.back().text.append(line.substr(std::min(indent, blanks))) += '\n';
    }
  }
  if (outside != nullptr) *outside = std::move(rest);
  return blocks;
}

Result<candidate::Candidate> candidate_in(std::string_view reply, const std::string& op, candidate::Language language) {
  const std::string text = without_thinking(plain_text(reply.substr(0, max_reply)));
  std::string outside;
  std::optional<candidate::Candidate> best;
  std::optional<Error> why;
  std::size_t why_size = 0;
  const auto attempt = [&](const std::string& part) {
    if (!candidate::next_directive(part)) return;
    auto c = read(part, op, language);
    if (c && (!best || c->text.size() >= best->text.size()))
      best = std::move(*c);
    else if (!c && part.size() >= why_size)
      why = c.error(), why_size = part.size();
  };
  std::vector<FencedBlock> blocks = fenced_blocks(text, &outside);
  bool cut = false;
  for (const FencedBlock& b : blocks) attempt(plain_text(b.text)), cut = cut || !b.closed;
  if (!best && !why) attempt(unfenced(outside));
  if (best) return std::move(*best);
  if (why)
    return fail(cut && why->code == Code::parse
                    ? Error{why->code, why->message + " (the reply ends within its block)", why->cause}
                    : *why);
  if (trimmed(text).empty()) return fail(Code::parse, "the reply is empty");
  return fail(Code::parse, blocks.empty() ? "the reply contains no candidate: there is no \"//@\" line in it"
                                          : "no block of the reply is a candidate: none has a \"//@\" line");
}

std::string note_in(std::string_view reply) {
  std::string outside, last;
  fenced_blocks(without_thinking(plain_text(reply.substr(0, max_reply))), &outside);
  for (std::string_view line : lines_of(outside)) {
    const std::size_t from = line.find_first_not_of(" \t*_#>-`");
    if (from == std::string_view::npos || candidate::directive_at(line, 0)) continue;
    line = line.substr(from);
    if (line.size() > 5 && same_letters(line.substr(0, 4), "note")) {
      std::string_view said = line.substr(4);
      const std::size_t at = said.find_first_not_of("*_ ");
      if (at != std::string_view::npos && said[at] == ':') {
        said = said.substr(at + 1);
        const std::size_t begin = std::min(said.find_first_not_of("*_ "), said.size());
        if (begin < said.size()) return one_line(said.substr(begin), 400);
      }
    }
    last = line;
  }
  return fenced_blocks(reply.substr(0, max_reply)).empty() ? std::string() : one_line(last, 400);
}

Result<std::string> json_in(std::string_view reply, std::string_view member) {
  const std::string text = without_thinking(plain_text(reply.substr(0, max_reply)));
  bool other = false;
  const auto good = [&](std::string_view part) {
    const Found f = holds(part, member);
    other = other || f == Found::other;
    return f == Found::yes;
  };
  if (good(text)) return text;
  for (const FencedBlock& b : fenced_blocks(text))
    if (const std::string t = plain_text(b.text); t.starts_with('{') && good(t)) return t;
  int tries = 0;
  for (std::size_t at = text.find('{'); at != std::string::npos && tries < 64; at = text.find('{', at + 1)) {
    const std::size_t end = closing_brace(text, at);
    ++tries;
    if (end == std::string::npos) continue;
    const std::string_view part = std::string_view(text).substr(at, end - at);
    if (good(part)) return std::string(part);
    if (holds(part, member) != Found::no) at = end - 1;  // a nested object: its members do not count
  }
  if (other) return fail(Code::parse, fmt::format("the JSON object of the reply has no member \"{}\"", member));
  try {
    const std::size_t at = text.find('{');
    if (at == std::string::npos)
      return fail(Code::parse, trimmed(text).empty() ? "the reply is empty" : "the reply contains no JSON object");
    const std::size_t end = closing_brace(text, at);
    const std::string_view object = std::string_view(text).substr(at, end == std::string::npos ? end : end - at);
    if (const Status shape = json::check_shape(object); !shape) return fail(Code::parse, shape.error().message);
    const Result<json::Json> read = json::read_json(object);
    if (!read) return fail(Code::parse, "the JSON of the reply cannot be read", read.error().message);
    const json::Json& j = *read;
    return fail(Code::parse, j.is_object() ? "the reply contains several JSON objects, but not the requested one"
                                           : "the reply contains no JSON object");
  } catch (const std::exception& e) {
    return fail(Code::parse, "the JSON of the reply cannot be read", json::explain_exception(e));
  }
}

std::string spec_in(std::string_view reply) {
  const std::string text = without_thinking(plain_text(reply.substr(0, max_reply)));
  std::string outside, best;
  const auto has = [](std::string_view t) {
    const auto lines = lines_of(t);
    return std::any_of(lines.begin(), lines.end(), begins_spec);
  };
  for (const FencedBlock& b : fenced_blocks(text, &outside))
    if (has(b.text) && b.text.size() >= best.size()) best = plain_text(b.text);
  if (!best.empty()) return best;
  std::size_t at = 0;
  for (const std::string_view line : lines_of(outside)) {
    if (begins_spec(line)) {
      const std::size_t end = outside.rfind('}');
      return end == std::string::npos || end < at ? outside.substr(at) : outside.substr(at, end + 1 - at);
    }
    at += line.size() + 1;
  }
  return {};
}

}  // namespace ww::llm
