// SPDX-License-Identifier: Apache-2.0
#include "device/entries.h"
#include <algorithm>
#include <charconv>

namespace ww::device {
namespace {

bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // The next word or single character; empty at the end. Comments and quoted strings are passed over.
  std::string_view next() {
    for (;;) {
      if (at_ >= text_.size()) return {};
      const char c = text_[at_];
      if (c == '/' && text_.substr(at_, 2) == "//")
        skip_to("\n");
      else if (c == '/' && text_.substr(at_, 2) == "/*")
        at_ += 2, skip_to("*/");
      else if (c == '"')
        ++at_, skip_to("\"");
      else if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        ++at_;
      else
        break;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && word_char(text_[at_])) ++at_;
    if (at_ == begin) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  int line() const {
    return 1 + static_cast<int>(std::count(
                   text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n'));
  }

 private:
  void skip_to(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t type_size(std::string_view type) {
  if (type == "pred") return 1;
  if (type.size() < 2) return 0;
  if (type == "f16x2" || type == "bf16x2") return 4;
  if (type == "bf16") return 2;
  const std::string_view digits = type.substr(1);
  const char kind = type[0];
  if (kind != 'u' && kind != 's' && kind != 'b' && kind != 'f') return 0;
  return digits == "8" ? 1 : digits == "16" ? 2 : digits == "32" ? 4 : digits == "64" ? 8 : digits == "128" ? 16 : 0;
}

bool number(std::string_view word, std::size_t& out) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc() && end == word.data() + word.size();
}

// After ".param", up to the "," or ")" behind it, which is `last`.
bool read_parameter(Reader& reader, Parameter& p, std::size_t& align, std::string_view& last) {
  constexpr std::size_t limit = std::size_t{1} << 20;
  bool of_pointer = false;  // the alignment then is that of what it points to
  std::size_t count = 1;
  for (;;) {
    const std::string_view word = reader.next();
    if (word.empty()) return false;
    if (word == "," || word == ")") {
      last = word;
      break;
    }
    if (word == ".align") {
      std::size_t value = 0;
      if (!number(reader.next(), value) || value == 0 || value > 4096) return false;
      if (!of_pointer) align = value;
    } else if (word == ".ptr") {
      of_pointer = true;
    } else if (word == "[") {
      p.is_array = true;
      if (!number(reader.next(), count) || count > limit || reader.next() != "]") return false;
    } else if (word[0] == '.' && type_size(word.substr(1)) > 0 && p.type.empty()) {
      p.type = word.substr(1);
    }
  }
  const std::size_t size = p.type.empty() ? 0 : type_size(p.type);
  if (size == 0) return false;
  p.size = size * count;
  align = std::max(align, size);
  return true;
}

}  // namespace

Result<std::vector<Entry>> read_entries(std::string_view ptx) {
  std::vector<Entry> out;
  Reader reader(ptx);
  for (std::string_view word = reader.next(); !word.empty(); word = reader.next()) {
    if (word != ".entry") continue;
    Entry entry;
    entry.line = reader.line();
    const auto unreadable = [&] {
      return fail(Code::parse, "line " + std::to_string(reader.line()) + " of the PTX: the parameters of the kernel " +
                                   entry.name + " cannot be read");
    };
    entry.name = reader.next();
    if (entry.name.empty()) return unreadable();
    word = reader.next();
    if (word == "(") {
      std::string_view last;
      while (last != ")") {
        word = reader.next();
        if (word == ")" && entry.parameters.empty()) break;
        Parameter p;
        std::size_t align = 1;
        if (word != ".param" || !read_parameter(reader, p, align, last)) return unreadable();
        p.offset = (entry.bytes + align - 1) / align * align;
        entry.bytes = p.offset + p.size;
        entry.parameters.push_back(std::move(p));
      }
    }
    if (std::none_of(out.begin(), out.end(), [&](const Entry& e) { return e.name == entry.name; }))
      out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace ww::device
