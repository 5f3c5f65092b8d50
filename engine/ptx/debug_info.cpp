// SPDX-License-Identifier: Apache-2.0
#include "ptx/debug_info.h"
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include "ptx/lexer.h"

namespace ww::ptx {
namespace {

constexpr std::size_t most_section = std::size_t{16} << 20;  // bytes
constexpr int most_depth = 64;

// Bytes, in which a symbol stands for the first of its 4 or 8.
struct Section {
  std::string bytes;
  struct Symbol {
    std::string_view name;
    std::int64_t addend = 0;
  };
  std::map<std::size_t, Symbol> symbols;
};

struct Text {
  std::map<std::string_view, Section> sections;
  std::map<std::string_view, int> labels;  // the line of each
};

class SectionReader {
 public:
  explicit SectionReader(std::string_view text) : lexer_(text) { step(); }

  Text read() {
    while (at_.kind != Token::Kind::end) {
      if (at_.is_directive("section")) {
        step();
        const std::string_view name = at_.text;
        while (at_.kind != Token::Kind::end && !at_.is('{')) step();
        read_section(out_.sections[name]);
        continue;
      }
      const Token before = at_;
      step();
      if (before.kind == Token::Kind::name && at_.is(':')) out_.labels.emplace(before.text, before.line);
    }
    return std::move(out_);
  }

 private:
  void step() { at_ = lexer_.next(); }

  void read_section(Section& to) {
    std::size_t width = 1;
    for (step(); at_.kind != Token::Kind::end && !at_.is('}') && to.bytes.size() < most_section; step()) {
      if (at_.is_directive("b8"))
        width = 1;
      else if (at_.is_directive("b16"))
        width = 2;
      else if (at_.is_directive("b32"))
        width = 4;
      else if (at_.is_directive("b64"))
        width = 8;
      else if (at_.kind == Token::Kind::number)
        number(to, width);
      else if (at_.is('+'))
        plus_ = true;
      else if (at_.kind == Token::Kind::name || at_.kind == Token::Kind::dotted) {
        to.symbols[to.bytes.size()] = {at_.text, 0};
        to.bytes.append(width, '\0');
      }
    }
  }

  void number(Section& to, std::size_t width) {
    Number n;
    if (!parse_number(at_.text, n)) return;
    if (std::exchange(plus_, false) && !to.symbols.empty()) {
      to.symbols.rbegin()->second.addend = n.bits;
      return;
    }
    for (std::size_t i = 0; i < width; ++i)
      to.bytes += static_cast<char>(static_cast<std::uint64_t>(n.bits) >> (8 * i));
  }

  Lexer lexer_;
  Token at_;
  bool plus_ = false;
  Text out_;
};

// Reads as far as there are bytes; behind them zeros.
class Cursor {
 public:
  Cursor(const Section& section, std::size_t at) : section_(&section), at_(at) {}
  std::size_t at() const { return at_; }
  void skip(std::size_t bytes) { at_ += std::min(bytes, section_->bytes.size()); }
  bool ended() const { return at_ >= section_->bytes.size(); }

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < bytes; ++i) v |= std::uint64_t{byte()} << (8 * i);
    return v;
  }
  std::uint64_t leb() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      v |= std::uint64_t{b & 0x7fu} << shift;
      if (b < 0x80) break;
    }
    return v;
  }
  std::string text() {
    std::string out;
    while (!ended()) {
      const char c = static_cast<char>(byte());
      if (c == '\0') break;
      out += c;
    }
    return out;
  }
  const Section::Symbol* symbol(std::size_t bytes) {  // null: a number
    const auto found = section_->symbols.find(at_);
    at_ += bytes;
    return found == section_->symbols.end() ? nullptr : &found->second;
  }

 private:
  std::uint8_t byte() {
    const std::uint8_t v = ended() ? 0 : static_cast<std::uint8_t>(section_->bytes[at_]);
    ++at_;
    return v;
  }
  const Section* section_;
  std::size_t at_;
};

enum : std::uint64_t {  // DWARF 2.0.0, sections 7.5.4 and 7.7.1
  tag_array = 0x01,
  tag_parameter = 0x05,
  tag_block = 0x0b,
  tag_member = 0x0d,
  tag_pointer = 0x0f,
  tag_unit = 0x11,
  tag_typedef = 0x16,
  tag_subrange = 0x21,
  tag_base = 0x24,
  tag_const = 0x26,
  tag_function = 0x2e,
  tag_variable = 0x34,
  tag_volatile = 0x35,
  has_location = 0x02,
  has_name = 0x03,
  has_size = 0x0b,
  has_low = 0x11,
  has_high = 0x12,
  has_bound = 0x2f,
  has_line = 0x3b,
  has_encoding = 0x3e,
  has_type = 0x49,
  has_linkage = 0x2007,
  op_address = 0x03,
  op_plus = 0x23,
  op_register = 0x90,
};

