// SPDX-License-Identifier: Apache-2.0
// Register frames: a worker's storage, calls and returns, and the few functions that a kernel expects from its
// environment.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include "simt/block.h"
#include "simt/frame.h"
#include "simt/shared_races.h"
#include "simt/thread_races.h"

namespace ww::simt {
namespace {

constexpr std::size_t max_call_depth = 1024;

std::unique_ptr<std::byte, void (*)(std::byte*)> aligned_bytes(std::size_t bytes) {
  const std::size_t room = (std::max<std::size_t>(bytes, 64) + 63) / 64 * 64;
  auto* const p = static_cast<std::byte*>(std::aligned_alloc(64, room));
  if (p == nullptr) throw std::bad_alloc();
  return {p, [](std::byte* q) { std::free(q); }};
}

void fill_constant(std::byte* frame, const Constant& c, std::uint64_t value) {
  std::byte* const at = frame + c.at;
  for (unsigned i = 0; i < warp_lanes; ++i) std::memcpy(at + std::size_t{i} * c.bytes, &value, c.bytes);
}

}  // namespace

Worker::Worker(LaunchState& launch, int number) : launch_(launch), number_(number) {
  const Decoded& code = launch.code;
  if (launch.options.counters) counts_.resize(code.ops.size());
  reached_.resize(code.ops.size());
  cache_.assign(buffer_cache_size, empty_buffer());
  shared_ = aligned_bytes(launch.shared_bytes);
  std::memset(shared_.get(), launch.around.garbage, launch.shared_bytes);
  const bool full = launch.options.checks == Checks::full;
  if (full) shared_init_.resize(launch.shared_bytes + 1);
  const auto warps = static_cast<std::uint32_t>((launch.config.block.count() + warp_lanes - 1) / warp_lanes);
  if (launch.races)
    races_ = make_thread_races(launch.races, warps, {shared_.get(), launch.shared_bytes});
  else if (full && launch.options.races == Races::warps && launch.shared_bytes > 0 && warps > 1)
    races_ = std::make_unique<SharedRaces>(launch.shared_bytes, warps);
  const Joins& joins = code.functions[launch.kernel].joins;
  if (full && launch.options.synchronisation && !joins.pcs.empty()) joins_ = &joins;
  x_.code = code.ops.data();
  x_.lists = code.lists.data();
  x_.counts = counts_.empty() ? nullptr : counts_.data();
  x_.reached = reached_.data();
  x_.buffers = cache_.data();
  x_.shared = shared_.get();
  x_.shared_init = full ? shared_init_.data() : nullptr;
  x_.shared_size = launch.shared_bytes;
  x_.races = races_.get();
  x_.races_everywhere = launch.races != nullptr;
  x_.uninitialised = full && launch.options.uninitialised;
  x_.local_stride = launch.local_stride;
  x_.params = launch.config.params.data();
  x_.param_size = static_cast<std::uint32_t>(launch.config.params.size());
  x_.full = full;
  if (full && launch.options.races == Races::warps) x_.releases = &launch.releases;
  drawn_ = splitmix(launch.options.surroundings);
  x_.inexact = launch.options.inexact;
  x_.takes_turns = launch.turns != nullptr;
  if (const std::uint32_t seed = launch.options.order.atomic_lanes; seed != 0) {
    x_.first_lane = seed % warp_lanes;
    x_.lane_step = (seed / warp_lanes % warp_lanes) | 1;
  }
  x_.garbage = 0x01010101u * launch.around.garbage;
  x_.shared_at += launch.around.shared_window;
  x_.local_at += launch.around.local_window;
  x_.block = &block_;
  x_.memory = &launch.memory;
  x_.worker = this;
  prepare_warps();
}

Worker::~Worker() = default;

void Worker::prepare_warps() {
  const Dim3& dim = launch_.config.block;
  block_.threads = static_cast<std::uint32_t>(dim.count());
  const std::uint32_t n = (block_.threads + warp_lanes - 1) / warp_lanes;
  block_.warps = std::vector<Warp>(n);
  const std::size_t local_bytes = std::size_t{launch_.local_stride} * warp_lanes;
  local_ = aligned_bytes(local_bytes * n);
  std::memset(local_.get(), launch_.around.garbage, local_bytes * n);
  if (x_.full) local_init_.resize(local_bytes * n + 1);
  for (std::uint32_t i = 0; i < n; ++i) {
    Warp& w = block_.warps[i];
    w.index = i;
    w.local = local_.get() + i * local_bytes;
    w.local_init = x_.full ? local_init_.data() + i * local_bytes : nullptr;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      const std::uint32_t t = i * warp_lanes + lane;
      if (t >= block_.threads) break;
      w.lanes |= 1u << lane;
      w.tid[0][lane] = t % dim.x;
      w.tid[1][lane] = t / dim.x % dim.y;
      w.tid[2][lane] = t / dim.x / dim.y;
    }
    grow(w, launch_.code.functions[launch_.kernel].frame_bytes);
    enter_frame(w, launch_.kernel, 0, 0, w.lanes);
  }
}

