// SPDX-License-Identifier: Apache-2.0
#include "simt/launch.h"
#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include "base/parallel.h"
#include "simt/block.h"
#include "simt/decode.h"
#include "simt/prepare.h"
#include "simt/tally.h"
#include "simt/thread_races.h"

namespace ww::simt {
namespace {

constexpr std::size_t max_shared = 227 << 10;  // bytes per block: the most that any device offers (sm_90)
constexpr std::size_t max_static_shared = 48 << 10;
constexpr std::uint32_t max_threads = 1024;
constexpr int most_in_turns = 4;  // blocks

Status check(const KernelInfo& k, const LaunchConfig& c, const Dim3& first) {
  const auto bad = [&](const std::string& text) { return fail(Code::invalid_argument, k.name + ": " + text); };
  if (c.grid.count() == 0) return bad("the grid is empty");
  if (c.block.count() == 0) return bad("the block is empty");
  if (c.grid.x > 0x7fffffffu || c.grid.y > 65535 || c.grid.z > 65535)
    return bad("the grid is larger than 2147483647 x 65535 x 65535");
  if (first.x >= c.grid.x || first.y >= c.grid.y || first.z >= c.grid.z)
    return bad("the first block is not in the grid");
  if (c.block.x > 1024 || c.block.y > 1024 || c.block.z > 64 || c.block.count() > max_threads)
    return bad("the block has " + std::to_string(c.block.count()) + " threads (at most 1024, and 64 in z)");
  const auto text = [](const Dims& d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
  };
  if (k.reqntid.x != 0 && (k.reqntid.x != c.block.x || k.reqntid.y != c.block.y || k.reqntid.z != c.block.z))
    return bad("it is compiled for blocks of exactly " + text(k.reqntid) + " threads");
  if (k.maxntid.x != 0 && c.block.count() > std::uint64_t{k.maxntid.x} * k.maxntid.y * k.maxntid.z)
    return bad("its launch bounds allow " + text(k.maxntid) + " threads, the block has " +
               std::to_string(c.block.count()));
  if (k.static_shared > max_static_shared)
    return bad("it declares " + std::to_string(k.static_shared) + " bytes of static shared memory (at most 49152)");
  if (c.dynamic_shared > max_shared || k.static_shared + c.dynamic_shared > max_shared)
    return bad("it asks for " + std::to_string(k.static_shared + c.dynamic_shared) +
               " bytes of shared memory (at most 232448)");
  if (c.params.size() != k.param_bytes)
    return bad("it takes " + std::to_string(k.param_bytes) + " bytes of parameters, not " +
               std::to_string(c.params.size()));
  if (k.cluster.x != 0 && (c.grid.x % k.cluster.x != 0 || c.grid.y % std::max(k.cluster.y, 1u) != 0 ||
                           c.grid.z % std::max(k.cluster.z, 1u) != 0))
    return bad("the grid is not a multiple of the cluster of " + text(k.cluster));
  return {};
}

// Calls that may recurse, or whose targets are unknown, need memory that the text does not determine.
bool may_recurse(const Decoded& code, const std::vector<std::uint32_t>& functions) {
  for (const std::uint32_t f : functions) {
    if (code.functions[f].calls_indirectly) return true;
    std::vector<bool> seen(code.functions.size());
    std::vector<std::uint32_t> open = code.functions[f].callees;
    while (!open.empty()) {
      const std::uint32_t g = open.back();
      open.pop_back();
      if (g == f) return true;
      if (seen[g]) continue;
      seen[g] = true;
      open.insert(open.end(), code.functions[g].callees.begin(), code.functions[g].callees.end());
    }
  }
  return false;
}

void resolve(LaunchState& state, const std::vector<std::uint32_t>& functions, const std::vector<std::uint32_t>& shared,
             const Memory::State::Instance& instance) {
  state.constants.resize(state.code.functions.size());
  for (const std::uint32_t f : functions) {
    for (const Constant& c : state.code.functions[f].constants) {
      auto value = static_cast<std::uint64_t>(c.value);
      if (c.kind == Constant::Kind::variable)
        value += instance.variables[c.index];
      else if (c.kind == Constant::Kind::shared)
        value += shared[c.index];
      state.constants[f].push_back(value);
    }
  }
}

ptx::Reach reach_of(const ProgramData& program, const Decoded& code, const std::vector<std::uint32_t>& functions,
                    const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<std::uint8_t> reached(code.ops.size());
  for (const auto& w : workers)
    for (std::size_t pc = 0; pc < reached.size(); ++pc) reached[pc] |= w->reached()[pc];
  ptx::Reach reach;
  reach.lines.resize(program.module.source_of_line.size());
  for (const std::uint32_t f : functions)
    for (std::uint32_t pc = code.functions[f].entry; pc < code.functions[f].end; ++pc) {
      const OpInfo& info = code.info[pc];
      const Function& function = program.module.functions[info.function];
      if ((code.ops[pc].flags & op_micro) != 0 || info.instruction >= function.body.size()) continue;
      reach.add(function.body[info.instruction].line, static_cast<std::uint8_t>(ptx::reach_known | reached[pc]));
    }
  return reach;
}

// Whether blocks find their places by atomic operations, or, with `polls`, wait for each other in any way.
bool meet(const Decoded& code, const std::vector<std::uint32_t>& functions, bool polls) {
  return std::ranges::any_of(functions, [&](std::uint32_t f) {
    for (std::uint32_t pc = code.functions[f].entry; pc < code.functions[f].end; ++pc)
      if (code.info[pc].is_atomic || (polls && (code.ops[pc].flags & op_polls) != 0)) return true;
    return false;
  });
}

// False: the host does not have enough memory, or threads.
bool run_all(LaunchState& state, const std::vector<std::unique_ptr<Worker>>& workers) {
  std::atomic<bool> exhausted{false};
  const auto run = [&](std::size_t i) {
    try {
      if (state.turns) state.turns->begin(static_cast<int>(i));
      workers[i]->run();
    } catch (const std::bad_alloc&) {
      exhausted = true;
      state.stop = true;
    }
    if (state.turns) state.turns->end(static_cast<int>(i));
  };
  if (!state.turns) {
    parallel_for(workers.size(), 1, static_cast<int>(workers.size()), [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) run(i);
    });
    return !exhausted;
  }
  std::vector<std::jthread> others;  // that wait for each other: all must run
  for (std::size_t i = 1; i < workers.size(); ++i) {
    try {
      others.emplace_back(run, i);
    } catch (const std::system_error&) {
      exhausted = true;
      state.stop = true;
      state.turns->end(static_cast<int>(i));
    }
  }
  run(0);
  others.clear();
  return !exhausted;
}

}  // namespace

