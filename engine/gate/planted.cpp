// SPDX-License-Identifier: Apache-2.0
#include "gate/planted.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include "gate/preimages.h"
#include "ptx/syntax.h"

namespace ww::gate {
namespace {

constexpr double least_usual = 0x1p-40, most_usual = 0x1p40;  // of a float that an integer may stand for

class Constants {
 public:
  void add(double v) {
    if (std::isfinite(v) && list_.size() < most_planted && std::find(list_.begin(), list_.end(), v) == list_.end())
      list_.push_back(v);
  }
  void add(const ptx::Number& n) {
    if (n.kind == ptx::Number::Kind::single) return add(std::bit_cast<float>(n.single_bits));
    if (n.kind != ptx::Number::Kind::integer) return add(std::bit_cast<double>(n.bits));
    add(static_cast<double>(n.bits));
    const double as_float = std::bit_cast<float>(static_cast<std::uint32_t>(n.bits));
    if (std::abs(as_float) >= least_usual && std::abs(as_float) <= most_usual) add(as_float);
  }
  std::vector<double> take() { return std::move(list_); }

 private:
  std::vector<double> list_;
};

// A number whose distance is taken: x - 3.5, which compilers write as x + -3.5.
void subtracted(const ptx::File& file, const ptx::Statement& s, Constants& found) {
  constexpr double least = 0x1p-10, most = 0x1p12;
  const double sign = s.name.starts_with("add") ? -1 : 1;
  for (const ptx::Operand& o : file.operands_of(s)) {
    if (o.kind != ptx::Operand::Kind::number || o.number.kind != ptx::Number::Kind::single) continue;
    const double v = sign * std::bit_cast<float>(o.number.single_bits);
    if (std::abs(v) >= least && std::abs(v) <= most) found.add(v);
  }
}

}  // namespace

std::vector<double> compared_constants(std::string_view ptx) {
  const ptx::File file = ptx::parse(ptx);
  Constants found;
  for (const double v : preimages(file)) found.add(v);
  std::vector<double> reals;
  for (const ptx::Statement& s : file.statements) {
    if (s.kind != ptx::Statement::Kind::instruction) continue;
    if (s.name.starts_with("add.f32") || s.name.starts_with("sub.f32") || s.name.starts_with("add.ftz.f32") ||
        s.name.starts_with("sub.ftz.f32"))
      subtracted(file, s, found);
    if (!s.name.starts_with("setp.") && !s.name.starts_with("set.")) continue;
    for (const ptx::Operand& o : file.operands_of(s)) {
      if (o.kind != ptx::Operand::Kind::number) continue;
      found.add(o.number);
      if (o.number.kind == ptx::Number::Kind::single) reals.push_back(std::bit_cast<float>(o.number.single_bits));
    }
  }
  // Between two of them, where a range may be treated in another way.
  std::ranges::sort(reals);
  for (std::size_t i = 0; i + 1 < reals.size(); ++i)
    if (reals[i] < reals[i + 1]) found.add(static_cast<float>(reals[i] / 2 + reals[i + 1] / 2));
  return found.take();
}

std::vector<std::int64_t> wraps_of_indices(std::string_view ptx) {
  constexpr std::int64_t least = 1 << 11, most = 1 << 22;
  constexpr int most_bits_within = 4;
  const ptx::File file = ptx::parse(ptx);
  std::set<std::int64_t, std::greater<>> found;
  const auto add = [&](std::int64_t size) {
    if (size >= least && size < most) found.insert(size);
  };
  for (const ptx::Statement& s : file.statements) {
    if (s.kind != ptx::Statement::Kind::instruction) continue;
    const std::string_view name = s.name;
    if (name.starts_with("cvt.") && (name.find("u16") != name.npos || name.find("s16") != name.npos)) add(1 << 16);
    std::vector<std::int64_t> numbers;
    for (const ptx::Operand& o : file.operands_of(s))
      if (o.kind == ptx::Operand::Kind::number && o.number.kind == ptx::Number::Kind::integer)
        numbers.push_back(static_cast<std::int64_t>(o.number.bits));
    if (numbers.empty()) continue;
    const std::int64_t last = numbers.back();
    if ((name.starts_with("and.b") || name.starts_with("min.")) && last > 0) {
      add(last + 1);
      // Of a byte offset, whose lowest bits are those of no element.
      const int within = std::countr_zero(static_cast<std::uint64_t>(last));
      if (within > 0 && within <= most_bits_within) add((last >> within) + 1);
    }
    if (name.starts_with("shl.b") && last > 0 && last < 32) add(std::int64_t{1} << (32 - last));
    if (name.starts_with("shr.") && last > 0 && last < 22) add(std::int64_t{1} << last);
    if (name.starts_with("bfe.") && last > 0 && last < 22) add(std::int64_t{1} << last);
    if (name.starts_with("rem.") || name.starts_with("div.") || name.starts_with("mul.lo.") ||
        name.starts_with("mad.lo.") || name.starts_with("mul.wide."))
      for (const std::int64_t n : numbers) add(n < 0 && n > -most ? -n : n);
  }
  return {found.begin(), found.end()};
}

namespace {

std::set<std::int64_t> compared_integers(std::string_view ptx, bool equal) {
  using Kind = ptx::Operand::Kind;
  constexpr std::int64_t most = 1 << 22;
  const ptx::File file = ptx::parse(ptx);
  std::map<std::string_view, std::int64_t> sums;  // registers: what was added last
  std::set<std::int64_t> found;
  const auto whole = [](const ptx::Operand& o) {
    return o.kind == Kind::number && o.number.kind == ptx::Number::Kind::integer;
  };
  for (const ptx::Statement& s : file.statements) {
    if (s.kind != ptx::Statement::Kind::instruction) continue;
    const ptx::Operands all = file.operands_of(s);
    const ptx::Operand* last = nullptr;
    for (const ptx::Operand& o : all) last = &o;
    if (last == nullptr) continue;
    if (s.name.starts_with("add.s") || s.name.starts_with("add.u") || s.name.starts_with("mad.lo."))
      if (whole(*last)) sums[(*all.begin()).text] = static_cast<std::int64_t>(last->number.bits);
    const bool ordered = s.name.starts_with("setp.l") || s.name.starts_with("setp.g") || s.name.starts_with("setp.h");
    const bool equality = s.name.starts_with("setp.e") || s.name.starts_with("setp.n");
    if (!ordered && !(equal && equality)) continue;
    std::int64_t before = 0;
    for (const ptx::Operand& o : all)
      if (const auto at = sums.find(o.text); o.kind == Kind::name && at != sums.end()) before = -at->second;
    for (const ptx::Operand& o : all)
      if (whole(o)) {
        const auto n = static_cast<std::int64_t>(o.number.bits);
        for (const std::int64_t limit : {n, before, before + n})  // a <= n <= b, as compilers ask it
          if (limit >= 2 && limit <= most && found.size() < most_planted) found.insert(limit);
      }
  }
  return found;
}

}  // namespace

bool rounds_integers(std::string_view ptx) {
  const ptx::File file = ptx::parse(ptx);
  bool to_float = false, back = false, upper = false;
  for (const ptx::Statement& s : file.statements) {
    if (s.kind != ptx::Statement::Kind::instruction) continue;
    const std::string_view name = s.name;
    const bool of_integer =
        name.ends_with(".s32") || name.ends_with(".u32") || name.ends_with(".s64") || name.ends_with(".u64");
    to_float = to_float || (name.starts_with("cvt.r") && of_integer);
    back = back || (name.starts_with("cvt.r") && name.find("i.") == 6 && name.ends_with(".f32"));
    bool constant = false;
    for (const ptx::Operand& o : file.operands_of(s)) constant = constant || o.kind == ptx::Operand::Kind::number;
    upper = upper || (name.starts_with("mul.hi.") && !constant);
  }
  return upper || (to_float && back);
}

std::vector<std::int64_t> limits_of_sizes(std::string_view ptx) {
  const std::set<std::int64_t> found = compared_integers(ptx, false);
  return {found.begin(), found.end()};
}

std::vector<std::int64_t> numbers_of_indices(std::string_view ptx) {
  constexpr std::int64_t least = 64;
  const std::set<std::int64_t> found = compared_integers(ptx, true);
  return {found.lower_bound(least), found.end()};
}

}  // namespace ww::gate
