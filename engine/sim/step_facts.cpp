// SPDX-License-Identifier: Apache-2.0
// A stepped launch's state as data.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include "sim/instruction_text.h"
#include "sim/operand_registers.h"
#include "sim/placed.h"
#include "sim/stepper.h"
#include "sim/value_text.h"

namespace ww::sim {
namespace {

using simt::Type;

std::string hex_number(std::uint64_t v, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(v));
  return text;
}
std::string mask_text(std::uint32_t mask) { return hex_number(mask, 8); }

// How a register's values are shown: by its own type, or where that says only its width, by the instruction's.
Type shown_type(Type own, const simt::Instruction* instruction) {
  if (simt::type_name(own).front() != 'b' || instruction == nullptr) return own;
  for (const std::string& word : instruction->words()) {
    const auto type = simt::type_from_name(word);
    if (!type) continue;
    if (simt::type_bytes(*type) == simt::type_bytes(own)) return *type;
    const bool is_integer = *type != Type::pred && !simt::type_is_float(*type) && simt::type_name(*type)[0] != 'b';
    if (is_integer && 2 * simt::type_bytes(*type) == simt::type_bytes(own)) {  // of a wide product
      const std::string wide = (simt::type_is_signed(*type) ? "s" : "u") + std::to_string(8 * simt::type_bytes(own));
      return simt::type_from_name(wide).value_or(own);
    }
  }
  return own;
}

SpaceAccess access_of(std::span<const simt::StepAccess> accesses, simt::Space space,
                      const std::vector<simt::BufferInfo>& buffers) {
  SpaceAccess out;
  out.space = space == simt::Space::shared ? AccessedSpace::shared : AccessedSpace::global;
  const simt::AccessCost cost = simt::cost_of(accesses, space);
  out.bytes = cost.bytes;
  out.sectors = cost.sectors;
  out.lines = cost.lines;
  out.wasted = space == simt::Space::global ? 32 * out.sectors - out.bytes : 0;
  out.wavefronts = cost.wavefronts;
  out.conflicts = cost.conflicts;
  for (const simt::StepAccess& a : accesses) {
    if (a.space != space) continue;
    if (a.kind != simt::AccessKind::read) out.kind = a.kind;
    LaneAccess lane;
    lane.lane = a.lane;
    lane.bytes = a.bytes;
    lane.offset = static_cast<std::int64_t>(a.address);
    lane.value = to_hex({reinterpret_cast<const char*>(a.value), a.value_bytes});
    if (space == simt::Space::global) {
      const auto after = std::ranges::upper_bound(buffers, a.address, {}, &simt::BufferInfo::address);
      if (after != buffers.begin()) {
        lane.buffer = std::prev(after)->name;
        lane.offset -= static_cast<std::int64_t>(std::prev(after)->address);
      }
    }
    out.lanes.push_back(std::move(lane));
  }
  return out;
}

}  // namespace

StepFacts Stepper::last_step() const {
  StepFacts f;
  const std::uint64_t position = machine_->position();
  if (position == 0) return f;
  const simt::StepRecord& r = machine_->record(position - 1);
  const simt::StepPlace at = machine_->place(r.pc);
  const simt::Dim3 block = machine_->block_at(position - 1);
  f.step = static_cast<std::int64_t>(position - 1);
  f.block = {block.x, block.y, block.z};
  f.warp = r.warp;
  f.function = at.function->name;
  f.line = at.line;
  f.ptx_line = at.ptx_line;
  f.mask = mask_text(r.mask);
  f.active = mask_text(r.active);
  f.released = r.released;
  if (at.instruction) f.instruction = instruction_text(*at.function, *at.instruction);
  std::vector<std::uint32_t> written;
  if (at.instruction) written = written_registers(*at.instruction);
  // A call or a return has gone to another frame, the block's last step to another block.
  const simt::StepWarp warp = machine_->warp(r.warp);
  const bool there = !warp.frames.empty() && warp.frames.back().function == at.function &&
                     machine_->block_begin(position) == machine_->block_begin(position - 1);
  for (const std::uint32_t index : written) {
    if (!there) break;
    const auto& reg = at.function->registers[index];
    const Type type = shown_type(reg.type, at.instruction);
    WrittenRegister w{reg.name, std::string(simt::type_name(type)), {}, names_in(*at.function)[index]};
    for (unsigned lane = 0; lane < 32; ++lane)
      if (((r.active >> lane) & 1) != 0)
        w.values.push_back(value_text(type, machine_->lane_value(r.warp, warp.frames.size() - 1, index, lane)));
    f.registers.push_back(std::move(w));
  }
  const std::vector<simt::BufferInfo> buffers = placed_->memory.buffers();
  for (const simt::Space space : {simt::Space::global, simt::Space::shared})
    if (std::ranges::any_of(machine_->accesses(), [&](const auto& a) { return a.space == space; }))
      f.accesses.push_back(access_of(machine_->accesses(), space, buffers));
  return f;
}

