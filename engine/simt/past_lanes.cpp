// SPDX-License-Identifier: Apache-2.0
// Lanes that a member mask names, or a barrier of the block waits for, although they are past the instruction. Those
// that have exited are not waited for (PTX ISA 9.0, shfl.sync: "all non-exited threads corresponding to membermask");
// those that took another way and went on never come, and the result is undefined (CUDA C++ Programming Guide, warp
// shuffle functions: "all non-exited threads named in mask must execute the same intrinsic"), also where they exit
// later and the others then go on.
#include <algorithm>
#include <bit>
#include "simt/block.h"

namespace ww::simt {

std::uint32_t Worker::next_stop(const Warp& w, std::uint32_t pc) const {
  std::uint32_t stop = ~0u;
  for (std::size_t i = w.frames.back().first_entry; i < w.entries.size(); ++i) {
    const Entry& e = w.entries[i];
    if (e.pc > pc && e.state != Entry::State::arrived) stop = std::min(stop, e.pc);
  }
  if (joins_ == nullptr || w.frames.size() > 1) return stop;
  const auto join = std::ranges::upper_bound(joins_->pcs, pc);
  return join == joins_->pcs.end() ? stop : std::min(stop, *join);
}

void Worker::note_past(Warp& w, const Entry& e) {
  const auto join = std::ranges::lower_bound(joins_->pcs, e.pc);
  if (w.frames.size() > 1 || join == joins_->pcs.end() || *join != e.pc) return;
  w.past[static_cast<std::size_t>(join - joins_->pcs.begin())] |= e.mask;
  for (const Entry& other : w.entries)
    if (other.state == Entry::State::needs_lanes) check_past(w, other.pc, other.mask);
}

namespace {

// Where the warp is in the kernel itself, of which it may have called a function.
std::uint32_t place_in_kernel(const Warp& w, std::uint32_t pc) {
  return w.frames.size() > 1 ? w.frames[1].return_pc - 1 : pc;
}

}  // namespace

std::uint32_t Worker::lanes_past(const Warp& w, std::uint32_t pc) const {
  std::uint32_t past = 0;
  for (const std::uint32_t join : joins_->of(pc)) past |= w.past[join];
  return past;
}

void Worker::check_past(Warp& w, std::uint32_t pc, std::uint32_t waiting) {
  const std::uint32_t past = lanes_past(w, place_in_kernel(w, pc)) & ~waiting;
  if (past == 0) return;
  const std::uint32_t* const members = x_.at<std::uint32_t>(x_.code[pc].e);
  std::uint32_t named = 0;
  for (std::uint32_t m = waiting; m != 0; m &= m - 1) named |= members[std::countr_zero(m)];
  if ((named & past & w.lanes) != 0) raise_never(w, pc, waiting);
}

// "…all non-exited threads corresponding to membermask have executed shfl.sync with the same qualifiers and same
// membermask value" (PTX ISA 9.0; alike for the others).
void Worker::check_masks(const Op& op, std::uint32_t active) {
  const std::uint32_t* const members = x_.at<std::uint32_t>(op.e);
  for (std::uint32_t m = active; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    for (std::uint32_t n = members[lane] & active; n != 0; n &= n - 1) {
      if (members[std::countr_zero(n)] == members[lane]) continue;
      FaultSite site;
      site.kind = FaultKind::invalid_instruction;
      site.lane = lane;
      raise(op, site, "the member mask names a thread that executes this instruction with another mask");
    }
  }
}

// "…results are undefined in divergent control flow within a warp, if an active thread sources a register from an
// inactive thread" (PTX ISA 9.0, shfl.sync). Selections may discard what is computed from it.
void Worker::report_gone(const Warp& w, const Op& op) {
  if ((op.flags & op_unused) != 0) return;
  FaultSite site;
  site.kind = FaultKind::invalid_instruction;
  site.lane = static_cast<unsigned>(std::countr_zero(x_.read_gone));
  report(x_, op, site,
         w.lanes == ~0u ? "the shuffle reads the register of a thread that has exited: its value is undefined"
                        : "the shuffle reads the register of a thread that has exited or never was: its value is "
                          "undefined");
}

void Worker::raise_never(Warp& w, std::uint32_t pc, std::uint32_t waiting) {
  FaultSite site;
  site.kind = FaultKind::deadlock;
  site.lane = static_cast<unsigned>(std::countr_zero(waiting));
  use_frame(w);
  raise(x_.code[pc], site, "the member mask names threads of the warp that never come to this instruction");
}

void Worker::check_past_barrier(Warp& w, const Entry& e) {
  std::uint32_t absent = 0;
  const std::uint32_t place = place_in_kernel(w, e.pc);
  for (const Warp& other : block_.warps) absent += static_cast<std::uint32_t>(std::popcount(lanes_past(other, place)));
  if (absent != 0) divergence(w, e, absent, " threads of the block took another path and never come to this barrier");
}

}  // namespace ww::simt
