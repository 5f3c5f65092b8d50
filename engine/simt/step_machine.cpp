// SPDX-License-Identifier: Apache-2.0
#include "simt/step_machine.h"
#include <algorithm>
#include <cstring>
#include <new>
#include "simt/memory_state.h"
#include "simt/mbarriers.h"
#include "simt/thread_races.h"

namespace ww::simt {
namespace {

bool allocates(const Decoded& code, const std::vector<std::uint32_t>& functions) {
  return std::ranges::any_of(functions, [&](std::uint32_t f) {
    for (std::uint32_t pc = code.functions[f].entry; pc < code.functions[f].end; ++pc)
      if (code.ops[pc].control == Control::call && code.calls[code.ops[pc].target].builtin >= 3) return true;
    return false;
  });
}

}  // namespace

void AccessLog::begin_block(std::uint64_t ordinal) {
  if (other()) other()->begin_block(ordinal);
}

void AccessLog::note(Exec& x, const Op& op, const Touch& touch) {
  StepAccess a;
  a.kind = touch.access == Access::atomic && (op.flags & op_strong) != 0 && touch.stored != nullptr ? AccessKind::write
           : touch.access == Access::atomic                                                         ? AccessKind::atomic
           : touch.access == Access::write                                                          ? AccessKind::write
                                                                                                    : AccessKind::read;
  a.space = touch.space;
  a.lane = static_cast<std::uint8_t>(touch.lane);
  a.bytes = touch.size;
  a.address = touch.address;
  a.place = touch.place;
  accesses.push_back(a);
  if (other() && (op.flags & op_unused) == 0) other()->note(x, op, touch);
}

void AccessLog::synchronize(std::uint32_t warp, unsigned lane, Order order, const std::byte* place,
                            std::uint32_t bytes) {
  if (other()) other()->synchronize(warp, lane, order, place, bytes);
}
void AccessLog::fence(std::uint32_t warp, bool beyond_block) {
  if (other()) other()->fence(warp, beyond_block);
}
void AccessLog::meet(std::uint32_t warp, std::uint32_t mask) {
  if (other()) other()->meet(warp, mask);
}
void AccessLog::arrive(std::uint32_t warp, std::uint32_t mask, unsigned barrier) {
  if (other()) other()->arrive(warp, mask, barrier);
}
void AccessLog::join(unsigned barrier, std::uint32_t warp) {
  if (other()) other()->join(barrier, warp);
}
void AccessLog::end(unsigned barrier, std::uint32_t warp) {
  if (other()) other()->end(barrier, warp);
}
void AccessLog::release(unsigned barrier) {
  if (other()) other()->release(barrier);
}

StepMachine::StepMachine(std::shared_ptr<const Program> program, const LaunchConfig& config, Memory& memory,
                         const SteppingOptions& options)
    : program_(std::move(program)), config_(config), memory_(memory), stepping_(options) {
  options_.checks = Checks::full;
  options_.races = options.races ? Races::threads : Races::none;
  options_.uninitialised = options.uninitialised;
  options_.synchronisation = options.synchronisation;
  options_.goes_on = options_.unsupported_on_use = true;
  options_.counters = false;
  options_.threads = 1;
  options_.instruction_budget = options.instruction_budget;
  options_.surroundings = options.surroundings;
  interval_ = std::max<std::uint64_t>(options.snapshot_steps, 1);
}

StepMachine::~StepMachine() {
  for (Buffer* b : followed_) b->by_lane = false;
  memory_.state().settle();
}

Status StepMachine::begin(std::string_view kernel) {
  prepared_ = WW_TRY(prepare(*program_, kernel, config_, memory_, options_));
  if (allocates(launch().code, prepared_.functions))
    return fail(Code::unsupported, "kernels that allocate or free memory cannot be stepped through");
  if (options_.races == Races::threads) launch().races = make_race_world();
  launch().waits.assign(1, 0);
  worker_ = std::make_unique<Worker>(launch(), 0);
  auto log = std::make_unique<AccessLog>();
  log_ = log.get();
  log->next = std::move(worker_->races_);
  worker_->races_ = std::move(log);
  worker_->x_.races = log_;
  worker_->x_.races_everywhere = true;
  log_->passes_on = true;
  launch().journal = &journal_;
  for (const auto& b : memory_.state().buffers) {
    if (b->init == nullptr) {  // without a map of initialised bytes, its accesses would not be reported
      b->init = b->init_storage.get();
      std::memset(b->init, written_before, b->size);
    }
    if (b->by_lane) continue;
    b->by_lane = true;
    followed_.push_back(b.get());
  }
  WW_TRY(run_earlier_blocks());
  journal_ = WriteJournal();
  start_block();
  try {
    settle();
  } catch (const FaultSignal& signal) { found(signal); }
  take_snapshot();
  return {};
}

Status StepMachine::run_earlier_blocks() {
  const std::uint64_t blocks = blocks_to_run(config_.grid, options_.first_block);
  last_block_ = blocks - 1;
  if (!stepping_.block) return {};
  const Dim3 &want = *stepping_.block, &grid = config_.grid;
  if (want.x >= grid.x || want.y >= grid.y || want.z >= grid.z)
    return fail(Code::invalid_argument, "the grid has no block (" + std::to_string(want.x) + "," +
                                            std::to_string(want.y) + "," + std::to_string(want.z) + ")");
  const std::uint64_t number = want.x + std::uint64_t{grid.x} * (want.y + std::uint64_t{grid.y} * want.z);
  for (last_block_ = 0; launch().block_at(last_block_) != number; ++last_block_) {
    worker_->start_block(launch().block_at(last_block_));
    launch().next_block = last_block_ + 1;
    try {
      worker_->run_block();
    } catch (const FaultSignal& signal) {
      return fail(Code::invalid_argument, "the launch ends in an earlier block",
                  describe_fault(*worker_, worker_->x_, signal).message);
    }
  }
  turn_.block = last_block_;
  for (const MachineFault& f : launch().findings) hazards_.push_back({f, 0, false});
  return {};
}

Warp& StepMachine::running() const {
  auto& warps = worker_->block_.warps;
  return warps[options_.order.warp_at(turn_.warp, warps.size())];
}

void StepMachine::start_block() {
  worker_->start_block(launch().block_at(turn_.block));
  launch().next_block = turn_.block + 1;
  blocks_.try_emplace(position_, worker_->block_.index);
  turn_.warp = 0;
  turn_.alive = turn_.ran = turn_.inside = false;
}

void StepMachine::begin_turn(Warp& w) {
  turn_.ran = true;
  turn_.polls = w.polls;
  turn_.at = worker_->resume(w);
  worker_->slice_end_ = worker_->steps_ + slice;
  turn_.inside = true;
}

void StepMachine::end_turn(Warp& w) {
  worker_->note_changes();
  if (w.state == Warp::State::ready && w.polls != turn_.polls) worker_->look_for_circle(w);
  if (w.state != Warp::State::done && worker_->steps_ - worker_->reported_ > slice) (void)worker_->time_slice_over();
  const auto waiting = [&] {
    return std::ranges::count_if(worker_->block_.barriers, [](const Barrier& b) { return b.arrived != 0; });
  };
  const auto before = waiting();
  worker_->release_barriers();
  released_ = released_ || waiting() != before;
  turn_.inside = false;
  ++turn_.warp;
}

void StepMachine::end_round() {
  if (!turn_.alive) return end_block();
  if (!turn_.ran) worker_->stuck();
  worker_->check_waiting();
  turn_.warp = 0;
  turn_.alive = turn_.ran = false;
}

void StepMachine::end_block() {
  finish_bulk_copies(worker_->x_);
  if (turn_.block == last_block_) {
    turn_.ended = true;
    launch().waits[0] = ~std::uint64_t{0};
    return;
  }
  ++turn_.block;
  start_block();
}

// Goes on to where an instruction of a warp runs next, as Worker::run_block() does.
void StepMachine::settle() {
  while (!turn_.ended) {
    if (turn_.inside) {
      Warp& w = running();
      if (turn_.at.running && turn_.at.pc >= turn_.at.stop) turn_.at = worker_->give_way(w, turn_.at);
      if (turn_.at.running) return;
      end_turn(w);
    } else if (turn_.warp == worker_->block_.warps.size()) {
      end_round();
    } else if (Warp& w = running(); w.state == Warp::State::done) {
      ++turn_.warp;
    } else {
      turn_.alive = true;
      if (w.state == Warp::State::ready)
        begin_turn(w);
      else
        ++turn_.warp;
    }
  }
}

StepRecord StepMachine::record_here() const {
  const Strand& at = turn_.at;
  const Op& op = launch().code.ops[at.pc];
  const Warp& w = running();
  const std::byte* const frame = w.registers + w.frames.back().base;
  std::uint32_t guard = 0;
  std::memcpy(&guard, frame + op.guard, sizeof guard);
  StepRecord record;
  record.pc = at.pc;
  record.mask = at.mask;
  record.active = at.mask & (guard ^ op.guard_flip);
  record.warp = static_cast<std::uint16_t>(w.index);
  return record;
}

// An instruction may be several operations, one after the other.
void StepMachine::run_instruction() {
  Warp& w = running();
  const auto& info = launch().code.info;
  worker_->use_frame(w);
  for (;;) {
    const std::uint32_t pc = turn_.at.pc;
    turn_.at = worker_->run_from<false, true>(w, turn_.at);
    const Strand& at = turn_.at;
    if (!at.running || at.pc != pc + 1 || at.pc >= at.stop || info[at.pc].function != info[pc].function ||
        info[at.pc].instruction != info[pc].instruction)
      return;
  }
}

void StepMachine::note_values() {
  for (StepAccess& a : log_->accesses) {
    a.value_bytes = static_cast<std::uint8_t>(std::min<std::size_t>(a.bytes, sizeof a.value));
    std::memcpy(a.value, a.place, a.value_bytes);
  }
}

void StepMachine::note_cost(StepRecord& record) const {
  if (log_->accesses.empty()) return;
  const auto kept = [](std::uint32_t n) { return static_cast<std::uint16_t>(std::min<std::uint32_t>(n, 0xffff)); };
  const AccessCost global = cost_of(log_->accesses, Space::global), shared = cost_of(log_->accesses, Space::shared);
  record.bytes = kept(global.bytes);
  record.sectors = kept(global.sectors);
  record.wavefronts = kept(shared.wavefronts);
  record.conflicts = kept(shared.conflicts);
}

void StepMachine::note_waiting(StepRecord& record, const Warp& w, bool same_block) {
  if (!same_block) return;
  record.waits = w.state == Warp::State::waiting;
  if (!record.released) return;
  Left left{position_ - 1, 0};
  for (const Warp& other : worker_->block_.warps)
    if (other.state == Warp::State::waiting) left.warps |= 1u << other.index;
  if (left.warps != 0) left_waiting_.push_back(left);
}

std::uint32_t StepMachine::still_waiting(std::uint64_t position) const {
  const auto at = std::ranges::lower_bound(left_waiting_, position, {}, &Left::position);
  return at != left_waiting_.end() && at->position == position ? at->warps : 0;
}

void StepMachine::found(const FaultSignal& signal) {
  turn_.ended = true;
  if (!launch().repeats) hazards_.push_back({describe_fault(*worker_, worker_->x_, signal), position_, true});
}

bool StepMachine::step() {
  if (turn_.ended) return false;
  const bool repeats = position_ < records_.size();
  launch().repeats = repeats;
  log_->passes_on = !repeats;
  log_->accesses.clear();
  if (!repeats && position_ - snapshots_.back()->position >= interval_) take_snapshot();
  StepRecord record = record_here();
  released_ = false;
  ++position_;
  const Warp& warp = running();
  const std::uint64_t block = turn_.block;
  const std::size_t known = launch().findings.size();
  std::optional<FaultSignal> fault;
  try {
    run_instruction();
    note_values();
    settle();
  } catch (const FaultSignal& signal) { fault = signal; }
  for (std::size_t i = known; i < launch().findings.size(); ++i)
    hazards_.push_back({launch().findings[i], position_, false});
  if (fault) {
    note_values();
    found(*fault);
  }
  record.released = released_;
  if (!repeats) {
    note_cost(record);
    note_waiting(record, warp, turn_.block == block && !turn_.ended);
    records_.push_back(record);
  }
  return true;
}

void StepMachine::jump(std::uint64_t to) {
  if (to == position_) return;
  // The last step before it runs again, so that its accesses are known.
  const std::uint64_t known = std::min<std::uint64_t>(to, records_.size());
  const auto after =
      std::ranges::upper_bound(snapshots_, known == 0 ? 0 : known - 1, {}, [](const auto& s) { return s->position; });
  const Snapshot& s = **std::prev(after);
  if (position_ >= to || position_ < s.position) restore(s);
  while (position_ < to && step()) {}
}

}  // namespace ww::simt