WarpFacts Stepper::warp(std::size_t index) const {
  const simt::StepWarp w = machine_->warp(index);
  WarpFacts f;
  f.warp = static_cast<std::uint32_t>(index);
  f.state = w.state == simt::StepWarp::State::ready     ? WarpState::ready
            : w.state == simt::StepWarp::State::waiting ? WarpState::waiting
                                                        : WarpState::ended;
  f.lanes = mask_text(w.lanes);
  f.live = mask_text(w.live);
  const auto next = machine_->next(machine_->position());
  for (std::size_t depth = w.frames.size(); depth-- > 0;)
    for (const simt::LaneGroup& g : w.frames[depth].groups) {
      const simt::StepPlace at = machine_->place(g.pc);
      GroupFacts group;
      group.mask = mask_text(g.mask);
      group.state = g.state == simt::LaneGroup::State::needs_lanes  ? GroupState::waits_for_lanes
                    : g.state == simt::LaneGroup::State::at_barrier ? GroupState::at_barrier
                                                                    : GroupState::ready;
      if (next && next->warp == index && depth + 1 == w.frames.size() && next->pc == g.pc && next->mask == g.mask)
        group.state = GroupState::next;
      group.line = at.line;
      group.ptx_line = at.ptx_line;
      group.function = at.function->name;
      if (at.instruction) group.instruction = instruction_text(*at.function, *at.instruction);
      group.depth = static_cast<std::int64_t>(depth);
      f.groups.push_back(std::move(group));
    }
  return f;
}

std::vector<WrittenRegister> Stepper::registers(std::size_t warp) const {
  std::vector<WrittenRegister> all;
  const simt::StepWarp w = machine_->warp(warp);
  if (w.frames.empty()) return all;
  const simt::Function& function = *w.frames.back().function;
  for (std::size_t i = 0; i < function.registers.size(); ++i) {
    const Type type = function.registers[i].type;
    WrittenRegister r{function.registers[i].name, std::string(simt::type_name(type)), {}, names_in(function)[i]};
    for (unsigned lane = 0; lane < 32; ++lane)
      r.values.push_back(value_text(type, machine_->lane_value(warp, w.frames.size() - 1, i, lane)));
    all.push_back(std::move(r));
  }
  return all;
}

SharedFacts Stepper::shared() const {
  SharedFacts f;
  const std::span<const std::byte> bytes = machine_->shared();
  const std::span<const std::uint8_t> written = machine_->shared_written();
  std::string known(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t i = 0; i < known.size(); ++i)
    if (i < written.size() && written[i] == 0) known[i] = 0;
  f.content = to_hex(known);
  for (std::size_t word = 0; word + 4 <= written.size(); word += 4) {
    const auto count = std::ranges::count_if(written.subspan(word, 4), [](std::uint8_t w) { return w != 0; });
    f.written += count == 4 ? '2' : count > 0 ? '1' : '0';
  }
  return f;
}

namespace {

// The times at which the warps of a block wait at barriers, added to its time line.
class WaitingTimes {
 public:
  explicit WaitingTimes(Timeline& line) : line_(line), since_(line.warps.size(), awake) {}

  void add(std::int64_t position, const simt::StepRecord& r, std::uint32_t left_waiting) {
    for (std::size_t w = 0; r.released && w < since_.size(); ++w)
      if (((left_waiting >> w) & 1) == 0) wake(w, position + 1);
    if (r.waits) since_[r.warp] = position + 1;
  }
  void end() {
    for (std::size_t w = 0; w < since_.size(); ++w) wake(w, line_.end);
  }

 private:
  static constexpr std::int64_t awake = -1;

  void wake(std::size_t w, std::int64_t until) {
    std::vector<int>& waits = line_.warps[w].waits;
    const auto parts = static_cast<std::int64_t>(waits.size()), length = line_.end - line_.first;
    const std::int64_t from = since_[w] - line_.first, to = until - line_.first;
    if (since_[w] == awake || from >= to) {
      since_[w] = awake;
      return;
    }
    since_[w] = awake;
    const auto begin_of = [&](std::int64_t part) { return (part * length + parts - 1) / parts; };
    for (std::int64_t part = from * parts / length; part < parts && begin_of(part) < to; ++part)
      waits[static_cast<std::size_t>(part)] +=
          static_cast<int>(std::min(to, begin_of(part + 1)) - std::max(from, begin_of(part)));
  }

  Timeline& line_;
  std::vector<std::int64_t> since_;  // the position; awake: it does not wait
};

}  // namespace

const Timeline& Stepper::timeline(std::size_t parts) const {
  constexpr std::size_t most_releases = 1000;
  const std::uint64_t position = machine_->position(), recorded = machine_->recorded();
  const std::uint64_t begin = machine_->block_begin(position);
  const std::uint64_t end = std::min(recorded, machine_->block_end(position));
  Timeline& t = known_timeline_;
  if (known_parts_ == parts && t.first == static_cast<std::int64_t>(begin) && t.end == static_cast<std::int64_t>(end))
    return t;
  t = {};
  known_parts_ = parts;
  t.first = static_cast<std::int64_t>(begin);
  t.end = static_cast<std::int64_t>(end);
  const std::uint64_t length = end - begin;
  const std::uint64_t n = std::min<std::uint64_t>(std::max<std::size_t>(parts, 1), std::max<std::uint64_t>(length, 1));
  t.warps.resize(machine_->warps());
  for (WarpTime& w : t.warps) {
    w.steps.resize(n);
    w.lanes.resize(n);
    w.waits.resize(n);
  }
  WaitingTimes waiting(t);
  for (std::uint64_t p = begin; p < end; ++p) {
    const simt::StepRecord& r = machine_->record(p);
    const auto part = static_cast<std::size_t>((p - begin) * n / length);
    WarpTime& w = t.warps[r.warp];
    const int lanes = std::popcount(r.mask);
    w.lanes[part] = w.steps[part]++ == 0 ? lanes : std::min(w.lanes[part], lanes);
    if (r.released && t.releases.size() < most_releases) t.releases.push_back(static_cast<std::int64_t>(p));
    waiting.add(static_cast<std::int64_t>(p), r, r.released ? machine_->still_waiting(p) : 0);
  }
  waiting.end();
  return t;
}

}  // namespace ww::sim