struct Attribute {
  std::uint64_t name = 0, form = 0;
};
struct Shape {  // of an entry
  std::uint64_t tag = 0;
  bool has_children = false;
  std::vector<Attribute> attributes;
};

struct Entry {
  std::uint64_t tag = 0;
  std::size_t at = 0;
  std::string name, linkage;
  std::uint64_t size = 0, encoding = 0, line = 0, type = 0, bound = 0;
  const Section::Symbol *low = nullptr, *high = nullptr, *list = nullptr;
  std::optional<std::pair<std::size_t, std::size_t>> block;  // of bytes, a location
  std::vector<std::size_t> children;                         // of arrays: their dimensions
};

class Reader {
 public:
  explicit Reader(std::string_view ptx) : text_(SectionReader(ptx).read()) {}

  std::vector<DebugFunction> read() {
    const auto info = text_.sections.find(".debug_info");
    if (info == text_.sections.end() || !text_.sections.contains(".debug_abbrev")) return {};
    read_shapes();
    info_ = &info->second;
    Cursor c(*info_, 0);
    while (!c.ended()) {
      const std::size_t begin = c.at();
      const std::size_t length = c.number(4);
      c.skip(2 + 4 + 1);  // version, shapes, bytes of an address
      unit_ = begin;
      entries(c, begin + 4 + length);
      if (length == 0) break;
    }
    name_variables();
    return std::move(out_);
  }

 private:
  void read_shapes() {
    Cursor c(text_.sections.at(".debug_abbrev"), 0);
    while (!c.ended()) {
      const std::uint64_t number = c.leb();
      if (number == 0) continue;
      Shape& shape = shapes_[number];
      shape.tag = c.leb();
      shape.has_children = c.number(1) != 0;
      while (!c.ended()) {
        const Attribute a{c.leb(), c.leb()};
        if (a.name == 0 && a.form == 0) break;
        shape.attributes.push_back(a);
      }
    }
  }

  void entries(Cursor& c, std::size_t end) {
    std::vector<std::size_t> open;  // places in found_ of those around
    while (!c.ended() && c.at() < end) {
      const std::size_t at = c.at() - unit_;
      const std::uint64_t number = c.leb();
      if (number == 0) {
        if (!open.empty()) open.pop_back();
        continue;
      }
      const auto shape = shapes_.find(number);
      if (shape == shapes_.end()) return;
      Entry e = entry(c, shape->second);
      e.at = at;
      const std::size_t place = found_.size();
      if (!open.empty()) found_[open.back()].children.push_back(place);
      parents_.push_back(open.empty() ? place : open.back());
      by_offset_[at] = place;
      found_.push_back(std::move(e));
      if (shape->second.has_children && open.size() < most_depth) open.push_back(place);
    }
  }

  Entry entry(Cursor& c, const Shape& shape) {
    Entry e;
    e.tag = shape.tag;
    for (const Attribute& a : shape.attributes) {
      const Section::Symbol* symbol = nullptr;
      std::uint64_t value = 0;
      std::string words;
      std::optional<std::pair<std::size_t, std::size_t>> block;
      switch (a.form) {
        case 0x01: symbol = c.symbol(8); break;  // address
        case 0x0a: {                             // block with its length in a byte
          const std::size_t length = c.number(1);
          block = {c.at(), c.at() + length};
          c.skip(length);
          break;
        }
        case 0x09: {
          const std::size_t length = c.leb();
          block = {c.at(), c.at() + length};
          c.skip(length);
          break;
        }
        case 0x0b:
        case 0x0c: value = c.number(1); break;
        case 0x05: value = c.number(2); break;
        case 0x06: {  // a number, or a place in another section
          const std::size_t at = c.at();
          symbol = c.symbol(4);
          if (symbol == nullptr) value = Cursor(*info_, at).number(4);
          break;
        }
        case 0x13: value = c.number(4); break;
        case 0x07: value = c.number(8); break;
        case 0x0d:
        case 0x0f: value = c.leb(); break;
        case 0x08: words = c.text(); break;
        default: return e;  // what follows cannot be told apart
      }
      switch (a.name) {
        case has_name: e.name = words; break;
        case has_linkage: e.linkage = words; break;
        case has_size: e.size = value; break;
        case has_encoding: e.encoding = value; break;
        case has_line: e.line = value; break;
        case has_type: e.type = value; break;
        case has_bound: e.bound = value; break;
        case has_low: e.low = symbol; break;
        case has_high: e.high = symbol; break;
        case has_location: e.block = block, e.list = symbol; break;
        default: break;
      }
    }
    return e;
  }

  int line_of(const Section::Symbol* label) const {
    const auto at = label == nullptr ? text_.labels.end() : text_.labels.find(label->name);
    return at == text_.labels.end() ? 0 : at->second;
  }

