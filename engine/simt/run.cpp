// SPDX-License-Identifier: Apache-2.0
// The loop: blocks, warps, divergent entries.
//
// A warp runs the entry with the lowest pc and merges entries that meet, which reconverges at the join of structured
// code. An entry that would have to wait (for lanes, for a barrier) is put aside; a warp arrives at a barrier only when
// none of its entries can go on. Entries that loop while others could run give way after a while, so spinning cannot
// starve them.
#include <algorithm>
#include <bit>
#include <cstring>
#include "ptx/reach.h"
#include "simt/block.h"
#include "simt/frame.h"

namespace ww::simt {
namespace {

constexpr std::uint32_t spin_limit = 2048;  // backward branches of one entry while others could run

unsigned count(std::uint32_t mask) {
  return mask == full_mask ? warp_lanes : mask == 0 ? 0 : static_cast<unsigned>(std::popcount(mask));
}

}  // namespace

// The lowest pc, so that lanes meet again, or in turn the one that has waited longest; of lanes that run apart those
// that ran last, so that they run far apart.
const Entry* Worker::choose(const Warp& w) const {
  const Entry* best = nullptr;
  for (std::size_t i = w.frames.back().first_entry; i < w.entries.size(); ++i) {
    const Entry& e = w.entries[i];
    if (e.state != Entry::State::ready) continue;
    const bool better = best == nullptr || (launch_.apart != 0 ? w.fair == 0
                                            : w.fair != 0      ? e.ran < best->ran
                                                               : e.pc < best->pc);
    if (better) best = &e;
  }
  return best;
}

// Entries that wait at the same instruction become one; true: one of them can go on.
bool Worker::meet(Warp& w) const {
  bool ready = false;
  auto& all = w.entries;
  for (std::size_t i = w.frames.back().first_entry; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size();) {
      if (all[j].pc != all[i].pc || all[j].state != all[i].state || all[i].state == Entry::State::arrived) {
        ++j;
        continue;
      }
      all[i].mask |= all[j].mask;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
      if (all[i].state != Entry::State::needs_lanes) continue;
      all[i].state = Entry::State::ready;
      ready = true;
    }
  return ready;
}

void Worker::split(Warp& w, Entry& out) const {
  const Control next = launch_.code.ops[out.pc].control;
  if (next == Control::warp_sync || next == Control::barrier) return;
  const std::uint32_t later = out.mask & ~launch_.apart;
  if (later == 0 || later == out.mask) return;
  w.put(out.pc, later);
  out.mask &= launch_.apart;
}

// The usual cases of pick(): one entry, which goes on or arrives at a barrier.
Worker::Picked Worker::pick_alone(Warp& w, Entry& out) {
  Entry& e = w.entries.back();
  e.mask &= w.live;
  if (e.mask == 0) return Picked::unknown;
  if (e.state == Entry::State::ready && launch_.apart == 0) {
    if (w.fair != 0) --w.fair;
    out.pc = e.pc, out.mask = e.mask;
    w.entries.pop_back();
    return Picked::one;
  }
  if (e.state != Entry::State::at_barrier) return Picked::unknown;
  arrive(w, e);
  if (e.state != Entry::State::arrived) return Picked::unknown;
  w.state = Warp::State::waiting;
  return Picked::none;
}

bool Worker::pick(Warp& w, Entry& out) {
  for (;;) {
    const std::size_t first = w.frames.back().first_entry;
    auto& all = w.entries;
    if (all.size() == first + 1)
      if (const Picked picked = pick_alone(w, out); picked != Picked::unknown) return picked == Picked::one;
    for (std::size_t i = first; i < all.size();) {
      all[i].mask &= w.live;
      if (all[i].mask != 0) {
        ++i;
        continue;
      }
      all[i] = all.back();
      all.pop_back();
    }
    if (all.size() == first) {
      if (w.frames.size() == 1) {
        w.state = Warp::State::done;
        return false;
      }
      leave_frame(w);
      continue;
    }
    if (const Entry* best = choose(w)) {
      if (w.fair != 0) --w.fair;
      out = Entry{};
      out.pc = best->pc;
      const std::uint32_t chosen = best->mask;
      for (std::size_t i = first; i < all.size();) {
        const bool joins = all[i].pc == out.pc && all[i].state != Entry::State::arrived &&
                           (launch_.apart == 0 || all[i].state != Entry::State::ready || all[i].mask == chosen);
        if (!joins) {
          ++i;
          continue;
        }
        out.mask |= all[i].mask;
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (launch_.apart != 0) split(w, out);
      return true;
    }
    bool again = false, arrived = false;
    if (launch_.apart != 0) again = meet(w);
    for (std::size_t i = first; i < all.size(); ++i) {
      Entry& e = all[i];
      if (e.state == Entry::State::needs_lanes && e.live_then != w.live) {  // lanes that left are no longer waited for
        e.state = Entry::State::ready;
        again = true;
      }
    }
    if (again || meet_apart(w)) continue;
    for (std::size_t i = first; i < all.size(); ++i) {
      if (all[i].state == Entry::State::at_barrier) arrive(w, all[i]);
      arrived = arrived || all[i].state == Entry::State::arrived;
      again = again || all[i].state == Entry::State::ready;  // bar.arrive does not wait
    }
    if (again) continue;
    if (arrived) {
      w.state = Warp::State::waiting;
      return false;
    }
    raise_never(w, all[first].pc, all[first].mask);
  }
}

bool Worker::wait_for_lanes(Warp& w, const Op& op, std::uint32_t pc, std::uint32_t& mask, std::uint32_t active) {
  const std::uint32_t* const members = x_.at<std::uint32_t>(op.e);
  std::uint32_t complete = 0;
  for (std::uint32_t m = active; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    if (((members[lane] >> lane) & 1) == 0) {
      FaultSite site;
      site.kind = FaultKind::invalid_instruction;
      site.lane = lane;
      raise(op, site, "the thread is not in its own member mask");
    }
    if ((members[lane] & w.live & ~active) == 0) complete |= 1u << lane;
  }
  if (checks_synchronisation()) check_masks(op, active);
  if (joins_ != nullptr) check_past(w, pc, active);
  if (complete == active) return true;
  Entry& e = w.put(pc, active & ~complete);
  e.state = Entry::State::needs_lanes;
  e.live_then = w.live;
  mask &= ~e.mask;
  if (complete != 0) return true;
  if (mask != 0) w.put(pc + 1, mask);
  return false;
}

void Worker::divergence(Warp& w, const Entry& e, std::uint32_t absent, const char* where) {
  FaultSite site;
  site.kind = FaultKind::barrier_divergence;
  site.lane = static_cast<unsigned>(std::countr_zero(e.mask));
  use_frame(w);
  report(x_, x_.code[e.pc], site, (std::to_string(absent) + where).c_str());
}

void Worker::arrive(Warp& w, Entry& e) {
  use_frame(w);
  const Op& op = x_.code[e.pc];
  const BarrierSite& at = launch_.code.barriers[op.target];
  const auto lane = static_cast<unsigned>(std::countr_zero(e.mask));
  FaultSite site;
  site.kind = FaultKind::invalid_instruction;
  site.lane = lane;
  const std::uint32_t id = x_.at<std::uint32_t>(at.id)[lane];
  const std::uint32_t expected = at.count == 0 ? 0 : x_.at<std::uint32_t>(at.count)[lane];
  if (id >= cluster_barrier && !at.of_cluster) raise(op, site, "there are 16 barriers, numbered from 0");
  if (at.count != 0 && (expected == 0 || expected % warp_lanes != 0))
    raise(op, site, "a barrier's thread count must be a multiple of 32");
  Barrier& b = block_.barriers[id];
  if (b.arrived != 0 && b.expected != expected)
    raise(op, site, "threads wait at the same barrier with different counts");
  if (checks_synchronisation() && at.aligned && e.mask != w.live)
    divergence(w, e, count(w.live & ~e.mask), " of the warp's threads took another path and are not at this barrier");
  const std::uint32_t p = at.predicate == 0 ? 0 : *x_.at<std::uint32_t>(at.predicate) & e.mask;
  if (races_) races_->arrive(w.index, e.mask, id);
  block_.barriers_used |= 1u << id;
  b.expected = expected;
  b.arrived += expected != 0 && e.mask == w.live ? warp_lanes : count(e.mask);
  b.population += count(p);
  b.all = b.all && p == e.mask;
  b.any = b.any || p != 0;
  if (!counts_.empty()) {
    ++counts_[e.pc].warp;
    counts_[e.pc].thread += count(e.mask);
  }
  e.barrier = static_cast<std::uint8_t>(id);
  e.state = Entry::State::arrived;
  if (at.kind == BarrierSite::Kind::arrive) {
    ++e.pc;
    e.state = Entry::State::ready;
  }
}

void Worker::release_barriers() {
  for (std::uint32_t used = block_.barriers_used; used != 0; used &= used - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(used));
    Barrier& b = block_.barriers[id];
    if (b.arrived == 0 || b.arrived < (b.expected != 0 ? b.expected : block_.live)) continue;
    if (races_ && b.expected == 0)
      for (const Warp& w : block_.warps)
        if (w.live == 0) races_->end(id, w.index);
    for (Warp& w : block_.warps) {
      for (Entry& e : w.entries) {
        if (e.state != Entry::State::arrived || e.barrier != id) continue;
        if (races_) races_->join(id, w.index);
        if (joins_ != nullptr && b.expected == 0) check_past_barrier(w, e);
        const BarrierSite& at = launch_.code.barriers[x_.code[e.pc].target];
        std::byte* const frame = w.registers + w.frames.back().base;
        if (at.kind == BarrierSite::Kind::reduce_popc) {
          auto* const d = reinterpret_cast<std::uint32_t*>(frame + at.destination);
          for (unsigned i = 0; i < warp_lanes; ++i)
            if (((e.mask >> i) & 1) != 0) d[i] = b.population;
        } else if (at.kind == BarrierSite::Kind::reduce_and || at.kind == BarrierSite::Kind::reduce_or) {
          auto* const d = reinterpret_cast<std::uint32_t*>(frame + at.destination);
          const bool value = at.kind == BarrierSite::Kind::reduce_and ? b.all : b.any;
          *d = value ? *d | e.mask : *d & ~e.mask;
        }
        ++e.pc;
        e.state = Entry::State::ready;
        w.state = Warp::State::ready;
      }
    }
    if (races_) races_->release(id);
    b = Barrier{};
    block_.barriers_used &= ~(1u << id);
  }
}

Strand Worker::resume(Warp& w) {
  Entry e;
  if (!pick(w, e)) return {};
  use_frame(w);
  if (joins_ != nullptr) note_past(w, e);
  return {e.pc, e.mask, next_stop(w, e.pc), true};
}

Strand Worker::give_way(Warp& w, Strand at) {
  w.put(at.pc, at.mask);
  return resume(w);
}

Strand Worker::resume_in_slice(Warp& w) {
  if (steps_ < slice_end_) return resume(w);
  (void)time_slice_over();
  return {};
}

template <bool counters>
void Worker::tally(std::uint32_t pc, std::uint32_t active) {
  if constexpr (counters) {
    PcCount& c = x_.counts[pc];
    ++c.warp;
    c.thread += active == full_mask ? warp_lanes : count(active);
  }
}

Strand Worker::jump(Warp& w, const Op& op, Strand at) {
  const bool back = op.target <= at.pc;
  const bool others = w.entries.size() > w.frames.back().first_entry;
  at.pc = op.target;
  const bool spun = back && others && ++w.spins >= spin_limit;
  if (spun) {
    w.spins = 0;
    w.fair = spin_limit;
  }
  if (spun || (others && launch_.apart == 0) || joins_ != nullptr) return give_way(w, at);
  if (launch_.apart != 0) at.stop = next_stop(w, at.pc);
  return at;
}

template <bool counters>
Strand Worker::branch(Warp& w, const Op& op, Strand at, std::uint32_t active) {
  x_.reached[at.pc] |= ptx::reach_ran | (active != 0 ? ptx::reach_yes : 0) | (active != at.mask ? ptx::reach_no : 0);
  tally<counters>(at.pc, at.mask);
  if constexpr (counters) {
    PcCount& c = x_.counts[at.pc];
    c.taken += count(active);
    c.divergent += active != 0 && active != at.mask;
  }
  if ((op.flags & op_polls) != 0 && active != 0 && ++w.polls % launch_.around.poll_limit == 0) slice_end_ = steps_;
  if (active == 0) {
    ++at.pc;
  } else if (active == at.mask) {
    at = jump(w, op, at);
  } else {
    w.put(at.pc + 1, at.mask & ~active);
    w.put(op.target, active);
    at = resume(w);
  }
  if (!at.running || steps_ < slice_end_) return at;
  w.put(at.pc, at.mask);
  (void)time_slice_over();
  return {};
}

template <bool counters>
Strand Worker::branch_table(Warp& w, const Op& op, Strand at, std::uint32_t active) {
  tally<counters>(at.pc, at.mask);
  const std::uint32_t* const index = x_.at<std::uint32_t>(op.a);
  std::uint32_t left = active;
  unsigned ways = at.mask != active ? 1 : 0;
  while (left != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (index[lane] >= static_cast<std::uint64_t>(op.imm)) {
      FaultSite site;
      site.kind = FaultKind::invalid_instruction;
      site.lane = lane;
      raise(op, site, "the index is beyond the table of branch targets");
    }
    std::uint32_t same = 0;
    for (unsigned i = 0; i < warp_lanes; ++i) same |= index[i] == index[lane] ? (1u << i) & left : 0u;
    w.put(x_.lists[op.target + index[lane]], same);
    left &= ~same;
    ++ways;
  }
  if constexpr (counters) {
    x_.counts[at.pc].taken += count(active);
    x_.counts[at.pc].divergent += ways > 1;
  }
  if ((at.mask & ~active) != 0) w.put(at.pc + 1, at.mask & ~active);
  return resume_in_slice(w);
}

Strand Worker::leave(Warp& w, const Op& op, Strand at, std::uint32_t active) {
  if (op.control == Control::exit || w.frames.size() == 1) {
    w.live &= ~active;
    block_.live -= count(active);
  }
  at.mask &= ~active;
  ++at.pc;
  return at.mask == 0 ? resume(w) : at;
}

template <bool counters>
Strand Worker::synchronize(Warp& w, const Op& op, Strand at, std::uint32_t active) {
  const std::uint32_t before = at.mask;
  if (!wait_for_lanes(w, op, at.pc, at.mask, active)) return resume(w);
  const std::uint32_t here = active & at.mask;
  tally<counters>(at.pc, here);
  x_.gone = ~w.live;
  x_.read_gone = 0;
  op.fn(x_, op, here);
  if (x_.read_gone != 0 && checks_synchronisation()) report_gone(w, op);
  if (x_.races_everywhere && launch_.code.info[at.pc].cls == InstrClass::barrier) races_->meet(w.index, here);
  ++at.pc;
  if (launch_.apart != 0) return give_way(w, at);
  if (at.mask != before) at.stop = next_stop(w, at.pc);
  return at;
}

Strand Worker::wait_at_barrier(Warp& w, Strand at, std::uint32_t active) {
  w.put(at.pc, active).state = Entry::State::at_barrier;
  if (at.mask != active) w.put(at.pc + 1, at.mask & ~active);
  return resume(w);
}

void Worker::unsupported(const Op& op, std::uint32_t pc, std::uint32_t active) const {
  const auto& list = launch_.code.functions[launch_.code.info[pc].function].unsupported;
  const auto& what = list[static_cast<std::size_t>(op.imm)];
  FaultSite site;
  site.kind = FaultKind::unsupported;
  site.lane = static_cast<unsigned>(std::countr_zero(active));
  raise_text(op, site, what.what + (what.reason.empty() ? "" : " (" + what.reason + ")"));
}

// Instructions that may change a warp's path, branches aside; `active` may be empty only for a table of branches.
template <bool counters>
Strand Worker::control(Warp& w, const Op& op, Strand at, std::uint32_t active) {
  switch (op.control) {
    case Control::branch_table: return branch_table<counters>(w, op, at, active);
    case Control::call:
      tally<counters>(at.pc, active);
      if (call(w, op, at.pc, at.mask, active)) return resume_in_slice(w);
      break;
    case Control::ret:
    case Control::exit: tally<counters>(at.pc, active); return leave(w, op, at, active);
    case Control::trap: {
      FaultSite site;
      site.kind = FaultKind::trap;
      site.lane = static_cast<unsigned>(std::countr_zero(active));
      raise(op, site);
    }
    case Control::unsupported: unsupported(op, at.pc, active);
    case Control::warp_sync: return synchronize<counters>(w, op, at, active);
    case Control::barrier: return wait_at_barrier(w, at, active);
    case Control::load:
      tally<counters>(at.pc, active);
      x_.read_writable = false;
      op.fn(x_, op, active);
      if (!pauses()) break;
      w.put(at.pc + 1, at.mask);
      if (launch_.apart != 0) w.fair = 1 + static_cast<std::uint32_t>(drawn_ >> 32) % 64;  // other lanes, too
      return {};
    case Control::none:
    case Control::nop:
    case Control::branch: break;
  }
  ++at.pc;
  return at;
}

std::uint64_t Worker::waited() {
  const std::uint64_t most = launch_.around.uneven;
  if (most == 0) return 0;
  drawn_ = mmix(drawn_);
  const std::uint64_t bits = 1 + (drawn_ >> 40) % most;
  return waited_ += (drawn_ >> 44) & ((std::uint64_t{1} << bits) - 1);
}

// Where blocks run one at a time, all share one time, if they do not show overlapping ones. Otherwise each has its own,
// so that a run does not depend on which host thread took which block: those that a device would run together begin
// together.
std::uint64_t Worker::elapsed() {
  constexpr std::uint64_t wave = 1000;  // from one block of a multiprocessor to the next
  const Surroundings& around = launch_.around;
  const bool shared = launch_.sequential() && !around.overlap;
  const std::uint64_t steps = shared ? launch_.executed + steps_ - reported_ : steps_ - block_began_;
  std::uint64_t now = launch_.began + steps * around.clock_rate + waited();
  if (!shared) now += block_.ordinal / around.multiprocessors * wave;
  std::uint64_t latest = launch_.latest.load(std::memory_order_relaxed);
  while (latest < now && !launch_.latest.compare_exchange_weak(latest, now, std::memory_order_relaxed)) {}
  return shared ? std::max(now, latest) : now;
}

bool Worker::pauses() {
  if (!x_.read_writable || pauses_left_ == 0) return false;
  drawn_ = mmix(drawn_);
  if (drawn_ >> 63 != 0) return false;
  --pauses_left_;
  return true;
}

template <bool counters, bool once>
Strand Worker::run_from(Warp& w, Strand at) {
  const Op* const code = x_.code;
  for (;;) {
    if (at.pc >= at.stop) {
      at = give_way(w, at);
      if (!at.running) return at;
    }
    const Op& op = code[at.pc];
    const std::uint32_t active = at.mask & (*x_.at<std::uint32_t>(op.guard) ^ op.guard_flip);
    ++steps_;
    x_.reached[at.pc] |= active != 0 ? ptx::reach_ran : 0;
    if (op.control == Control::none) {
      if (active != 0) {
        tally<counters>(at.pc, active);
        op.fn(x_, op, active);
      }
      ++at.pc;
    } else if (op.control == Control::branch) {
      at = branch<counters>(w, op, at, active);
      if (!at.running) return at;
    } else if (op.control == Control::nop) {
      if (active != 0) tally<counters>(at.pc, active);
      ++at.pc;
    } else if (active != 0 || op.control == Control::branch_table) {
      at = control<counters>(w, op, at, active);
      if (!at.running) return at;
    } else {
      ++at.pc;
    }
    if constexpr (once) return at;
  }
}
template Strand Worker::run_from<false, true>(Warp& w, Strand at);

template <bool counters>
void Worker::run_warp(Warp& w) {
  const Strand at = resume(w);
  if (!at.running) return;
  slice_end_ = steps_ + slice;
  const std::uint64_t before = steps_;
  (void)run_from<counters, false>(w, at);
  w.steps += steps_ - before;
}

bool Worker::time_slice_over() {
  const std::uint64_t mine = steps_ - reported_;
  reported_ = steps_;
  const std::uint64_t all = launch_.executed.fetch_add(mine, std::memory_order_relaxed) + mine;
  if (launch_.options.stop.stop_requested()) launch_.stop = true;
  const std::uint64_t budget = launch_.options.instruction_budget;
  if (budget != 0 && all > budget && !launch_.stop) end_waiting(FaultKind::budget_exceeded, {});
  return launch_.stop;
}

void Worker::run_block() {
  const bool counters = launch_.options.counters;
  for (;;) {
    bool alive = false, ran = false;
    for (std::size_t i = 0; i < block_.warps.size(); ++i) {
      Warp& w = block_.warps[launch_.options.order.warp_at(i, block_.warps.size())];
      if (w.state == Warp::State::done) continue;
      alive = true;
      if (w.state != Warp::State::ready) continue;
      ran = true;
      const std::uint32_t polls = w.polls;
      if (counters)
        run_warp<true>(w);
      else
        run_warp<false>(w);
      if (launch_.stop) return;
      note_changes();
      if (launch_.sequential() && w.state == Warp::State::ready && w.polls != polls) look_for_circle(w);
      // It may run in short turns, from one barrier to the next.
      if (w.state != Warp::State::done && steps_ - reported_ > slice && time_slice_over()) return;
      // It may wait for another block.
      if (launch_.turns && w.state == Warp::State::ready) launch_.turns->pass(number_, Turns::Why::waits);
      release_barriers();
    }
    if (!alive) {
      for (const Warp& w : block_.warps) longest_ = std::max(longest_, w.steps);
      return finish_bulk_copies(x_);
    }
    if (!ran) stuck();
    if (launch_.sequential()) check_waiting();
  }
}

void pass_turn(Exec& x) { static_cast<Worker*>(x.worker)->pass_turn(); }

void Worker::run() {
  const std::uint64_t blocks = blocks_to_run(launch_.config.grid, launch_.options.first_block);
  while (!launch_.stop) {
    const std::uint64_t ordinal = launch_.next_block.fetch_add(1, std::memory_order_relaxed);
    if (ordinal >= blocks) break;
    start_block(launch_.block_at(ordinal));
    try {
      if (steps_ - reported_ > slice && time_slice_over())
        break;  // here, where there is a warp to name when the budget is used up
      run_block();
    } catch (const FaultSignal& signal) {
      MachineFault fault = describe_fault(*this, x_, signal);
      const std::scoped_lock lock(launch_.mutex);
      if (ordinal < launch_.fault_block) {
        launch_.fault = std::move(fault);
        launch_.fault_block = ordinal;
      }
      launch_.stop = true;
    }
  }
  if (launch_.sequential()) launch_.waits[static_cast<std::size_t>(number_)] = ~std::uint64_t{0};
  launch_.executed.fetch_add(steps_ - reported_, std::memory_order_relaxed);
  reported_ = steps_;
  const std::scoped_lock lock(launch_.mutex);
  launch_.longest = std::max(launch_.longest, longest_);
}

}  // namespace ww::simt