Result<Prepared> prepare(const Program& program, std::string_view kernel, const LaunchConfig& config, Memory& memory,
                         const LaunchOptions& options) {
  Prepared made;
  made.kernel = program.kernel(kernel);
  if (made.kernel == nullptr) return fail(Code::not_found, "the program has no kernel " + std::string(kernel));
  const KernelInfo& info = *made.kernel;
  if (!info.unsupported.empty() && !options.unsupported_on_use)
    return fail(Code::unsupported, info.unsupported.front());
  WW_TRY(check(info, config, options.first_block));
  const auto index = static_cast<std::uint32_t>(program.module().function_index.find(kernel)->second);
  const ProgramData& data = program.data();
  const unsigned level = (options.checks == Checks::full ? level_full : 0u) | (options.counters ? level_counters : 0u);
  const Decoded& code = data.decoded(level);
  made.functions = reachable(data.module, code, index);
  const auto& functions = made.functions;
  std::size_t static_shared = 0;
  const auto shared = shared_layout(code, functions, static_shared);
  const std::uint64_t blocks_of_cluster =
      info.cluster.x == 0 ? 1 : std::uint64_t{info.cluster.x} * info.cluster.y * info.cluster.z;
  if (blocks_of_cluster > 1 &&
      std::ranges::any_of(functions, [&](std::uint32_t f) { return code.functions[f].asks_cluster; }))
    return fail(Code::unsupported, "unsupported: " + info.name + " in clusters of " +
                                       std::to_string(blocks_of_cluster) + " blocks, which the machine does not run");
  auto instance = WW_TRY([&] {
    const std::unique_lock lock(memory.state().mutex);
    return memory.state().instance(data);
  }());

  if (options.checks == Checks::full) {
    const std::unique_lock lock(memory.state().mutex);
    memory.state().tell_apart();
  }
  made.state.reset(new LaunchState{data, code, index, config, options, memory.state()});
  LaunchState& state = *made.state;
  state.around = Surroundings(options.surroundings);
  if (functions.size() == 1) state.apart = options.order.apart;
  // Dynamic shared memory begins at the alignment of its declaration.
  std::size_t dynamic_at = static_shared;
  for (std::size_t i = 0; i < shared.size(); ++i)
    if (shared[i] != ~0u && code.shared[i].is_extern) dynamic_at = std::max<std::size_t>(dynamic_at, shared[i]);
  state.shared_places = shared;
  state.shared_bytes = static_cast<std::uint32_t>(dynamic_at + config.dynamic_shared);
  const std::size_t local = info.local_bytes + (may_recurse(code, functions) ? options.stack_bytes : 0);
  if (local > (std::size_t{512} << 10))
    return fail(Code::invalid_argument, info.name + ": it needs " + std::to_string(local) +
                                            " bytes of local memory per thread (at most 524288)");
  state.local_stride = static_cast<std::uint32_t>((local + 15) / 16 * 16);
  resolve(state, functions, shared, *instance);
  state.changes = 1;
  state.began = state.latest = memory.state().elapsed;
  return made;
}

