// SPDX-License-Identifier: Apache-2.0
// Lanes that wait at different instructions of a kind, such as a bar.warp.sync in each of two branches. What counts is
// the instruction with its qualifiers and the mask, not its place: "…all non-exited threads corresponding to membermask
// have executed shfl.sync with the same qualifiers and same membermask value" (PTX ISA 9.0; alike for the others).
#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include "simt/block.h"
#include "simt/frame.h"

namespace ww::simt {
namespace {

bool holds_lane(std::uint32_t mask, unsigned lane) { return ((mask >> lane) & 1) != 0; }

// A register frame of one instruction, into which lanes that are at several bring their operands.
class Gathered {
 public:
  Gathered(std::string_view word, std::string_view type)
      : votes_(word == "vote"), wide_(type == "b64"), to_predicate_(votes_ && type == "pred") {
    const std::uint32_t yes = full_mask;
    std::memcpy(frame_ + true_offset, &yes, sizeof yes);
  }
  Op op(const Op& like) const {
    Op made = like;
    made.guard = true_offset;
    made.guard_flip = 0;
    made.d = place(0), made.a = place(1), made.b = place(3), made.c = place(4), made.e = place(5);
    if ((made.flags & op_second) != 0) made.imm = second;
    return made;
  }
  std::byte* frame() { return frame_; }
  void take(const std::byte* from, const Op& op, std::uint32_t lanes) {
    if (votes_)
      copy_bits(frame_ + place(1), from + op.a, lanes);
    else
      copy(frame_ + place(1), from + op.a, wide_ ? 8 : 4, lanes);
    copy(frame_ + place(3), from + op.b, 4, lanes);
    copy(frame_ + place(4), from + op.c, 4, lanes);
    copy(frame_ + place(5), from + op.e, 4, lanes);
  }
  void give(std::byte* to, const Op& op, std::uint32_t lanes) const {
    if (to_predicate_)
      copy_bits(to + op.d, frame_ + place(0), lanes);
    else
      copy(to + op.d, frame_ + place(0), 4, lanes);
    if ((op.flags & op_second) != 0) copy_bits(to + op.imm, frame_ + second, lanes);
  }

 private:
  static constexpr std::uint32_t second = predicates_offset;
  static std::uint32_t place(unsigned k) { return 64 + k * 4 * warp_lanes; }
  static void copy(std::byte* to, const std::byte* from, unsigned bytes, std::uint32_t lanes) {
    for (unsigned i = 0; i < warp_lanes; ++i)
      if (holds_lane(lanes, i)) std::memcpy(to + bytes * i, from + bytes * i, bytes);
  }
  static void copy_bits(std::byte* to, const std::byte* from, std::uint32_t lanes) {
    std::uint32_t old = 0, bits = 0;
    std::memcpy(&old, to, sizeof old);
    std::memcpy(&bits, from, sizeof bits);
    old = (old & ~lanes) | (bits & lanes);
    std::memcpy(to, &old, sizeof old);
  }

  bool votes_, wide_, to_predicate_;
  alignas(64) std::byte frame_[64 + 6 * 4 * warp_lanes] = {};
};

}  // namespace

// The lanes of entry `e` that wait there with this member mask.
std::uint32_t Worker::waiting_with(const Entry& e, std::uint32_t members) const {
  const std::uint32_t* const all = x_.at<std::uint32_t>(x_.code[e.pc].e);
  std::uint32_t lanes = 0;
  for (std::uint32_t m = e.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    if (all[lane] == members) lanes |= 1u << lane;
  }
  return lanes;
}

// Runs the instruction once for lanes that wait at several places of it, if they are all that their mask names.
bool Worker::meet_apart(Warp& w) {
  const std::size_t first = w.frames.back().first_entry;
  use_frame(w);
  const auto same = [&](const Entry& a, const Entry& b) {
    return b.state == Entry::State::needs_lanes && x_.code[a.pc].fn == x_.code[b.pc].fn &&
           (x_.code[a.pc].flags & op_second) == (x_.code[b.pc].flags & op_second);
  };
  for (std::size_t i = first; i < w.entries.size(); ++i) {
    const Entry& e = w.entries[i];
    const InstrClass cls = launch_.code.info[e.pc].cls;
    if (e.state != Entry::State::needs_lanes || (cls != InstrClass::shuffle && cls != InstrClass::barrier)) continue;
    const std::uint32_t members = x_.at<std::uint32_t>(x_.code[e.pc].e)[std::countr_zero(e.mask)];
    std::uint32_t here = 0;
    for (std::size_t j = first; j < w.entries.size(); ++j)
      if (same(e, w.entries[j])) here |= waiting_with(w.entries[j], members);
    if ((members & w.live & ~here) != 0) continue;
    run_apart(w, Entry(e), here);
    return true;
  }
  return false;
}

// `lanes` wait at instructions like that of `like`; each is in one entry.
void Worker::run_apart(Warp& w, const Entry& like, std::uint32_t lanes) {
  const Op& op = x_.code[like.pc];
  const OpInfo& info = launch_.code.info[like.pc];
  const auto& words = launch_.program.module.functions[info.function].body[info.instruction].words();
  const bool is_barrier = info.cls == InstrClass::barrier;
  Gathered gathered(words.front(), words.back());
  std::byte* const frame = x_.r;
  const std::size_t first = w.frames.back().first_entry, entries = w.entries.size();
  const auto each = [&](auto f) {
    for (std::size_t j = first; j < entries; ++j) {
      const Entry e = w.entries[j];
      if (const std::uint32_t m = e.mask & lanes; m != 0) f(j, e, m);
    }
  };
  if (!is_barrier) each([&](std::size_t, const Entry& e, std::uint32_t m) { gathered.take(frame, x_.code[e.pc], m); });
  x_.gone = ~w.live;
  x_.read_gone = 0;
  x_.r = gathered.frame();
  op.fn(x_, gathered.op(op), lanes);
  x_.r = frame;
  if (x_.read_gone != 0 && checks_synchronisation()) report_gone(w, op);
  if (x_.races_everywhere && is_barrier) races_->meet(w.index, lanes);
  each([&](std::size_t j, const Entry& e, std::uint32_t m) {
    if (!is_barrier) gathered.give(frame, x_.code[e.pc], m);
    if (!counts_.empty()) {
      ++counts_[e.pc].warp;
      counts_[e.pc].thread += static_cast<std::uint64_t>(std::popcount(m));
    }
    w.entries[j].mask &= ~m;
    w.put(e.pc + 1, m);
  });
  const auto left = std::remove_if(w.entries.begin() + static_cast<std::ptrdiff_t>(first), w.entries.end(),
                                   [](const Entry& e) { return e.mask == 0; });
  w.entries.erase(left, w.entries.end());
}

}  // namespace ww::simt