void Worker::grow(Warp& w, std::size_t bytes) {
  if (bytes <= w.room) return;
  const std::size_t room = std::max(bytes, w.room * 2);
  auto bigger = aligned_bytes(room);
  std::memset(bigger.get(), launch_.around.garbage, room);
  if (w.registers != nullptr) std::memcpy(bigger.get(), w.registers, w.room);
  w.storage = std::move(bigger);
  w.registers = w.storage.get();
  w.room = room;
}

void Worker::enter_frame(Warp& w, std::uint32_t function, std::uint32_t base, std::uint32_t local_base,
                         std::uint32_t mask) {
  const FunctionCode& f = launch_.code.functions[function];
  std::byte* const frame = w.registers + base;
  const std::uint32_t header[2] = {full_mask, 0};
  std::memcpy(frame, header, sizeof header);
  const auto& values = launch_.constants[function];
  for (std::size_t i = 0; i < f.constants.size(); ++i) {
    const Constant& c = f.constants[i];
    fill_constant(frame, c, c.kind == Constant::Kind::local ? values[i] + local_base : values[i]);
  }
  for (const FunctionCode::Clear& c : f.clears) std::memset(frame + c.at, launch_.around.garbage, c.bytes);
  if (w.local_init != nullptr && f.local_bytes != 0)
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane)
      if (((mask >> lane) & 1) != 0)
        std::memset(w.local_init + std::size_t{lane} * launch_.local_stride + local_base, 0, f.local_bytes);
}

void Worker::use_frame(Warp& w) {
  const CallFrame& f = w.frames.back();
  x_.warp = &w;
  x_.r = w.registers + f.base;
  x_.local = w.local;
  x_.local_init = w.local_init;
  x_.local_size = f.local_base + launch_.code.functions[f.function].local_bytes;
}

void Worker::start_block(std::uint64_t ordinal) {
  const Dim3& grid = launch_.config.grid;
  block_.ordinal = ordinal;
  block_.index = {static_cast<std::uint32_t>(ordinal % grid.x), static_cast<std::uint32_t>(ordinal / grid.x % grid.y),
                  static_cast<std::uint32_t>(ordinal / grid.x / grid.y)};
  block_.live = block_.threads;
  block_began_ = steps_;
  waited_ = 0;
  (void)waited();  // each block is somewhere else in time
  if (x_.releases != nullptr) x_.releases->begin_block(x_);
  for (Barrier& b : block_.barriers) b = Barrier{};
  block_.barriers_used = 0;
  if (launch_.around.garbage != 0) std::memset(shared_.get(), launch_.around.garbage, launch_.shared_bytes);
  if (x_.full) std::memset(shared_init_.data(), 0, shared_init_.size());
  if (races_) races_->begin_block(ordinal);
  const FunctionCode& f = launch_.code.functions[launch_.kernel];
  for (Warp& w : block_.warps) {
    w.state = Warp::State::ready;
    w.live = w.lanes;
    w.spins = w.fair = w.turn = 0;
    w.steps = 0;
    w.circle = {};
    w.past.assign(joins_ == nullptr ? 0 : joins_->pcs.size(), 0);
    w.pending.clear();
    std::ranges::fill(w.bulk_group, 0u);
    CallFrame frame;
    frame.function = launch_.kernel;
    w.frames.assign(1, frame);
    w.entries.assign(1, Entry{f.entry, w.lanes});
    // Constants of the kernel's own frame never change; only what might be read before it is written does.
    for (const FunctionCode::Clear& c : f.clears) std::memset(w.registers + c.at, launch_.around.garbage, c.bytes);
    std::memset(w.registers + carry_offset, 0, 4);
    if (w.local_init != nullptr && f.local_bytes != 0)
      for (std::uint32_t lane = 0; lane < warp_lanes; ++lane)
        std::memset(w.local_init + std::size_t{lane} * launch_.local_stride, 0, f.local_bytes);
  }
}

