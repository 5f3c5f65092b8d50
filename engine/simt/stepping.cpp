// SPDX-License-Identifier: Apache-2.0
// What is seen of a stepped launch.
#include "simt/stepping.h"
#include <algorithm>
#include <cstring>
#include <new>
#include "simt/step_machine.h"

namespace ww::simt {

std::optional<StepRecord> StepMachine::next(std::uint64_t position) const {
  if (position < records_.size()) return records_[position];
  if (position != position_ || turn_.ended) return std::nullopt;
  return record_here();
}

StepPlace StepMachine::place(std::uint32_t pc) const {
  const OpInfo& info = launch().code.info[pc];
  StepPlace p;
  p.function = &launch().program.module.functions[info.function];
  if (info.instruction >= p.function->body.size()) return p;
  p.instruction = &p.function->body[info.instruction];
  p.ptx_line = p.instruction->line;
  p.line = p.instruction->source_line;
  return p;
}

Dim3 StepMachine::block_at(std::uint64_t position) const { return std::prev(blocks_.upper_bound(position))->second; }

std::uint64_t StepMachine::block_begin(std::uint64_t position) const {
  return std::prev(blocks_.upper_bound(position))->first;
}

std::uint64_t StepMachine::block_end(std::uint64_t position) const {
  const auto next = blocks_.upper_bound(position);
  return next == blocks_.end() ? ~std::uint64_t{0} : next->first;
}

StepWarp StepMachine::warp(std::size_t index) const {
  const Warp& w = worker_->block_.warps.at(index);
  StepWarp r;
  r.state = w.state == Warp::State::done      ? StepWarp::State::ended
            : w.state == Warp::State::waiting ? StepWarp::State::waiting
                                              : StepWarp::State::ready;
  r.lanes = w.lanes;
  r.live = w.live;
  if (w.live == 0) return r;
  for (std::size_t i = 0; i < w.frames.size(); ++i) {
    StepFrame f;
    f.function = &launch().program.module.functions[w.frames[i].function];
    f.lanes = i == 0 ? w.lanes : w.frames[i].call_mask;
    f.return_pc = w.frames[i].return_pc;
    if (i + 1 == w.frames.size() && turn_.inside && !turn_.ended && &w == &running())
      f.groups.push_back({turn_.at.pc, turn_.at.mask, LaneGroup::State::ready});
    const std::size_t end = i + 1 < w.frames.size() ? w.frames[i + 1].first_entry : w.entries.size();
    for (std::size_t k = w.frames[i].first_entry; k < end; ++k) {
      const Entry& e = w.entries[k];
      const LaneGroup group{e.pc, e.mask & w.live,
                            e.state == Entry::State::ready         ? LaneGroup::State::ready
                            : e.state == Entry::State::needs_lanes ? LaneGroup::State::needs_lanes
                                                                   : LaneGroup::State::at_barrier};
      const auto same = std::ranges::find_if(
          f.groups, [&](const LaneGroup& g) { return g.pc == group.pc && g.state == group.state; });
      if (group.mask == 0) continue;
      if (same != f.groups.end())
        same->mask |= group.mask;
      else
        f.groups.push_back(group);
    }
    r.frames.push_back(std::move(f));
  }
  return r;
}

std::uint64_t StepMachine::lane_value(std::size_t warp, std::size_t frame, std::size_t index, unsigned lane) const {
  const Warp& w = worker_->block_.warps.at(warp);
  const CallFrame& f = w.frames.at(frame);
  const std::uint32_t at = launch().code.functions[f.function].registers.at(index);
  const Type type = launch().program.module.functions[f.function].registers[index].type;
  const std::byte* const place = w.registers + f.base + at;
  std::uint64_t v = 0;
  if (type == Type::pred) {
    std::memcpy(&v, place, 4);
    return (v >> lane) & 1;
  }
  const std::size_t bytes = type_bytes(type);
  std::memcpy(&v, place + lane * bytes, std::min(bytes, sizeof v));
  return v;
}

bool StepMachine::local_bytes(std::size_t warp, std::size_t frame, unsigned lane, std::uint64_t at,
                              std::span<std::byte> to) const {
  const CallFrame& f = worker_->block_.warps.at(warp).frames.at(frame);
  const std::uint32_t room = launch().code.functions[f.function].local_bytes, stride = launch().local_stride;
  if (at > room || to.size() > room - at) return false;
  const std::size_t place = (warp * warp_lanes + lane) * stride + f.local_base + at;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (place + i >= worker_->local_init_.size() || worker_->local_init_[place + i] == 0) return false;
  std::memcpy(to.data(), worker_->local_.get() + place, to.size());
  return true;
}

std::optional<std::uint32_t> StepMachine::shared_place(std::string_view symbol) const {
  for (std::size_t i = 0; i < launch().code.shared.size(); ++i)
    if (launch().code.shared[i].name == symbol && launch().shared_places[i] != ~0u) return launch().shared_places[i];
  return std::nullopt;
}

std::span<const std::byte> StepMachine::shared() const { return {worker_->shared_.get(), launch().shared_bytes}; }

std::span<const std::uint8_t> StepMachine::shared_written() const {
  return std::span(worker_->shared_init_).first(launch().shared_bytes);
}

Stepping::Stepping(std::unique_ptr<StepMachine> machine) : machine_(std::move(machine)) {}
Stepping::~Stepping() = default;

Result<std::unique_ptr<Stepping>> Stepping::begin(std::shared_ptr<const Program> program, std::string_view kernel,
                                                  const LaunchConfig& config, Memory& memory,
                                                  const SteppingOptions& options) {
  try {
    auto machine = std::make_unique<StepMachine>(std::move(program), config, memory, options);
    WW_TRY(machine->begin(kernel));
    return std::unique_ptr<Stepping>(new Stepping(std::move(machine)));
  } catch (const std::bad_alloc&) {
    return fail(Code::internal, "the host does not have enough memory for this launch");
  }
}

std::uint64_t Stepping::position() const { return machine_->position(); }
std::uint64_t Stepping::recorded() const { return machine_->recorded(); }
bool Stepping::ended() const { return machine_->ended(); }
bool Stepping::forward() { return machine_->step(); }
void Stepping::jump(std::uint64_t to) { machine_->jump(to); }
const StepRecord& Stepping::record(std::uint64_t position) const { return machine_->record(position); }
std::optional<StepRecord> Stepping::next(std::uint64_t position) const { return machine_->next(position); }
StepPlace Stepping::place(std::uint32_t pc) const { return machine_->place(pc); }
Dim3 Stepping::block() const { return machine_->block().index; }
Dim3 Stepping::block_at(std::uint64_t position) const { return machine_->block_at(position); }
std::uint64_t Stepping::block_begin(std::uint64_t position) const { return machine_->block_begin(position); }
std::uint64_t Stepping::block_end(std::uint64_t position) const { return machine_->block_end(position); }
std::size_t Stepping::warps() const { return machine_->block().warps.size(); }
StepWarp Stepping::warp(std::size_t index) const { return machine_->warp(index); }
std::span<const StepAccess> Stepping::accesses() const { return machine_->accesses(); }
std::uint64_t Stepping::lane_value(std::size_t warp, std::size_t frame, std::size_t index, unsigned lane) const {
  return machine_->lane_value(warp, frame, index, lane);
}
bool Stepping::local_bytes(std::size_t warp, std::size_t frame, unsigned lane, std::uint64_t at,
                           std::span<std::byte> to) const {
  return machine_->local_bytes(warp, frame, lane, at, to);
}
std::optional<std::uint32_t> Stepping::shared_place(std::string_view symbol) const {
  return machine_->shared_place(symbol);
}
std::span<const std::byte> Stepping::shared() const { return machine_->shared(); }
std::span<const std::uint8_t> Stepping::shared_written() const { return machine_->shared_written(); }
const std::vector<StepHazard>& Stepping::hazards() const { return machine_->hazards(); }
std::string Stepping::printed() const { return machine_->printed(); }
std::uint64_t Stepping::fingerprint() const { return machine_->fingerprint(); }
std::size_t Stepping::bytes() const { return machine_->bytes(); }
bool Stepping::full() const { return machine_->full(); }
std::uint32_t Stepping::still_waiting(std::uint64_t position) const { return machine_->still_waiting(position); }

}  // namespace ww::simt
