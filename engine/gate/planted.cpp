// SPDX-License-Identifier: Apache-2.0
#include "gate/planted.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
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

}  // namespace

std::vector<double> compared_constants(std::string_view ptx) {
  using Kind = ptx::Operand::Kind;
  const ptx::File file = ptx::parse(ptx);
  Constants found;
  std::map<std::string_view, std::int64_t> sums;  // registers: what was added last
  for (const ptx::Statement& s : file.statements) {
    if (s.kind != ptx::Statement::Kind::instruction) continue;
    const ptx::Operands all = file.operands_of(s);
    if (s.name.starts_with("add.s") || s.name.starts_with("add.u") || s.name.starts_with("mad.lo.")) {
      const ptx::Operand* last = nullptr;
      for (const ptx::Operand& o : all) last = &o;
      const bool whole =
          last != nullptr && last->kind == Kind::number && last->number.kind == ptx::Number::Kind::integer;
      if (whole) sums[(*all.begin()).text] = static_cast<std::int64_t>(last->number.bits);
    }
    if (!s.name.starts_with("setp.") && !s.name.starts_with("set.")) continue;
    std::int64_t before = 0;
    for (const ptx::Operand& o : all)
      if (const auto at = sums.find(o.text); o.kind == Kind::name && at != sums.end()) before = -at->second;
    for (const ptx::Operand& o : all)
      if (o.kind == Kind::number) {
        found.add(o.number);
        if (before != 0 && o.number.kind == ptx::Number::Kind::integer) {  // a <= n <= b, as compilers ask it
          found.add(static_cast<double>(before));
          found.add(static_cast<double>(before + static_cast<std::int64_t>(o.number.bits)));
        }
      }
  }
  return found.take();
}

}  // namespace ww::gate