  void name_variables() {
    std::map<std::size_t, std::size_t> functions;  // by place in found_: of out_
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const Entry& e = found_[i];
      if (e.tag == tag_function) {
        functions[i] = out_.size();
        out_.push_back({e.linkage.empty() ? e.name : e.linkage, {}});
      }
      if (e.tag != tag_variable && e.tag != tag_parameter) continue;
      std::size_t scope = parents_[i], of = scope;
      while (found_[of].tag != tag_function && parents_[of] != of) of = parents_[of];
      const auto function = functions.find(of);
      if (function == functions.end() || e.name.empty()) continue;
      DebugVariable v;
      v.name = e.name;
      v.is_parameter = e.tag == tag_parameter;
      v.line = static_cast<int>(e.line);
      while (found_[scope].low == nullptr && parents_[scope] != scope) scope = parents_[scope];
      v.after = line_of(found_[scope].low);
      v.before = line_of(found_[scope].high);
      v.type_name = type_name_of(e.type, 0);
      v.type = type_of(e.type, 0);
      find_places(e, v);
      out_[function->second].variables.push_back(std::move(v));
    }
  }

  const Entry* type_at(std::uint64_t offset) const {
    const auto at = by_offset_.find(offset);
    return at == by_offset_.end() ? nullptr : &found_[at->second];
  }

  std::string type_name_of(std::uint64_t offset, int depth) const {
    const Entry* const t = depth < most_depth ? type_at(offset) : nullptr;
    if (t == nullptr) return "void";
    switch (t->tag) {
      case tag_pointer: return type_name_of(t->type, depth + 1) + "*";
      case tag_const: return "const " + type_name_of(t->type, depth + 1);
      case tag_volatile: return "volatile " + type_name_of(t->type, depth + 1);
      case tag_array: {
        std::string out = type_name_of(t->type, depth + 1);
        for (const std::size_t d : t->children) out += "[" + std::to_string(found_[d].bound + 1) + "]";
        return out;
      }
      default: return t->name;
    }
  }

  Type type_of(std::uint64_t offset, int depth) const {
    const Entry* const t = depth < most_depth ? type_at(offset) : nullptr;
    if (t == nullptr) return Type::none;
    if (t->tag == tag_const || t->tag == tag_volatile || t->tag == tag_typedef) return type_of(t->type, depth + 1);
    if (t->tag == tag_pointer) return Type::b64;
    if (t->tag != tag_base) return Type::none;
    const char kind = t->encoding == 4 ? 'f' : t->encoding == 5 || t->encoding == 6 ? 's' : 'u';
    return type_from_name(kind + std::to_string(8 * t->size)).value_or(Type::none);
  }

  // DW_OP_regx with the name's letters in a number, or an address and an offset.
  static std::optional<DebugPlace> place_of(Cursor c, std::size_t end) {
    DebugPlace out;
    const std::uint64_t op = c.number(1);
    if (op == op_register) {
      for (std::uint64_t letters = c.leb(); letters != 0; letters >>= 8)
        out.name.insert(out.name.begin(), static_cast<char>(letters & 0xff));
      return out.name.starts_with('%') ? std::optional(out) : std::nullopt;
    }
    if (op != op_address) return std::nullopt;
    const Section::Symbol* const symbol = c.symbol(8);
    if (symbol == nullptr) return std::nullopt;
    out.kind = DebugPlace::Kind::address;
    out.name = symbol->name;
    out.offset = symbol->addend;
    if (c.at() < end && c.number(1) == op_plus) out.offset += static_cast<std::int64_t>(c.leb());
    return out;
  }

  void find_places(const Entry& e, DebugVariable& v) const {
    if (e.block) {
      if (auto place = place_of(Cursor(*info_, e.block->first), e.block->second)) {
        place->after = v.after;
        place->before = v.before;
        v.places.push_back(std::move(*place));
      }
      return;
    }
    const auto lists = text_.sections.find(".debug_loc");
    if (e.list == nullptr || lists == text_.sections.end() || e.list->addend < 0) return;
    for (Cursor c(lists->second, static_cast<std::size_t>(e.list->addend)); !c.ended();) {
      const Section::Symbol *const low = c.symbol(8), *const high = c.symbol(8);
      if (low == nullptr || high == nullptr) return;
      const std::size_t length = c.number(2), begin = c.at();
      if (auto place = place_of(c, begin + length)) {
        place->after = line_of(low);
        place->before = line_of(high);
        v.places.push_back(std::move(*place));
      }
      c.skip(length);
    }
  }

  const Text text_;
  const Section* info_ = nullptr;
  std::size_t unit_ = 0;  // where it begins
  std::map<std::uint64_t, Shape> shapes_;
  std::vector<Entry> found_;
  std::vector<std::size_t> parents_;  // of the outermost itself
  std::map<std::uint64_t, std::size_t> by_offset_;
  std::vector<DebugFunction> out_;
};

}  // namespace

std::vector<DebugFunction> debug_functions(std::string_view ptx) { return Reader(ptx).read(); }

}  // namespace ww::ptx
