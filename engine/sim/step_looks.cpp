// SPDX-License-Identifier: Apache-2.0
// What is worked out of a stepped launch beside its state: live registers, totals, and what a thread writes next.
#include <bit>
#include "sim/placed.h"
#include "sim/register_names.h"
#include "sim/stepper.h"
#include "simt/module.h"

namespace ww::sim {

const std::vector<std::string>& Stepper::names_in(const simt::Function& function) const {
  const auto at = names_.find(&function);
  if (at != names_.end()) return at->second;
  std::vector<std::string> parameters;
  if (function.name == kernel_)
    for (const JobArgument& a : job_.args) parameters.push_back(a.parameter);
  return names_[&function] = register_names(function, parameters);
}

std::optional<LiveFacts> Stepper::live(std::size_t warp) {
  const simt::StepWarp w = machine_->warp(warp);
  if (w.frames.empty() || w.frames.back().groups.empty()) return std::nullopt;
  const simt::StepPlace at = machine_->place(w.frames.back().groups.front().pc);
  if (at.instruction == nullptr) return std::nullopt;
  const simt::Function& f = *at.function;
  const Liveness& liveness = liveness_.try_emplace(&f, f).first->second;
  const std::vector<std::uint32_t> registers =
      liveness.before(static_cast<std::size_t>(at.instruction - f.body.data()));
  LiveFacts out;
  for (const std::uint32_t r : registers) out.registers.push_back(f.registers[r].name);
  out.words = liveness.words(registers);
  out.most_words = liveness.most_words();
  return out;
}

StepTotals Stepper::totals() const {
  StepTotals& t = known_totals_;
  const auto add = [&](std::uint64_t step, std::int64_t sign) {
    const simt::StepRecord& r = machine_->record(step);
    t.steps += sign;
    t.lanes += sign * std::popcount(r.active);
    t.bytes += sign * r.bytes;
    t.sectors += sign * r.sectors;
    t.wavefronts += sign * r.wavefronts;
    t.conflicts += sign * r.conflicts;
    t.barriers += r.released ? sign : 0;
    t.partial += r.mask != ~0u ? sign : 0;
  };
  const auto here = static_cast<std::int64_t>(machine_->position());
  while (t.steps < here) add(static_cast<std::uint64_t>(t.steps), 1);
  while (t.steps > here) add(static_cast<std::uint64_t>(t.steps - 1), -1);
  return t;
}

std::optional<NextWrite> Stepper::write_of(int thread) const {
  const std::uint64_t here = machine_->position();
  if (here == 0 || machine_->record(here - 1).warp != thread / 32) return std::nullopt;
  for (const simt::StepAccess& a : machine_->accesses()) {
    if (a.space != simt::Space::global || a.kind == simt::AccessKind::read || a.lane != thread % 32) continue;
    for (const PlacedJob::Buffer& b : placed_->buffers) {
      if (a.address < b.address || a.address >= b.address + static_cast<std::uint64_t>(b.what->bytes)) continue;
      const auto type = dtype_from_name(b.what->type);
      const std::uint64_t element = type ? dtype_size(*type) : 1;
      return NextWrite{static_cast<std::int64_t>(here - 1), b.what->name,
                       static_cast<std::int64_t>((a.address - b.address) / element)};
    }
  }
  return std::nullopt;
}

std::optional<NextWrite> Stepper::next_write(int thread) {
  const std::uint64_t here = machine_->position(), recorded = machine_->recorded();
  const std::uint64_t block = machine_->block_begin(here);
  KnownWrite& k = known_write_;
  const auto until = k.write ? static_cast<std::uint64_t>(k.write->step) : k.recorded;
  const bool known =
      k.thread == thread && k.block == block && k.from <= here && here <= until && (k.write || k.recorded == recorded);
  if (known) return k.write;
  k = {thread, block, here, recorded, std::nullopt};
  while (!k.write && machine_->position() < recorded && machine_->forward()) {
    if (machine_->block_begin(machine_->position() - 1) != block) break;
    k.write = write_of(thread);
  }
  machine_->jump(here);
  return k.write;
}

}  // namespace ww::sim
