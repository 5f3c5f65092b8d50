// SPDX-License-Identifier: Apache-2.0
#include "llm/tokens.h"

namespace ww::llm {
namespace {

constexpr std::int64_t frame_tokens =
    4;  // of a message: role and separators; OpenAI's cookbook counts 3, and 3 for the answer's beginning

std::int64_t begun(std::int64_t n, std::int64_t of) { return (n + of - 1) / of; }

}  // namespace

std::int64_t TokenMeter::pending() const {
  switch (kind_) {
    case Kind::none: return 0;
    case Kind::lower:
    case Kind::upper: return begun(length_, 4);
    case Kind::digit:
    case Kind::newline: return length_;
    case Kind::mark: return begun(length_, 4);
    case Kind::blank: return length_ == 1 ? 0 : begun(length_, 16);  // one blank belongs to the word behind it
  }
  return 0;
}

void TokenMeter::add(std::string_view text) {
  const auto run = [&](Kind kind, bool goes_on) {
    if (goes_on) {
      ++length_;
      return;
    }
    done_ += pending();
    kind_ = kind;
    length_ = 1;
  };
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u >= 0x80) {  // by its first byte; the others add nothing
      if (u < 0xc0) continue;
      done_ += pending() + (u < 0xe0 ? 1 : u < 0xf0 ? 2 : 3);
      kind_ = Kind::none;
      length_ = 0;
    } else if (c >= 'a' && c <= 'z') {
      if (kind_ == Kind::upper && length_ == 1) kind_ = Kind::lower;  // "Block" is one run
      run(Kind::lower, kind_ == Kind::lower);
    } else if (c >= 'A' && c <= 'Z') {
      run(Kind::upper, kind_ == Kind::upper);
    } else if (c >= '0' && c <= '9') {
      run(Kind::digit, kind_ == Kind::digit);
    } else if (c == '\n' || c == '\r') {
      run(Kind::newline, kind_ == Kind::newline && c == '\n');
    } else if (u <= ' ') {
      run(Kind::blank, kind_ == Kind::blank);
    } else {
      run(Kind::mark, kind_ == Kind::mark && mark_ == c);
      mark_ = c;
    }
  }
}

std::int64_t estimate_tokens(std::string_view text) {
  TokenMeter meter;
  meter.add(text);
  return meter.tokens();
}

std::int64_t estimate_tokens(const Request& request) {
  std::int64_t sum = frame_tokens;
  for (const Message& m : request.messages) {
    sum += frame_tokens;
    for (const Block& b : m.blocks)
      sum += estimate_tokens(b.raw.empty() ? b.text : b.raw) + estimate_tokens(b.id) + estimate_tokens(b.tool);
  }
  if (request.schema) sum += estimate_tokens(request.schema->json);
  for (const Tool& t : request.tools)
    sum += frame_tokens + estimate_tokens(t.name) + estimate_tokens(t.about) + estimate_tokens(t.parameters);
  return sum;
}

}  // namespace ww::llm
