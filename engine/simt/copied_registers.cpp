// SPDX-License-Identifier: Apache-2.0
#include "simt/copied_registers.h"
#include <algorithm>
#include <optional>
#include <string_view>

namespace ww::simt {
namespace {

using OperandKind = Operand::Kind;

std::uint8_t bytes_mask(unsigned first, unsigned count) {
  const unsigned bits = first >= 8 || count == 0 ? 0 : ((1u << std::min(count, 8u)) - 1) << first;
  return static_cast<std::uint8_t>(bits);
}

bool has_word(const Instruction& i, std::string_view word) { return std::ranges::count(i.words(), word) > 0; }

template <class F>
void each_register(const Operand& o, F f) {
  if (o.kind == OperandKind::reg) f(o.index);
  for (const Operand& p : o.parts) each_register(p, f);
}

class Copies {
 public:
  explicit Copies(const Function& function) : function_(function), registers_(function.registers.size()) {}

  std::vector<CopiedRegister> find() {
    find_followed();
    for (CopiedRegister& r : registers_) r.needed = 0;
    do {
      changed_ = false;
      for (auto i = function_.body.rbegin(); i != function_.body.rend(); ++i) use(*i);
    } while (changed_);
    for (std::uint32_t r = 0; r < registers_.size(); ++r) {
      const std::uint8_t all = bytes_mask(0, bytes_of(r));
      if (!followed_[r] || (registers_[r].needed & all) == all) registers_[r] = CopiedRegister{};
    }
    return std::move(registers_);
  }

 private:
  unsigned bytes_of(std::uint32_t r) const { return type_bytes(function_.registers[r].type); }
  bool is_followed(const Operand& o) const { return o.kind == OperandKind::reg && followed_[o.index]; }

  // A load or a move, each into all of the register.
  bool follows(const Instruction& i, std::uint32_t d) const {
    const auto type = type_from_name(i.words().back());
    if (!type || *type == Type::pred || *type == Type::b128) return false;
    const std::string& word = i.words()[0];
    if (word == "ld") return !has_word(i, "param") && type_bytes(*type) == bytes_of(d);
    if (word != "mov" || i.operands.size() != 2) return false;
    const Operand &to = i.operands[0], &from = i.operands[1];
    if (to.kind == OperandKind::vector) return to.parts.size() == 2 && from.kind == OperandKind::reg;
    return from.kind != OperandKind::vector || from.parts.size() == 2;
  }

  // Registers that are written in no other way, the first time for sure.
  void find_followed() {
    followed_.assign(registers_.size(), true);
    std::vector<bool> seen(registers_.size());
    const auto read = [&](std::uint32_t r) {
      if (!seen[r]) followed_[r] = false;
    };
    for (const Instruction& i : function_.body) {
      const std::string& word = i.words()[0];
      const bool writes = (word == "ld" || word == "mov") && !i.operands.empty();
      for (std::size_t k = writes ? 1 : 0; k < i.operands.size(); ++k)
        each_register(i.operands[k], [&](std::uint32_t r) {
          read(r);
          // What another instruction may write, a call's results among them.
          if (k == 0 && word != "st" && word != "red") followed_[r] = false;
          if (word == "call") followed_[r] = false;
        });
      if (writes)
        each_register(i.operands[0], [&](std::uint32_t r) {
          if (!seen[r] && i.guard >= 0) followed_[r] = false;
          seen[r] = true;
          if (!follows(i, r)) followed_[r] = false;
        });
    }
  }

  void need(const Operand& o, std::uint8_t bytes = 0xff) {
    each_register(o, [&](std::uint32_t r) {
      changed_ = changed_ || (bytes & ~registers_[r].needed) != 0;
      registers_[r].needed |= bytes;
    });
  }
  // The register `from` goes where `to` goes: `count` bytes from byte `at` of the one, from byte `of` of the other.
  void copy(const Operand& from, unsigned at, const Operand& to, unsigned of, unsigned count) {
    if (from.kind != OperandKind::reg) return;
    CopiedRegister& f = registers_[from.index];
    const CopiedRegister t = registers_[to.index];
    need(from, static_cast<std::uint8_t>(((t.needed >> of) & bytes_mask(0, count)) << at));
    changed_ = changed_ || (t.carries && !f.carries) || (t.leaves && !f.leaves);
    f.carries = f.carries || t.carries;
    f.leaves = f.leaves || t.leaves;
  }

