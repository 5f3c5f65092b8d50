// SPDX-License-Identifier: Apache-2.0
// Values of variables and registers, and steps that change them.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include "sim/stepper.h"
#include "sim/value_text.h"
#include "simt/module.h"

namespace ww::sim {
namespace {

using simt::Type;

bool holds(Relation relation, double value, double number) {
  switch (relation) {
    case Relation::equal: return value == number;
    case Relation::unequal: return value != number;
    case Relation::less: return value < number;
    case Relation::at_most: return value <= number;
    case Relation::greater: return value > number;
    case Relation::at_least: return value >= number;
  }
  return false;
}

}  // namespace

bool Stepper::has_variable(const std::string& name) const {
  for (const ptx::DebugFunction& f : debug_)
    for (const ptx::DebugVariable& v : f.variables)
      if (v.name == name && v.type != Type::none) return true;
  for (const simt::Function& f : program_->module().functions)
    for (const auto& r : f.registers)
      if (r.name == name) return true;
  return false;
}

std::optional<Reading> Stepper::reading(const std::string& variable, std::size_t warp) const {
  const simt::StepWarp w = machine_->warp(warp);
  if (w.frames.empty()) return std::nullopt;
  const simt::Function& f = *w.frames.back().function;
  if (const ptx::DebugFunction* const debug = debug_of(f)) {
    std::optional<Reading> out;  // of each lane the innermost that is in scope
    for (const ptx::DebugVariable& v : debug->variables)
      if (v.name == variable)
        if (const std::optional<Reading> one = reading(v, warp)) {
          if (!out) out.emplace(Reading{one->type, 0, {}});
          out->known |= one->known;
          for (unsigned lane = 0; lane < 32; ++lane)
            if ((one->known >> lane & 1) != 0) out->bits[lane] = one->bits[lane];
        }
    if (out) return out;
  }
  for (std::size_t i = 0; i < f.registers.size(); ++i) {
    if (f.registers[i].name != variable) continue;
    Reading out;
    out.type = f.registers[i].type;
    out.known = w.live;
    for (unsigned lane = 0; lane < 32; ++lane)
      out.bits[lane] = machine_->lane_value(warp, w.frames.size() - 1, i, lane);
    return out;
  }
  return std::nullopt;
}

const ptx::DebugFunction* Stepper::debug_of(const simt::Function& function) const {
  const auto at = std::ranges::find(debug_, function.name, &ptx::DebugFunction::name);
  return at == debug_.end() ? nullptr : &*at;
}

bool Stepper::read_place(const ptx::DebugPlace& place, const ptx::DebugVariable& variable, std::size_t warp,
                         unsigned lane, std::uint64_t& bits) const {
  const simt::StepWarp w = machine_->warp(warp);
  const simt::Function& f = *w.frames.back().function;
  if (place.kind == ptx::DebugPlace::Kind::register_) {
    const auto at = std::ranges::find(f.registers, place.name, &simt::Function::Register::name);
    if (at == f.registers.end()) return false;
    bits = machine_->lane_value(warp, w.frames.size() - 1, static_cast<std::size_t>(at - f.registers.begin()), lane);
    const unsigned bytes = simt::type_bytes(variable.type);  // the register may be wider
    if (bytes > 0 && bytes < 8) bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
    return true;
  }
  const std::size_t bytes = simt::type_bytes(variable.type);
  bits = 0;
  if (const auto shared = machine_->shared_place(place.name)) {
    const std::size_t at = *shared + static_cast<std::size_t>(place.offset);
    if (at + bytes > machine_->shared().size() || machine_->shared_written()[at] == 0) return false;
    std::memcpy(&bits, machine_->shared().data() + at, bytes);
    return true;
  }
  // The first variable in local memory is at its start; NVVM makes one for all.
  const auto local = std::ranges::find(f.variables, simt::Variable::Space::local, &simt::Variable::space);
  return local != f.variables.end() && local->name == place.name &&
         machine_->local_bytes(warp, w.frames.size() - 1, lane, static_cast<std::uint64_t>(place.offset),
                               std::as_writable_bytes(std::span(&bits, 1)).first(bytes));
}

// Lanes may be at different instructions, and a variable elsewhere at each.
std::optional<Reading> Stepper::reading(const ptx::DebugVariable& variable, std::size_t warp) const {
  Reading out;
  out.type = variable.type;
  if (variable.type == Type::none) return std::nullopt;
  const simt::StepWarp w = machine_->warp(warp);
  for (const simt::LaneGroup& group : w.frames.back().groups) {
    const int line = machine_->place(group.pc).ptx_line;
    if (line <= variable.after || line >= variable.before) continue;
    for (const ptx::DebugPlace& p : variable.places) {
      if (line <= p.after || line >= p.before) continue;
      for (unsigned lane = 0; lane < 32; ++lane)
        if ((group.mask >> lane & 1) != 0 && read_place(p, variable, warp, lane, out.bits[lane]))
          out.known |= 1u << lane;
      break;
    }
  }
  return out.known != 0 ? std::optional(out) : std::nullopt;
}

std::vector<VariableFacts> Stepper::variables(std::size_t warp) const {
  std::vector<VariableFacts> out;
  const simt::StepWarp w = machine_->warp(warp);
  const ptx::DebugFunction* const debug = w.frames.empty() ? nullptr : debug_of(*w.frames.back().function);
  if (debug == nullptr) return out;
  for (const ptx::DebugVariable& v : debug->variables) {
    const std::optional<Reading> now = reading(v, warp);
    if (!now) continue;
    VariableFacts f{v.name, v.type_name, fmt::format("{:#010x}", now->known), {}};
    for (unsigned lane = 0; lane < 32; ++lane)
      f.values.push_back((now->known >> lane & 1) != 0 ? value_text(now->type, now->bits[lane]) : std::string());
    std::erase_if(out, [&](const VariableFacts& outer) { return outer.name == f.name; });
    out.push_back(std::move(f));
  }
  return out;
}

void Stepper::look_before(std::span<Place> places) const {
  for (Place& p : places) {
    if (p.at->kind != StopKind::changes && p.at->kind != StopKind::holds) continue;
    const std::optional<simt::StepRecord> next = machine_->next(machine_->position());
    p.before = next ? reading(p.at->variable, next->warp) : std::nullopt;
  }
}

// Whether the last step made it so, in a lane that ran it.
bool Stepper::began(const Place& place, std::uint64_t position) const {
  const StopAt& at = *place.at;
  const simt::StepRecord& r = machine_->record(position - 1);
  const std::optional<Reading> now = reading(at.variable, r.warp);
  if (!place.before || !now) return false;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (((r.active & now->known & place.before->known) >> lane & 1) == 0) continue;
    if (at.thread >= 0 && static_cast<unsigned>(at.thread % 32) != lane) continue;
    const std::uint64_t before = place.before->bits[lane], after = now->bits[lane];
    if (at.kind == StopKind::changes && before != after) return true;
    if (at.kind == StopKind::holds && holds(at.relation, value_number(now->type, after), at.number) &&
        !holds(at.relation, value_number(place.before->type, before), at.number))
      return true;
  }
  return false;
}

}  // namespace ww::sim
