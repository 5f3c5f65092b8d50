// SPDX-License-Identifier: Apache-2.0
#include "sim/stepper.h"
#include <algorithm>
#include "sim/placed.h"
#include "sim/register_names.h"
#include "simt/module.h"

namespace ww::sim {
namespace {

constexpr std::string_view shared_name = "shared";

// They are in memory; that there were any remains known.
void drop_contents(Job& job) {
  const auto drop = [](JobBuffer& b) {
    if (b.content) b.content = std::string();
    b.expected.reset();
  };
  for (JobArgument& a : job.args)
    if (a.buffer) drop(*a.buffer);
  for (JobBuffer& s : job.symbols) drop(s);
}

bool is_watch(StopKind kind) { return kind == StopKind::read || kind == StopKind::write; }
bool is_value(StopKind kind) { return kind == StopKind::changes || kind == StopKind::holds; }
// What a step did is known when it has run.
bool is_of_step(StopKind kind) { return is_watch(kind) || is_value(kind); }

}  // namespace

Stepper::Stepper() = default;
Stepper::~Stepper() = default;

Result<std::unique_ptr<Stepper>> Stepper::begin(Job job, const std::string& ptx, const std::vector<std::int64_t>& block,
                                                std::size_t bytes) {
  WW_TRY(check_numbers(job));
  if (product(job.cluster) > 1)
    return fail(Code::unsupported, "the machine does not run clusters of more than one block");
  if (job.cooperative)
    return fail(Code::unsupported, "cooperative launches cannot be stepped through: their blocks run at once");
  std::unique_ptr<Stepper> made(new Stepper);
  made->job_ = std::move(job);
  made->program_ = WW_TRY(simt::load(ptx));
  const simt::KernelInfo* const kernel = WW_TRY(kernel_of(*made->program_, made->job_.entry));
  made->kernel_ = kernel->name;
  made->debug_ = ptx::debug_functions(made->program_->ptx());
  made->placed_ = std::make_unique<PlacedJob>();
  WW_TRY(made->placed_->place(made->job_, *made->program_, *kernel));
  WW_TRY(made->placed_->fill());
  drop_contents(made->job_);
  const auto on = [&](Check c) { return std::ranges::count(made->job_.checks, c) > 0; };
  simt::SteppingOptions options;
  options.races = on(Check::races);
  options.uninitialised = on(Check::init);
  options.synchronisation = on(Check::sync);
  options.instruction_budget = static_cast<std::uint64_t>(made->job_.budget);
  options.surroundings = made->job_.seed;
  options.snapshot_steps = 2048;
  options.record_bytes = bytes;
  if (!block.empty()) {
    if (block.size() > 3 || std::ranges::any_of(block, [](std::int64_t n) { return n < 0 || n > 0x7fffffff; }))
      return fail(Code::invalid_argument, "a block has one to three indices from 0 on");
    const auto at = [&](std::size_t i) { return i < block.size() ? static_cast<std::uint32_t>(block[i]) : 0u; };
    options.block = simt::Dim3{at(0), at(1), at(2)};
  }
  if (made->job_.language == candidate::Language::cuda) {
    const std::vector<std::string> names = parameter_names(made->job_.code, made->job_.entry);
    for (std::size_t i = 0; i < std::min(names.size(), made->job_.args.size()); ++i)
      if (made->job_.args[i].parameter.empty()) made->job_.args[i].parameter = names[i];
  }
  made->machine_ = WW_TRY(
      simt::Stepping::begin(made->program_, made->kernel_, made->placed_->config, made->placed_->memory, options));
  return made;
}

bool Stepper::is_full() const {
  return machine_->position() >= most_steps || (machine_->position() >= machine_->recorded() && machine_->full());
}

Result<Stepper::Found> Stepper::find(const std::string& buffer) const {
  if (buffer == shared_name)
    return Found{simt::Space::shared, 0, 4, static_cast<std::int64_t>(machine_->shared().size() / 4), "b32", false};
  std::string names(shared_name);
  for (const auto* list : {&placed_->buffers, &placed_->symbols})
    for (const PlacedJob::Buffer& b : *list) {
      names += ", " + b.what->name;
      if (b.what->name != buffer) continue;
      const auto type = dtype_from_name(b.what->type);
      const auto element = type ? static_cast<std::int64_t>(dtype_size(*type)) : 1;
      return Found{
          simt::Space::global,        b.address, element, b.what->bytes / element, type ? b.what->type : "byte",
          b.what->content.has_value()};
    }
  const std::optional<Found> shared = find_shared(buffer, names);
  if (shared) return *shared;
  return fail(Code::invalid_argument, "there is no buffer '" + buffer + "'", "there are " + names);
}

// An array in shared memory by its name in the source, in words of 4 bytes; adds all such names to `names`.
std::optional<Stepper::Found> Stepper::find_shared(const std::string& buffer, std::string& names) const {
  const simt::Function* const kernel = program_->module().function(kernel_);
  for (const auto* list : {kernel == nullptr ? nullptr : &kernel->variables, &program_->module().variables})
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const simt::Variable& v = (*list)[i];
      const auto place = v.space == simt::Variable::Space::shared ? machine_->shared_place(v.name) : std::nullopt;
      if (!place) continue;
      const std::string name = variable_name(v.name);
      names += ", " + name;
      const std::size_t bytes = v.count > 0 ? v.bytes() : machine_->shared().size() - *place;
      if (name == buffer)
        return Found{simt::Space::shared, *place, 4, static_cast<std::int64_t>(bytes / 4), "b32", false};
    }
  return std::nullopt;
}

