// SPDX-License-Identifier: Apache-2.0
#include "simt/stack_memory.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace ww::simt {
namespace {

std::uint64_t operand_at(const Exec& x, const Op& op, std::uint32_t at, unsigned lane) {
  return op.n == 4 ? x.at<std::uint32_t>(at)[lane] : x.at<std::uint64_t>(at)[lane];
}
void give_address(Exec& x, const Op& op, unsigned lane, std::uint64_t value) {
  if (op.n == 4)
    x.at<std::uint32_t>(op.d)[lane] = static_cast<std::uint32_t>(value);
  else
    x.at<std::uint64_t>(op.d)[lane] = value;
}
template <class F>
void each_thread(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}
[[noreturn]] void stack_ends(const Op& op, unsigned lane) {
  FaultSite site;
  site.kind = FaultKind::stack_overflow;
  site.lane = lane;
  raise(op, site);
}

}  // namespace

void stack_allocate(Exec& x, const Op& op, std::uint32_t mask) {
  each_thread(mask, [&](unsigned lane) {
    std::uint32_t& top = x.at<std::uint32_t>(op.b)[lane];
    const std::uint32_t end = x.at<std::uint32_t>(op.c)[lane];
    const std::uint64_t alignment = std::max<std::uint64_t>(static_cast<std::uint64_t>(op.imm), stack_alignment),
                        size = operand_at(x, op, op.a, lane);
    const std::uint64_t at = (top + alignment - 1) / alignment * alignment;
    if (at > end || size > end - at) stack_ends(op, lane);
    if (x.local_init != nullptr)
      std::memset(x.local_init + std::size_t{lane} * x.local_stride + at, 0, static_cast<std::size_t>(size));
    top = static_cast<std::uint32_t>(at + size);
    give_address(x, op, lane, at);
  });
}

void stack_save(Exec& x, const Op& op, std::uint32_t mask) {
  each_thread(mask, [&](unsigned lane) { give_address(x, op, lane, x.at<std::uint32_t>(op.b)[lane]); });
}

void stack_restore(Exec& x, const Op& op, std::uint32_t mask) {
  each_thread(mask, [&](unsigned lane) {
    std::uint32_t& top = x.at<std::uint32_t>(op.b)[lane];
    const std::uint64_t saved = operand_at(x, op, op.a, lane);
    if (saved > top || top - saved > stack_room) {
      FaultSite site;
      site.kind = FaultKind::invalid_instruction;
      site.lane = lane;
      raise(op, site, "the stack is restored to what stacksave has not given");
    }
    top = static_cast<std::uint32_t>(saved);
  });
}

}  // namespace ww::simt