  void use_move(const Instruction& i) {
    const Operand &to = i.operands[0], &from = i.operands[1];
    const auto all_followed = [&](const Operand& o) {
      return o.kind == OperandKind::vector
                 ? std::ranges::all_of(o.parts,
                                       [&](const Operand& p) { return p.kind == OperandKind::sink || is_followed(p); })
                 : is_followed(o);
    };
    const auto type = type_from_name(i.words().back());
    if (!type || !all_followed(to)) return need(from);
    const unsigned bytes = type_bytes(*type), half = bytes / 2;
    if (to.kind == OperandKind::vector) {
      for (unsigned k = 0; k < 2; ++k)
        if (to.parts[k].kind == OperandKind::reg) copy(from, k * half, to.parts[k], 0, half);
    } else if (from.kind == OperandKind::vector) {
      for (unsigned k = 0; k < 2; ++k) copy(from.parts[k], 0, to, k * half, half);
    } else {
      copy(from, 0, to, 0, bytes);
    }
  }

  void use_store(const Instruction& i) {
    const auto type = type_from_name(i.words().back());
    need(i.operands[0]);
    const bool inside = has_word(i, "shared") || has_word(i, "shared::cta") || has_word(i, "local");
    const auto store = [&](const Operand& o) {
      if (!type || has_word(i, "param") || !is_followed(o) || bytes_of(o.index) != type_bytes(*type)) return need(o);
      CopiedRegister& r = registers_[o.index];
      changed_ = changed_ || !r.carries || (!inside && !r.leaves);
      r.carries = true;
      r.leaves = r.leaves || !inside;
    };
    for (std::size_t k = 2; k < i.operands.size(); ++k) need(i.operands[k]);
    const Operand& data = i.operands[1];
    if (data.kind != OperandKind::vector) return store(data);
    for (const Operand& p : data.parts) store(p);
  }

  // The bytes of the k-th operand that an instruction looks at.
  static std::uint8_t looked_at(const Instruction& i, std::size_t k) {
    const std::string& word = i.words()[0];
    const auto& o = i.operands;
    const auto whole = [&](std::size_t n) {
      return n < o.size() && o[n].kind == OperandKind::integer ? std::optional(static_cast<std::uint64_t>(o[n].value))
                                                               : std::nullopt;
    };
    if (word == "cvt" && k == 1)
      if (const auto type = type_from_name(i.words().back())) return bytes_mask(0, type_bytes(*type));
    if (word == "and" && k >= 1)
      if (const auto mask = whole(3 - k)) {
        std::uint8_t bytes = 0;
        for (unsigned n = 0; n < 8; ++n)
          bytes |= static_cast<std::uint8_t>(((*mask >> (8 * n)) & 255) != 0 ? 1 << n : 0);
        return bytes;
      }
    if (word == "shr" && k == 1)
      if (const auto by = whole(2)) return bytes_mask(static_cast<unsigned>(std::min<std::uint64_t>(*by / 8, 7)), 8);
    if (word == "bfe" && k == 1)
      if (const auto at = whole(2), length = whole(3); at && length && *at < 64 && *length > 0 && *length <= 64)
        return bytes_mask(static_cast<unsigned>(*at / 8), static_cast<unsigned>((*at + *length - 1) / 8 - *at / 8 + 1));
    if (word == "prmt" && i.words().size() == 2 && (k == 1 || k == 2))
      if (const auto selection = whole(3)) {
        std::uint8_t bytes = 0;
        for (unsigned n = 0; n < 4; ++n)
          if (const unsigned s = (*selection >> (4 * n)) & 7; s / 4 == k - 1)
            bytes |= static_cast<std::uint8_t>(1u << s % 4);
        return bytes;
      }
    return 0xff;
  }

  void use(const Instruction& i) {
    const std::string& word = i.words()[0];
    if (i.operands.empty()) return;
    if (word == "st" && i.operands.size() >= 2 && !has_word(i, "async")) return use_store(i);
    if (word == "mov" && i.operands.size() == 2) return use_move(i);
    const bool reads_first = word == "st" || word == "red" || word == "call" || word == "bra" || word == "brx" ||
                             word == "ret" || i.operands[0].kind == OperandKind::address;
    for (std::size_t k = reads_first ? 0 : 1; k < i.operands.size(); ++k) need(i.operands[k], looked_at(i, k));
  }

  const Function& function_;
  std::vector<CopiedRegister> registers_;
  std::vector<bool> followed_;
  bool changed_ = false;
};

}  // namespace

std::vector<CopiedRegister> copied_registers(const Function& function) { return Copies(function).find(); }

}  // namespace ww::simt