namespace {

// What a cooperative grid's blocks meet at: two words, of which the second one counts (cooperative_groups,
// grid_workspace).
class GridBarrier {
 public:
  static Result<GridBarrier> make(Memory& memory, const std::string& kernel, const LaunchConfig& config,
                                  const LaunchOptions& options) {
    if (!options.cooperative) return GridBarrier(memory, 0);
    const auto unsupported = [&](const std::string& why) {
      return fail(Code::unsupported, "unsupported: " + kernel + " in a cooperative launch " + why);
    };
    if (config.grid.count() > most_cooperative)
      return unsupported("of " + std::to_string(config.grid.count()) + " blocks (the machine runs at most " +
                         std::to_string(most_cooperative) + " at once)");
    if (options.first_block != Dim3{0, 0, 0}) return unsupported("without all of its blocks");
    constexpr std::size_t bytes = 8;
    const std::uint64_t address = WW_TRY(memory.allocate(bytes, "the grid's barrier"));
    WW_TRY(memory.fill(address, 0, bytes));
    return GridBarrier(memory, address);
  }
  GridBarrier(GridBarrier&& other) noexcept : memory_(other.memory_), address_(std::exchange(other.address_, 0)) {}
  GridBarrier(const GridBarrier&) = delete;
  GridBarrier& operator=(const GridBarrier&) = delete;
  ~GridBarrier() {
    if (address_ != 0) (void)memory_.free(address_);
  }
  std::uint64_t address() const { return address_; }

 private:
  GridBarrier(Memory& memory, std::uint64_t address) : memory_(memory), address_(address) {}
  Memory& memory_;
  std::uint64_t address_;
};

Result<LaunchReport> launch_checked(const Program& program, std::string_view kernel, const LaunchConfig& config,
                                    Memory& memory, const LaunchOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  const Prepared prepared = WW_TRY(prepare(program, kernel, config, memory, options));
  LaunchState& state = *prepared.state;
  const GridBarrier barrier = WW_TRY(GridBarrier::make(memory, prepared.kernel->name, config, options));
  state.grid_barrier = barrier.address();
  const Decoded& code = state.code;
  const auto& functions = prepared.functions;
  Buffer* const watched = options.watch.bytes == 0 ? nullptr : memory.state().find(options.watch.address);
  if (watched) watched->by_lane = true;

  const std::uint64_t blocks = blocks_to_run(config.grid, options.first_block);
  const bool every_thread = options.checks == Checks::full && options.races == Races::threads;
  if (every_thread) state.races = make_race_world();
  const std::uint32_t turns = options.order.turns;
  const bool together = options.cooperative;
  const bool in_turns =
      (turns != 0 || every_thread || together) && blocks > 1 && meet(code, functions, every_thread || together);
  // A device need not have room for two: who waits for a block that begins later must be seen to.
  const bool alone = !every_thread && (turns >> 8) % 4 == 3;
  const int wanted = in_turns && together  ? static_cast<int>(blocks)
                     : in_turns            ? (alone ? 1 : most_in_turns)
                     : every_thread        ? 1
                     : options.threads > 0 ? options.threads
                                           : hardware_threads();
  const int threads = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(wanted), blocks));
  if (in_turns) state.turns = std::make_unique<Turns>(threads, std::max(options.order.turns, 1u));
  std::vector<std::unique_ptr<Worker>> workers;
  if (in_turns || threads == 1) state.waits.assign(static_cast<std::size_t>(threads), 0);
  for (int i = 0; i < threads; ++i) workers.push_back(std::make_unique<Worker>(state, i));
  const bool enough = run_all(state, workers);
  if (watched) watched->by_lane = false;
  if (!enough) return fail(Code::internal, "the host does not have enough memory for this launch");
  {
    const std::unique_lock lock(memory.state().mutex);
    memory.state().settle();
    constexpr std::uint64_t between = 1000;  // nanoseconds from one launch to the next
    const std::uint64_t ended = state.began + state.executed * state.around.clock_rate;
    memory.state().elapsed = std::max<std::uint64_t>(state.latest, ended) + between;
  }
  if (options.stop.stop_requested())
    return fail(Code::cancelled, "the simulation of " + prepared.kernel->name + " was cancelled");

  LaunchReport report;
  report.fault = std::move(state.fault);
  report.findings = std::move(state.findings);
  report.further_findings = state.further_findings;
  report.watched = std::move(state.watched);
  report.printed = std::move(state.printed);
  report.printed_truncated = state.printed_truncated;
  report.warp_instructions = state.executed;
  if (state.longest > 0) report.busy_warps = static_cast<double>(state.executed) / static_cast<double>(state.longest);
  report.reach = reach_of(program.data(), code, functions, workers);
  if (options.counters) {
    std::vector<PcCount> counts(code.ops.size());
    for (const auto& w : workers)
      for (std::size_t pc = 0; pc < counts.size(); ++pc) add_counts(counts[pc], w->counts()[pc]);
    report.counters = make_counters(program.data(), code, functions, counts);
    report.warp_instructions = report.counters.total.warp_instructions;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return report;
}

}  // namespace

Result<LaunchReport> launch(const Program& program, std::string_view kernel, const LaunchConfig& config, Memory& memory,
                            const LaunchOptions& options) {
  try {
    return launch_checked(program, kernel, config, memory, options);
  } catch (const std::bad_alloc&) {
    return fail(Code::internal, "the host does not have enough memory for this launch");
  } catch (const std::length_error&) {
    return fail(Code::internal, "the host does not have enough memory for this launch");
  }
}

}  // namespace ww::simt
