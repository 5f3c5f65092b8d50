// SPDX-License-Identifier: Apache-2.0
// What the checks found of a stepped launch, and the other side of it: the buffer that an access missed, and who writes
// what was read too early.
#include <algorithm>
#include "sim/findings.h"
#include "sim/instruction_text.h"
#include "sim/placed.h"
#include "sim/stepper.h"
#include "simt/module.h"

namespace ww::sim {
namespace {

constexpr std::uint64_t most_looked = std::uint64_t{1} << 16;

bool touches(const simt::StepAccess& a, const simt::MachineFault& f) {
  return a.space == f.space && a.kind != simt::AccessKind::read && a.address < f.address + f.access_bytes &&
         f.address < a.address + a.bytes;
}

}  // namespace

std::vector<StepFinding> Stepper::findings() const {
  std::vector<StepFinding> all;
  for (const simt::StepHazard& h : machine_->hazards()) {
    StepFinding f{static_cast<std::int64_t>(h.position) - 1, finding_of(h.fault, h.ended), {}, {}};
    if (h.fault.kind == FaultKind::out_of_bounds) f.extent = extent_of(h.fault);
    all.push_back(std::move(f));
  }
  return all;
}

std::optional<Extent> Stepper::extent_of(const simt::MachineFault& f) const {
  if (f.space == simt::Space::shared)
    return Extent{f.buffer, {}, static_cast<std::int64_t>(machine_->shared().size()), 0};
  for (const auto* list : {&placed_->buffers, &placed_->symbols})
    for (const PlacedJob::Buffer& b : *list) {
      if (b.what->name != f.buffer) continue;
      const auto type = dtype_from_name(b.what->type);
      const auto size = type ? static_cast<std::int64_t>(dtype_size(*type)) : 0;
      return Extent{f.buffer, type ? b.what->type : std::string(), b.what->bytes, size > 0 ? b.what->bytes / size : 0};
    }
  return std::nullopt;
}

// The access of the step that led here, as a place.
Site Stepper::site_of(const simt::StepAccess& access) const {
  const std::uint64_t position = machine_->position();
  const simt::StepRecord& r = machine_->record(position - 1);
  const simt::StepPlace at = machine_->place(r.pc);
  const simt::Dim3 block = machine_->block_at(position - 1), size = placed_->config.block;
  const std::uint32_t thread = 32u * r.warp + access.lane;
  Site s;
  s.line = at.line;
  s.ptx_line = at.ptx_line;
  if (at.instruction) s.instruction = at.instruction->opcode();
  s.block = {block.x, block.y, block.z};
  s.thread = {thread % size.x, thread / size.x % size.y, thread / (size.x * size.y)};
  s.warp = r.warp;
  s.is_write = true;
  return s;
}

// Of the reads of memory that nothing had written, by the step that led here: who writes it afterwards, among so many
// steps as may be looked at. Further steps may be recorded; the position remains.
void Stepper::find_writers(std::vector<StepFinding>& findings, const std::stop_token& stop) {
  const std::uint64_t here = machine_->position();
  const auto known = [&] { return known_unwritten_ && known_unwritten_->first == here; };
  std::vector<std::pair<StepFinding*, const simt::MachineFault*>> wanted;
  const std::vector<simt::StepHazard> hazards = machine_->hazards();  // looking may find more
  for (std::size_t i = 0; i < std::min(findings.size(), hazards.size()); ++i)
    if (hazards[i].position == here && here > 0 && hazards[i].fault.kind == FaultKind::uninitialised_read &&
        (hazards[i].fault.space == simt::Space::shared || hazards[i].fault.space == simt::Space::global))
      wanted.emplace_back(&findings[i], &hazards[i].fault);
  if (wanted.empty()) return;
  if (!known()) {
    std::vector<Unwritten> found(wanted.size());
    const std::uint64_t block = machine_->block_begin(here - 1);
    for (std::uint64_t p = here - 1; p > block && found[0].barrier < 0; --p)
      if (machine_->record(p - 1).released) found[0].barrier = static_cast<std::int64_t>(p - 1);
    for (Unwritten& u : found) u.barrier = found[0].barrier;
    look_for_writers(found, wanted, stop);
    machine_->jump(here);
    if (stop.stop_requested()) return;
    known_unwritten_ = {here, std::move(found)};
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i].first->unwritten = known_unwritten_->second[i];
}

void Stepper::look_for_writers(std::vector<Unwritten>& found,
                               const std::vector<std::pair<StepFinding*, const simt::MachineFault*>>& wanted,
                               const std::stop_token& stop) {
  const std::uint64_t here = machine_->position(), block = machine_->block_begin(here - 1);
  const auto open = [&](std::size_t i) { return !found[i].writer && !found[i].whole; };
  for (std::uint64_t n = 1; n <= most_looked; ++n) {
    if (n % look_every == 0 && stop.stop_requested()) return;
    if (is_full()) return;
    const bool ended = !machine_->forward();
    const bool other_block = !ended && machine_->block_begin(machine_->position() - 1) != block;
    bool any = false;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!open(i)) continue;
      const simt::MachineFault& f = *wanted[i].second;
      found[i].whole = ended || (other_block && f.space == simt::Space::shared);
      if (found[i].whole) continue;
      found[i].looked = static_cast<std::int64_t>(n);
      const auto write =
          std::ranges::find_if(machine_->accesses(), [&](const simt::StepAccess& a) { return touches(a, f); });
      if (write != machine_->accesses().end()) {
        found[i].writer = site_of(*write);
        found[i].step = static_cast<std::int64_t>(machine_->position()) - 1;
      }
      any = any || open(i);
    }
    if (!any) return;
  }
}

}  // namespace ww::sim