Result<Stepper::Range> Stepper::range_of(const StopAt& at) const {
  const Found found = WW_TRY(find(at.buffer));
  if (at.index < 0 || at.index >= found.elements)
    return fail(Code::invalid_argument,
                at.buffer + " has " + std::to_string(found.elements) + " elements, and no " + std::to_string(at.index));
  return Range{found.space, found.address + static_cast<std::uint64_t>(at.index * found.element),
               static_cast<std::uint64_t>(found.element)};
}

Status Stepper::check(const StopAt& at) const {
  const auto threads = static_cast<std::int64_t>(placed_->config.block.count());
  if (at.warp >= static_cast<int>(machine_->warps()))
    return fail(Code::invalid_argument,
                "a block has " + std::to_string(machine_->warps()) + " warps, and no warp " + std::to_string(at.warp));
  if (at.thread >= threads)
    return fail(Code::invalid_argument,
                "a block has " + std::to_string(threads) + " threads, and no thread " + std::to_string(at.thread));
  if (is_watch(at.kind)) WW_TRY(range_of(at));
  if (is_value(at.kind) && !has_variable(at.variable))
    return fail(Code::invalid_argument, "there is no variable or register '" + at.variable + "'",
                "optimised code has few variables: registers are %r1, %f2, …");
  const bool of_ptx = at.kind == StopKind::ptx_line;
  if (at.kind != StopKind::line && !of_ptx) return {};
  for (const simt::Function& f : program_->module().functions)
    for (const simt::Instruction& i : f.body)
      if ((of_ptx ? i.line : i.source_line) == at.line) return {};
  return fail(Code::invalid_argument,
              "line " + std::to_string(at.line) + " of the " + (of_ptx ? "PTX" : "source") + " has no instruction");
}

// Whether the step that begins there begins a line of its warp.
bool Stepper::begins_line(const simt::StepRecord& next, std::uint64_t position) const {
  const int line = machine_->place(next.pc).line;
  if (line == 0) return false;
  const std::uint64_t begin = machine_->block_begin(position);
  for (std::uint64_t p = position; p-- > begin;) {
    const simt::StepRecord& r = machine_->record(p);
    if (r.warp == next.warp) return machine_->place(r.pc).line != line;
  }
  return true;
}

bool Stepper::touched(const StopAt& at, const Range& range) const {
  return std::ranges::any_of(machine_->accesses(), [&](const simt::StepAccess& a) {
    const bool fits =
        a.kind == simt::AccessKind::atomic || (a.kind == simt::AccessKind::write) == (at.kind == StopKind::write);
    return fits && a.space == range.space && (at.thread < 0 || a.lane == at.thread % 32) &&
           a.address < range.first + range.bytes && range.first < a.address + a.bytes;
  });
}

