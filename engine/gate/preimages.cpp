// SPDX-License-Identifier: Apache-2.0
#include "gate/preimages.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace ww::gate {
namespace {

using ptx::Operand;
using ptx::Statement;
constexpr int most_steps = 24;
constexpr std::size_t most_found = 48;

// What is left open by masks and shifts: the other bits of ordinary numbers.
constexpr std::uint32_t fillers[] = {0x3f800000, 0x40490fdb, 0xbfa66666, 0x3eaaaaab};

std::uint32_t inverse(std::uint32_t odd) {  // modulo 2^32
  std::uint32_t x = odd;
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}

class Backwards {
 public:
  Backwards(const ptx::File& file, const ptx::Function& f) : file_(file) {
    for (std::uint32_t i = f.body.begin; i < f.body.end; ++i) {
      const Statement& s = file.statements[i];
      if (s.kind != Statement::Kind::instruction || s.name.starts_with("st.") || s.name.starts_with("bra")) continue;
      const ptx::Operands all = file.operands_of(s);
      if (all.count() < 2 || (*all.begin()).kind != Operand::Kind::name) continue;
      const auto [at, first] = by_.try_emplace((*all.begin()).text, &s);
      if (!first) at->second = nullptr;
    }
  }

  void compare(const Statement& s, std::vector<double>& out) {
    const auto all = operands(s);
    if (all.size() < 3) return;
    for (const auto& [value, other] : {std::pair(all[1], all[2]), {all[2], all[1]}}) {
      const auto number = number_of(*other, 0);
      if (!number || value->kind != Operand::Kind::name) continue;
      const bool real = s.name.find(".f32") != s.name.npos;
      for (const std::uint32_t filler : fillers) {
        filler_ = filler;
        steps_ = 0;
        const std::size_t before = out.size();
        if (real)
          of_real(value->text, real_of(*number), 0, out);
        else
          of_bits(value->text, static_cast<std::uint32_t>(number->bits), 0, out);
        // A load itself is planted already; a chain that leaves nothing open has one value.
        if (out.size() == before || out.size() >= most_found) break;
      }
    }
  }

 private:
  std::vector<const Operand*> operands(const Statement& s) const {
    std::vector<const Operand*> all;
    for (const Operand& o : file_.operands_of(s)) all.push_back(&o);
    return all;
  }
  const Statement* definition(std::string_view name) const {
    const auto at = by_.find(name);
    return at == by_.end() ? nullptr : at->second;
  }
  std::optional<ptx::Number> number_of(const Operand& o, int depth) const {
    if (o.kind == Operand::Kind::number) return o.number;
    if (o.kind != Operand::Kind::name || depth > 4) return {};
    const Statement* s = definition(o.text);
    if (!s || !s->name.starts_with("mov.")) return {};
    return number_of(*operands(*s)[1], depth + 1);
  }
  static double real_of(const ptx::Number& n) {
    return n.kind == ptx::Number::Kind::single    ? std::bit_cast<float>(n.single_bits)
           : n.kind == ptx::Number::Kind::integer ? static_cast<double>(n.bits)
                                                  : std::bit_cast<double>(n.bits);
  }
  static bool loads(std::string_view name) { return name.starts_with("ld.global") || name.starts_with("ld.shared"); }
  static bool is(std::string_view name, std::string_view base) { return name.starts_with(base); }
  void found(double v, std::vector<double>& out) const {
    if (steps_ > 0 && std::isfinite(v) && out.size() < most_found) out.push_back(v);
  }

  void of_bits(std::string_view name, std::uint32_t k, int depth, std::vector<double>& out) {
    const Statement* s = definition(name);
    if (!s || depth > most_steps) return;
    const std::string_view op = s->name;
    if (loads(op)) {
      found(std::bit_cast<float>(k), out);
      if (op.find(".f32") == op.npos) found(static_cast<std::int32_t>(k), out);
      return;
    }
    const auto all = operands(*s);
    const auto go = [&](const Operand& to, std::uint32_t bits, bool counts = true) {
      steps_ += counts;
      if (to.kind == Operand::Kind::name) of_bits(to.text, bits, depth + 1, out);
    };
    if (is(op, "mov.b32") || is(op, "mov.u32") || is(op, "mov.f32")) return go(*all[1], k, false);
    if (is(op, "cvt.rzi.s32.f32") || is(op, "cvt.rmi.s32.f32") || is(op, "cvt.rni.s32.f32")) {
      ++steps_;
      return of_real(all[1]->text, static_cast<std::int32_t>(k) + (is(op, "cvt.rni") ? 0 : 0.25), depth + 1, out);
    }
    if (is(op, "cvt.") && all.size() == 2) return go(*all[1], k);
    if (is(op, "not.")) return go(*all[1], ~k);
    if (is(op, "neg.")) return go(*all[1], 0 - k);
    if (all.size() < 3) return;
    if (is(op, "bfe.") && all.size() == 4) {
      const auto from = number_of(*all[2], 0), count = number_of(*all[3], 0);
      if (!from || !count || from->bits > 31 || count->bits > 31) return;
      const std::uint32_t mask = ((1U << count->bits) - 1) << from->bits;
      return go(*all[1], ((k << from->bits) & mask) | (filler_ & ~mask));
    }
    const auto right = number_of(*all[2], 0), left = number_of(*all[1], 0);
    if (!right && !left) return is(op, "xor.b") ? of_shifted(*all[1], *all[2], k, depth, out) : void();
    const Operand& value = right ? *all[1] : *all[2];
    const auto n = static_cast<std::uint32_t>((right ? right : left)->bits);
    if (is(op, "and.b")) return (k & ~n) == 0 ? go(value, k | (filler_ & ~n)) : void();
    if (is(op, "or.b")) return (n & ~k) == 0 ? go(value, (k & ~n) | (filler_ & n)) : void();
    if (is(op, "xor.b")) return go(value, k ^ n);
    if (is(op, "add.")) return go(value, k - n);
    if (is(op, "sub.")) return go(value, right ? k + n : n - k);
    if (is(op, "mul.lo.") && n % 2 != 0) return go(value, k * inverse(n));
    if (is(op, "mad.lo.") && n % 2 != 0 && all.size() == 4) {
      if (const auto added = number_of(*all[3], 0))
        return go(value, (k - static_cast<std::uint32_t>(added->bits)) * inverse(n));
    }
    if (is(op, "shl.b") && right && n < 32 && (k & ((1U << n) - 1)) == 0)
      return go(value, (k >> n) | (n == 0 ? 0 : filler_ & ~(0xffffffffU >> n)));
    if (is(op, "shr.") && right && n < 32) return go(value, (k << n) | (filler_ & ((1U << n) - 1)));
  }