bool Worker::call(Warp& w, const Op& op, std::uint32_t pc, std::uint32_t mask, std::uint32_t active) {
  const CallSite& site = launch_.code.calls[op.target];
  if (site.builtin != 0) {
    builtin(w, op, site, active);
    return false;
  }
  FaultSite fault;
  fault.kind = FaultKind::invalid_instruction;
  fault.lane = static_cast<unsigned>(std::countr_zero(active));
  auto callee = static_cast<std::uint32_t>(site.function);
  if (site.function < 0) {  // the lanes that call the first one's target go now, the others when these are back
    const std::uint64_t* const targets = x_.at<std::uint64_t>(op.a);
    const std::uint64_t target = targets[fault.lane];
    const std::uint64_t index = (target - function_base) / 16;
    if (target < function_base || index >= launch_.code.functions.size() || (target & 15) != 0)
      raise(op, fault, "the call's target is not a function");
    callee = static_cast<std::uint32_t>(index);
    const FunctionCode& f = launch_.code.functions[callee];
    const auto same_sizes = [](const auto& a, const auto& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [](const auto& p, const auto& q) { return p.bytes == q.bytes; });
    };
    if (!f.has_body || f.is_entry || !same_sizes(f.params, site.arguments) || !same_sizes(f.returns, site.results))
      raise(op, fault, "the called function has a different signature");
    std::uint32_t same = 0;
    for (unsigned i = 0; i < warp_lanes; ++i) same |= targets[i] == target ? (1u << i) & active : 0u;
    if (same != active) w.put(pc, active & ~same);
    mask &= ~(active & ~same);
    active = same;
  }
  const CallFrame& from = w.frames.back();
  const FunctionCode &caller = launch_.code.functions[from.function], &f = launch_.code.functions[callee];
  CallFrame to;
  to.function = callee;
  to.base = from.base + caller.frame_bytes;
  to.return_pc = pc + 1;
  to.resume_mask = mask;
  to.call_mask = active;
  to.call_site = op.target;
  to.first_entry = w.entries.size();
  to.local_base = from.local_base + caller.local_bytes;
  if (w.frames.size() >= max_call_depth || to.local_base + f.local_bytes > launch_.local_stride) {
    fault.kind = FaultKind::stack_overflow;
    raise(op, fault);
  }
  const std::uint32_t from_base = from.base;
  grow(w, std::size_t{to.base} + f.frame_bytes);
  enter_frame(w, callee, to.base, to.local_base, active);
  const std::byte* const arguments = w.registers + from_base + caller.param_at;
  std::byte* const formals = w.registers + to.base + f.param_at;
  for (std::size_t k = 0; k < site.arguments.size(); ++k)
    for (unsigned i = 0; i < warp_lanes; ++i)
      if (((active >> i) & 1) != 0)
        std::memcpy(formals + std::size_t{i} * f.param_bytes + f.params[k].at,
                    arguments + std::size_t{i} * caller.param_bytes + site.arguments[k].at, site.arguments[k].bytes);
  w.frames.push_back(to);
  w.put(f.entry, active);
  return true;
}

void Worker::leave_frame(Warp& w) {
  const CallFrame done = w.frames.back();
  w.frames.pop_back();
  const CallFrame& to = w.frames.back();
  const FunctionCode &f = launch_.code.functions[done.function], &caller = launch_.code.functions[to.function];
  const CallSite& site = launch_.code.calls[done.call_site];
  const std::byte* const returns = w.registers + done.base + f.param_at;
  std::byte* const results = w.registers + to.base + caller.param_at;
  for (std::size_t k = 0; k < site.results.size(); ++k)
    for (unsigned i = 0; i < warp_lanes; ++i)
      if (((done.call_mask >> i) & 1) != 0)
        std::memcpy(results + std::size_t{i} * caller.param_bytes + site.results[k].at,
                    returns + std::size_t{i} * f.param_bytes + f.returns[k].at, site.results[k].bytes);
  w.put(done.return_pc, done.resume_mask & w.live);
}

void Worker::builtin(Warp& w, const Op& op, const CallSite& site, std::uint32_t active) {
  const FunctionCode& f = launch_.code.functions[w.frames.back().function];
  std::byte* const area = x_.r + f.param_at;
  for (std::uint32_t m = active; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    std::byte* const mine = area + std::size_t{lane} * f.param_bytes;
    const auto argument = [&](std::size_t k) {
      std::uint64_t v = 0;
      std::memcpy(&v, mine + site.arguments[k].at, site.arguments[k].bytes);
      return v;
    };
    const auto result = [&](std::uint64_t v) {
      if (!site.results.empty()) std::memcpy(mine + site.results[0].at, &v, site.results[0].bytes);
    };
    FaultSite fault;
    fault.lane = lane;
    switch (site.builtin) {
      case 1: {
        const std::string text = format_printf(x_, op, lane, argument(0), argument(1));
        const std::scoped_lock lock(launch_.mutex);
        const std::size_t room =
            launch_.options.printf_bytes - std::min(launch_.options.printf_bytes, launch_.printed.size());
        launch_.printed.append(text, 0, room);
        launch_.printed_truncated = launch_.printed_truncated || text.size() > room;
        result(text.size());
        break;
      }
      case 2: fault.kind = FaultKind::assertion; raise_text(op, fault, read_text(x_, op, lane, argument(0), 512));
      case 3: {
        const std::unique_lock lock(launch_.memory.mutex);
        auto b = launch_.memory.allocate(argument(0), "malloc", launch_.program.id, true);
        result(b ? (*b)->address : 0);
        break;
      }
      default: {
        const std::uint64_t address = argument(0);
        if (address == 0) break;
        const std::unique_lock lock(launch_.memory.mutex);
        if (!launch_.memory.free(address, true)) {
          fault.kind = FaultKind::double_free;
          fault.address = address;
          fault.space = Space::global;
          raise(op, fault);
        }
      }
    }
  }
}

}  // namespace ww::simt