bool Stepper::matches(const Place& place, std::uint64_t position) const {
  const StopAt& at = *place.at;
  const int warp = at.thread >= 0 ? at.thread / 32 : at.warp;
  if (at.kind == StopKind::barrier) return position > 0 && machine_->record(position - 1).released;
  if (is_of_step(at.kind)) {
    if (position == 0 || (warp >= 0 && machine_->record(position - 1).warp != warp)) return false;
    return is_watch(at.kind) ? touched(at, place.range) : began(place, position);
  }
  const std::optional<simt::StepRecord> next = machine_->next(position);
  if (!next || (warp >= 0 && next->warp != warp)) return false;
  if (at.thread >= 0 && ((next->mask >> (at.thread % 32)) & 1) == 0) return false;
  switch (at.kind) {
    case StopKind::source_line: return begins_line(*next, position);
    case StopKind::line: return machine_->place(next->pc).line == at.line && begins_line(*next, position);
    case StopKind::ptx_line: return machine_->place(next->pc).ptx_line == at.line;
    case StopKind::end: return false;
    default: return true;
  }
}

std::vector<Stepper::Place> Stepper::places_of(std::span<const StopAt> any) const {
  std::vector<Place> places;
  for (const StopAt& at : any)
    places.push_back({&at, is_watch(at.kind) ? range_of(at).value_or(Range{}) : Range{}, {}});
  return places;
}

bool Stepper::matches(std::span<const Place> places, std::uint64_t position) const {
  return std::ranges::any_of(places, [&](const Place& p) { return matches(p, position); });
}

// The same whether the step that led here ran for the first time or again.
bool Stepper::found_at(std::uint64_t position) const {
  return std::ranges::any_of(machine_->hazards(), [&](const simt::StepHazard& h) { return h.position == position; });
}

Arrival Stepper::run(std::span<const StopAt> any, std::stop_token stop) {
  std::vector<Place> places = places_of(any);
  const bool to_end = std::ranges::any_of(any, [](const StopAt& at) { return at.kind == StopKind::end; });
  for (std::uint64_t n = 1;; ++n) {
    if (is_full()) return Arrival::limit;
    look_before(places);
    if (!machine_->forward()) return to_end ? Arrival::there : Arrival::ended;
    if (matches(places, machine_->position())) return Arrival::there;
    if (found_at(machine_->position())) return Arrival::found;
    if (n % look_every == 0 && stop.stop_requested()) return Arrival::cancelled;
  }
}

Arrival Stepper::back(std::span<const StopAt> any, std::stop_token stop) {
  std::vector<Place> places = places_of(any);
  const std::uint64_t here = machine_->position();
  const bool to_end = std::ranges::any_of(any, [](const StopAt& at) { return at.kind == StopKind::end; });
  const auto found = [&](std::uint64_t p) { return to_end && p > 0 && found_at(p); };
  const auto arrive = [&](std::uint64_t p, bool there) {
    machine_->jump(p);
    return there ? Arrival::there : found(p) ? Arrival::found : to_end ? Arrival::there : Arrival::ended;
  };
  if (std::ranges::none_of(any, [](const StopAt& at) { return is_of_step(at.kind); })) {
    for (std::uint64_t p = here; p-- > 0;)
      if (const bool there = matches(places, p); there || found(p)) return arrive(p, there);
    return arrive(0, false);
  }
  // What a step accessed is known when it has run again: piece by piece, each from its beginning.
  for (std::uint64_t end = here; end > 0;) {
    const std::uint64_t begin = end > look_every ? end - look_every : 0;
    std::optional<std::pair<std::uint64_t, bool>> last;  // whether it is such a place
    machine_->jump(begin);
    while (machine_->position() < end) {
      look_before(places);
      if (!machine_->forward()) break;
      const std::uint64_t p = machine_->position();
      if (p >= here) continue;
      if (const bool there = matches(places, p); there || found(p)) last = {p, there};
    }
    if (last) return arrive(last->first, last->second);
    if (stop.stop_requested()) return Arrival::cancelled;
    end = begin;
  }
  return arrive(0, false);
}

Arrival Stepper::go(std::uint64_t position, std::stop_token stop) {
  if (position <= machine_->recorded()) {
    machine_->jump(position);
    return Arrival::there;
  }
  machine_->jump(machine_->recorded());
  while (machine_->position() < position) {
    if (is_full()) return Arrival::limit;
    if (!machine_->forward()) return Arrival::ended;
    if (machine_->position() % look_every == 0 && stop.stop_requested()) return Arrival::cancelled;
  }
  return Arrival::there;
}

}  // namespace ww::sim
