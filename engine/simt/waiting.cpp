// SPDX-License-Identifier: Apache-2.0
// Threads that can no longer go on: those at a barrier that no other will reach, and those that poll memory that no
// running thread will change.
#include <algorithm>
#include <bit>
#include <string>
#include "simt/block.h"

namespace ww::simt {

// Named for the first entry that could go on.
void Worker::end_waiting(FaultKind kind, const std::string& text) {
  for (Warp& w : block_.warps) {
    if (w.state == Warp::State::done || w.entries.empty()) continue;
    use_frame(w);
    FaultSite site;
    site.kind = kind;
    site.lane = static_cast<unsigned>(std::countr_zero(w.entries.back().mask));
    const Op& op = x_.code[w.entries.back().pc];
    if (text.empty()) raise(op, site);
    raise_text(op, site, text);
  }
}

// Notes that the warp is where it was before, with the same registers, while no memory has changed: it goes in a
// circle, found as by R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980.
void Worker::look_for_circle(Warp& w) const {
  const CallFrame& f = w.frames.back();
  std::uint64_t now = 0;
  const auto mix = [&now](std::uint64_t v) { now = splitmix(now ^ v); };
  const auto* const registers = reinterpret_cast<const std::uint64_t*>(w.registers + f.base);
  for (std::size_t k = 0; k < launch_.code.functions[f.function].frame_bytes / sizeof(*registers); ++k)
    mix(registers[k]);
  for (const Entry& e : w.entries) mix(std::uint64_t{e.pc} << 32 | e.mask), mix(static_cast<std::uint64_t>(e.state));
  if (w.entries.size() > 1) {
    mix(std::uint64_t{w.spins} << 32 | w.fair);
    for (const Entry& e : w.entries)  // who ran before whom: see choose()
      mix(static_cast<std::uint64_t>(std::ranges::count_if(w.entries, [&](const Entry& o) { return o.ran < e.ran; })));
  }
  Warp::Circle& c = w.circle;
  if (c.changes != launch_.changes) c = {launch_.changes, 0, 1, 0, false};
  c.found = c.found || (c.turns > 0 && now == c.state);
  if (c.turns == c.power || c.turns == 0) c.state = now, c.power *= 2;
  ++c.turns;
}

void Worker::note_changes() {
  if (x_.changed && launch_.sequential()) ++launch_.changes;
  x_.changed = false;
}

void Worker::check_waiting() {
  constexpr std::uint64_t ended = ~std::uint64_t{0};
  bool polls = false;
  for (const Warp& w : block_.warps) {
    if (w.state != Warp::State::ready) continue;
    if (!w.circle.found || w.circle.changes != launch_.changes) return;
    polls = true;
  }
  if (!polls) return;  // at barriers alone: stuck() names them
  launch_.waits[static_cast<std::size_t>(number_)] = launch_.changes;
  const bool all =
      std::ranges::all_of(launch_.waits, [&](std::uint64_t w) { return w == ended || w == launch_.changes; });
  if (!all) return;
  const std::uint64_t blocks = blocks_to_run(launch_.config.grid, launch_.options.first_block);
  const std::uint64_t begun = std::min<std::uint64_t>(launch_.next_block, blocks);
  if (begun == blocks) end_waiting(FaultKind::deadlock, "all threads that have not ended wait for others");
  end_waiting(FaultKind::deadlock, "all blocks that run wait for others, and " + std::to_string(blocks - begun) +
                                       " of " + std::to_string(blocks) +
                                       " begin only when one of them ends: a device need not have room for all");
}

void Worker::stuck() {
  for (Warp& w : block_.warps) {
    for (const Entry& e : w.entries) {
      if (e.state != Entry::State::arrived) continue;
      use_frame(w);
      const Barrier& b = block_.barriers[e.barrier];
      FaultSite site;
      site.kind = FaultKind::deadlock;
      site.lane = static_cast<unsigned>(std::countr_zero(e.mask));
      raise_text(x_.code[e.pc], site,
                 "barrier " + std::to_string(e.barrier) + " has " + std::to_string(b.arrived) + " of " +
                     std::to_string(b.expected != 0 ? b.expected : block_.live) + " threads and no other can come");
    }
  }
  throw FaultSignal{};
}

}  // namespace ww::simt