  // a ^ (a >> n) or a ^ (a << n), in either order.
  void of_shifted(const Operand& one, const Operand& other, std::uint32_t k, int depth, std::vector<double>& out) {
    for (const auto& [value, moved] : {std::pair(&one, &other), {&other, &one}}) {
      const Statement* s = definition(moved->text);
      if (!s || !(is(s->name, "shr.u") || is(s->name, "shl.b"))) continue;
      const auto all = operands(*s);
      const auto by = number_of(*all[2], 0);
      if (all[1]->text != value->text || !by || by->bits < 1 || by->bits > 31) continue;
      std::uint32_t a = k;
      for (int i = 0; i < 32; ++i) a = k ^ (is(s->name, "shr.u") ? a >> by->bits : a << by->bits);
      ++steps_;
      return of_bits(value->text, a, depth + 1, out);
    }
  }

  void of_real(std::string_view name, double v, int depth, std::vector<double>& out) {
    const Statement* s = definition(name);
    if (!s || depth > most_steps) return;
    const std::string_view op = s->name;
    const auto beside = [&] {
      const auto f = static_cast<float>(v);
      for (const float near : {f, std::nextafter(f, INFINITY), std::nextafter(f, -INFINITY)}) found(near, out);
    };
    if (loads(op)) return beside();
    const auto all = operands(*s);
    const auto go = [&](const Operand& to, double value, bool counts = true) {
      steps_ += counts;
      if (to.kind == Operand::Kind::name) of_real(to.text, value, depth + 1, out);
    };
    if (is(op, "mov.f32") || is(op, "mov.b32") || is(op, "cvt.f32.f16")) return go(*all[1], v, false);
    if (is(op, "cvt.rn.f32.s32")) {
      ++steps_;
      return of_bits(all[1]->text, static_cast<std::uint32_t>(static_cast<std::int64_t>(v)), depth + 1, out);
    }
    if (is(op, "abs.")) return go(*all[1], filler_ == fillers[1] ? -v : v);
    if (is(op, "neg.")) return go(*all[1], -v);
    if (is(op, "sqrt.")) return go(*all[1], v * v);
    if (is(op, "cvt.rzi.f32.f32") || is(op, "cvt.rmi.f32.f32")) return go(*all[1], v + 0.25);
    if (is(op, "cvt.rni.f32.f32")) return go(*all[1], v);
    if (all.size() < 3) return;
    const auto right = number_of(*all[2], 0), left = number_of(*all[1], 0);
    if (!right && !left) {
      if (is(op, "mul.") && all[1]->text == all[2]->text && v >= 0) go(*all[1], std::sqrt(v));
      return;
    }
    const Operand& value = right ? *all[1] : *all[2];
    const double n = real_of(*(right ? right : left));
    if (is(op, "add.")) return go(value, v - n);
    if (is(op, "sub.")) return go(value, right ? v + n : n - v);
    if (is(op, "mul.")) return go(value, v / n);
    if (is(op, "div.")) return go(value, right ? v * n : n / v);
    if (is(op, "fma.") && all.size() == 4)
      if (const auto added = number_of(*all[3], 0)) return go(value, (v - real_of(*added)) / n);
  }

  const ptx::File& file_;
  std::map<std::string_view, const Statement*> by_;
  std::uint32_t filler_ = 0;
  int steps_ = 0;
};

}  // namespace

std::vector<double> preimages(const ptx::File& file) {
  std::vector<double> out;
  for (const ptx::Function& f : file.functions) {
    if (!f.has_body) continue;
    Backwards backwards(file, f);
    for (std::uint32_t i = f.body.begin; i < f.body.end; ++i)
      if (const Statement& s = file.statements[i];
          s.kind == Statement::Kind::instruction && (s.name.starts_with("setp.") || s.name.starts_with("set.")))
        backwards.compare(s, out);
  }
  return out;
}

}  // namespace ww::gate
