// SPDX-License-Identifier: Apache-2.0
// Faults as text: what happened, to which buffer, by which thread, at which line.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include "simt/address_origin.h"
#include "simt/block.h"
#include "simt/decode.h"

namespace ww::simt {
namespace {

std::string hex(std::uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, v);
  return text;
}
std::string triple(const std::uint32_t (&d)[3]) {
  return "(" + std::to_string(d[0]) + "," + std::to_string(d[1]) + "," + std::to_string(d[2]) + ")";
}
void set(std::uint32_t (&to)[3], const Dim3& d) {
  to[0] = d.x;
  to[1] = d.y;
  to[2] = d.z;
}
std::string bytes_text(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

// The position of an address relative to an object of `size` bytes.
std::string relation(std::int64_t offset, std::size_t size, std::size_t access) {
  if (offset < 0) return bytes_text(static_cast<std::uint64_t>(-offset)) + " before the start of ";
  const auto o = static_cast<std::uint64_t>(offset);
  if (o >= size) return bytes_text(o - size) + " past the end of ";
  if (o + access > size) return "at byte " + std::to_string(o) + ", reaching past the end of ";
  return "at byte " + std::to_string(o) + " of ";
}

// The buffer whose address the access was computed from, if that is one; null: not known.
const Buffer* meant_buffer(const LaunchState& launch, const OpInfo& info) {
  const Function& function = launch.program.module.functions[info.function];
  if (!function.is_entry || info.instruction >= function.body.size()) return nullptr;
  std::vector<std::size_t> offsets;
  layout_params(function.params, offsets);
  const Buffer* found = nullptr;
  for (const std::size_t p : address_parameters(function, info.instruction)) {
    std::uint64_t address = 0;
    if (function.params[p].bytes() != sizeof address) continue;
    std::memcpy(&address, launch.config.params.data() + offsets[p], sizeof address);
    const Buffer* const b = launch.memory.find(address);
    if (b != nullptr && found != nullptr && b != found) return nullptr;
    if (b != nullptr) found = b;
  }
  return found;
}

// Fills in the buffer of a fault at a place in memory; the place in words.
std::string place_of(const LaunchState& launch, const Exec& x, const FaultSite& site, const OpInfo& info,
                     MachineFault& f) {
  if (site.space == Space::shared || site.space == Space::local || site.space == Space::param) {
    f.buffer = site.space == Space::shared  ? "shared memory"
               : site.space == Space::local ? "local memory"
                                            : "kernel parameters";
    const std::size_t size = site.space == Space::shared  ? x.shared_size
                             : site.space == Space::local ? x.local_size
                                                          : x.param_size;
    f.offset = static_cast<std::int64_t>(site.address);
    if (site.address >> 32 == 0 && (site.address >> 31) != 0)
      f.offset = static_cast<std::int32_t>(site.address);  // a small negative offset in 32 bits
    return relation(f.offset, size, site.bytes) + f.buffer + " (" + bytes_text(size) + ")";
  }
  if (site.space != Space::none) {
    const std::shared_lock lock(launch.memory.mutex);
    bool freed = false;
    const Buffer* const meant = site.kind == FaultKind::out_of_bounds ? meant_buffer(launch, info) : nullptr;
    const Buffer* const near = launch.memory.nearest(site.address, freed);
    if (const Buffer* const b = meant != nullptr && !freed ? meant : near) {
      f.buffer = b->name;
      const std::size_t size = b->original_size;
      f.offset = static_cast<std::int64_t>(site.address - b->address);
      return hex(site.address) + ", " + relation(f.offset, size, site.bytes) + "\"" + b->name + "\" (" +
             bytes_text(size) + (freed ? ", freed before)" : ")");
    }
    return hex(site.address);
  }
  return {};
}

std::string value_text(const MachineFault::Value& v) { return v.bytes == 0 ? "" : " (" + hex(v.bits) + ")"; }

// The access that came first, of a race.
std::string other_text(const MachineFault& f) {
  const MachineFault::Other& o = *f.other;
  const bool same_block = std::equal(std::begin(o.block), std::end(o.block), f.block);
  std::string text = "that ";
  text += o.thread_known ? "thread " + triple(o.thread) : "warp " + std::to_string(o.warp);
  text += same_block ? " of its block" : " of block " + triple(o.block);
  text += o.is_write ? " wrote" : " read";
  if (o.thread_known) text += value_text(o.value);
  if (o.line > 0)
    text += " at line " + std::to_string(o.line);
  else if (o.thread_known && o.ptx_line > 0)
    text += " at PTX line " + std::to_string(o.ptx_line);
  return text + ", and nothing orders the two";
}

std::string happened(const MachineFault& f, const FaultSignal& signal, const std::string& place, std::uint64_t budget) {
  const FaultSite& site = signal.site;
  const std::string verb = std::string(site.is_write ? "writes " : "reads ") + bytes_text(site.bytes);
  const std::string thread = "Thread " + triple(f.thread) + " of block " + triple(f.block);
  switch (site.kind) {
    case FaultKind::out_of_bounds: return thread + " " + verb + " out of bounds: " + place;
    case FaultKind::misaligned: return thread + " " + verb + " at a misaligned address: " + place;
    case FaultKind::uninitialised_read: return thread + " reads memory that was never written: " + place;
    case FaultKind::read_only_write: return thread + " writes to read-only memory: " + place;
    case FaultKind::null_pointer: return thread + " " + verb + " through a null pointer (" + hex(site.address) + ")";
    case FaultKind::barrier_divergence: return thread + " waits at a barrier, but";
    case FaultKind::deadlock: return thread + " waits forever:";
    case FaultKind::budget_exceeded:
      return "The kernel used up its budget of " + std::to_string(budget) + " warp instructions (an infinite loop?); " +
             "block " + triple(f.block) + " was running";
    case FaultKind::unsupported: return "The machine does not execute";
    case FaultKind::trap: return thread + " executed a trap";
    case FaultKind::assertion: return thread + " failed an assertion:";
    case FaultKind::stack_overflow: return thread + " calls too deeply: its stack is full";
    case FaultKind::invalid_instruction: return thread + " used an instruction wrongly:";
    case FaultKind::double_free:
      return thread + " frees an address that malloc did not return or that is free already (" + hex(site.address) +
             ")";
    case FaultKind::out_of_memory: return thread + " found no memory";
    case FaultKind::race:
      if (f.other)
        return thread + " " + verb + (f.other->thread_known ? value_text(f.value) : "") + " " + other_text(f) + ": " +
               place;
      return thread + (site.is_write ? " writes another value over" : " reads") +
             " what another block of the launch has written, and nothing orders the two: " + place;
    default: break;  // not the machine's
  }
  return thread;
}

}  // namespace

void raise_text(const Op& op, const FaultSite& site, std::string text) {
  thread_local std::string kept;  // until describe_fault() on this thread
  kept = std::move(text);
  raise(op, site, kept.empty() ? nullptr : kept.c_str());
}

std::string_view space_name(Space space) {
  switch (space) {
    case Space::none: return "none";
    case Space::global: return "global";
    case Space::shared: return "shared";
    case Space::local: return "local";
    case Space::constant: return "constant";
    case Space::param: return "param";
    case Space::generic: return "generic";
  }
  return "unknown";
}

void report(Exec& x, const Op& op, const FaultSite& site, const char* text) {
  Worker& worker = *static_cast<Worker*>(x.worker);
  LaunchState& launch = worker.launch();
  if (launch.repeats) return;
  if (!launch.options.goes_on) raise_text(op, site, text == nullptr ? std::string() : text);
  const auto pc = static_cast<std::uint32_t>(&op - launch.code.ops.data());
  const std::lock_guard lock(launch.mutex);
  const bool fits = launch.findings.size() < most_findings;
  if (!fits || !launch.found.insert({site.kind, pc, site.other.known ? site.other.pc : pc}).second) {
    ++launch.further_findings;
    return;
  }
  launch.findings.push_back(describe_fault(worker, x, {site, &op, text}));
}

// Null: it belongs to none.
static const Instruction* instruction_of(const LaunchState& launch, const OpInfo& info) {
  const std::vector<Instruction>& body = launch.program.module.functions[info.function].body;
  return info.instruction < body.size() ? &body[info.instruction] : nullptr;
}

template <class Place>
static void set_instruction(Place& place, const LaunchState& launch, const OpInfo& info) {
  const Instruction* i = instruction_of(launch, info);
  if (i == nullptr) return;
  place.line = i->source_line;
  place.ptx_line = i->line;
  place.instruction = i->opcode();
}

void note_watched_write(Exec& x, const Op& op, unsigned lane, std::uint64_t address, std::size_t bytes) {
  Worker& worker = *static_cast<Worker*>(x.worker);
  LaunchState& launch = worker.launch();
  const WatchedBytes& watch = launch.options.watch;
  if (watch.bytes == 0) return;
  if (address + bytes <= watch.address || address >= watch.address + watch.bytes) return;
  const OpInfo& info = launch.code.info[static_cast<std::size_t>(&op - launch.code.ops.data())];
  MachineWrite w;
  w.kernel = launch.program.module.functions[launch.kernel].name;
  if (const Instruction* i = instruction_of(launch, info)) {
    w.ptx_line = i->line;
    w.line = i->source_line;
  }
  set(w.block, worker.block().index);
  for (int d = 0; d < 3; ++d) w.thread[d] = x.warp->tid[d][lane];
  const std::lock_guard lock(launch.mutex);
  launch.watched = std::move(w);
}

static MachineFault::Other describe_other(const LaunchState& launch, const FaultSite& site) {
  const OtherAccess& from = site.other;
  MachineFault::Other o;
  const Dim3 &grid = launch.config.grid, &block = launch.config.block;
  const std::uint64_t columns = grid.x, rows = grid.y;
  set(o.block,
      {static_cast<std::uint32_t>(from.block % columns), static_cast<std::uint32_t>(from.block / columns % rows),
       static_cast<std::uint32_t>(from.block / columns / rows)});
  set(o.thread, {from.thread % block.x, from.thread / block.x % block.y, from.thread / block.x / block.y});
  o.warp = from.thread / warp_lanes;
  o.thread_known = from.thread_known;
  o.is_write = from.wrote;
  o.value = site.other_value;
  set_instruction(o, launch, launch.code.info[from.pc]);
  return o;
}

MachineFault describe_fault(Worker& worker, const Exec& x, const FaultSignal& signal) {
  const LaunchState& launch = worker.launch();
  const FaultSite& site = signal.site;
  MachineFault f;
  f.kind = site.kind;
  f.kernel = launch.program.module.functions[launch.kernel].name;
  set(f.block, worker.block().index);
  f.space = site.space;
  f.address = site.address;
  f.access_bytes = site.bytes;
  f.is_write = site.is_write;
  if (signal.op == nullptr) {
    f.kind = FaultKind::deadlock;
    f.message = "Deadlock in block " + triple(f.block) + ": no thread can go on.";
    return f;
  }
  const OpInfo& info = launch.code.info[static_cast<std::size_t>(signal.op - launch.code.ops.data())];
  set_instruction(f, launch, info);
  if (x.warp != nullptr)
    for (int d = 0; d < 3; ++d) f.thread[d] = x.warp->tid[d][site.lane];
  f.value = site.value;
  if (site.other.known) f.other = describe_other(launch, site);

  const std::string place = place_of(launch, x, site, info, f);
  f.message = happened(f, signal, place, launch.options.instruction_budget);
  if (f.kind == FaultKind::null_pointer) {
    f.buffer.clear();
    f.offset = 0;
  }
  if (signal.text != nullptr) f.message += std::string(" ") + signal.text;
  if (f.line > 0)
    f.message += ", line " + std::to_string(f.line);
  else if (f.ptx_line > 0)
    f.message += ", PTX line " + std::to_string(f.ptx_line);
  f.message += ".";
  return f;
}

}  // namespace ww::simt
