// SPDX-License-Identifier: Apache-2.0
#include "rpc/check_reply.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include "candidate/candidate.h"
#include "gate/prepared.h"
#include "op/parse.h"
#include "ptx/lines.h"

namespace ww::rpc {
namespace {

constexpr std::size_t most_log = 128 << 10, most_words = 4 << 10;  // bytes
constexpr std::string_view elf =
    "\x7f"
    "ELF";

tl::unexpected<Error> misfit(std::string why) {
  return fail(Code::corrupt, "the worker's reply does not match its request", std::move(why));
}

bool plain_amount(double v) { return std::isfinite(v) && v >= 0; }
bool amount_or_unknown(double v) { return std::isnan(v) || plain_amount(v); }

Status check_sample(const TimeRequest& request, const std::string& name, const profile::TimedSample& s) {
  if (!plain_amount(s.us)) return misfit("a time of '" + name + "' is negative or not finite");
  if (s.replays < 1) return misfit("a time of '" + name + "' belongs to no execution");
  if (s.round < request.round_offset || s.round - request.round_offset >= request.rounds)
    return misfit("a time of '" + name + "' belongs to a round that was not asked for");
  const profile::ClockState& c = s.clocks;
  for (const double v : {c.sm_mhz, c.memory_mhz, c.temperature_c, c.power_w})
    if (!amount_or_unknown(v)) return misfit("a clock beside a time of '" + name + "' is negative or not finite");
  return {};
}

Status check_outcome(const TimeRequest& request, const TimedOutcome& o) {
  if (o.error.size() > most_log || o.note.size() > most_log)
    return misfit("the text about '" + o.name + "' is too long");
  if (o.verified && (!request.verify || !o.error.empty())) return misfit("'" + o.name + "' cannot have been verified");
  std::set<profile::Cache> regimes;
  for (const profile::SubjectTiming& t : o.timings) {
    if (t.subject != o.name) return misfit("a timing of '" + o.name + "' belongs to another subject");
    if (!(t.cache == profile::Cache::cold ? request.cold : request.warm) || !regimes.insert(t.cache).second)
      return misfit("'" + o.name + "' was timed with a cache that was not asked for, or twice");
    const std::int64_t most = std::int64_t{request.rounds} * request.samples;
    if (t.samples.empty() || std::cmp_greater(t.samples.size(), most))
      return misfit("the number of samples of '" + o.name + "' cannot be right");
    if (t.note.size() > most_log) return misfit("the text about '" + o.name + "' is too long");
    for (const profile::TimedSample& s : t.samples) WW_TRY(check_sample(request, o.name, s));
  }
  return {};
}

Status check_details(const std::string& device, const profile::DeviceDetails& d) {
  if (d.name != device) return misfit("it describes another device");
  for (const std::string* words : {&d.gpu, &d.uuid, &d.driver, &d.cuda, &d.architecture, &d.datasheet_source})
    if (words->size() > most_words) return misfit("the text about the device is too long");
  const std::int64_t counts[] = {d.multiprocessors, d.max_threads_per_sm,   d.warp_threads,
                                 d.memory,          d.free_memory,          d.l2,
                                 d.shared_per_sm,   d.max_shared_per_block, d.registers_per_sm};
  if (std::any_of(std::begin(counts), std::end(counts), [](std::int64_t n) { return n < 0; }))
    return misfit("a size of the device is negative");
  for (const double v : {d.sm_max_mhz, d.memory_max_mhz, d.memory_bus_bits, d.peak_bandwidth, d.peak_f32, d.peak_f64})
    if (!amount_or_unknown(v)) return misfit("a rate of the device is negative or not finite");
  for (const auto& [name, value] : d.datasheet)
    if (!plain_amount(value)) return misfit("the datasheet's figure " + name + " is negative or not finite");
  return {};
}

Status check_kernel(const profile::KernelCounters& k, std::int64_t lines) {
  std::set<std::string> names;
  for (const profile::Counter& c : k.values) {  // a ratio over nothing is infinite
    if (c.value < 0) return misfit("the counter " + c.name + " is negative");
    if (c.name.empty() || !names.insert(c.name).second) return misfit("the counter " + c.name + " has two values");
  }
  for (const profile::StallSamples& s : k.lines)
    if (s.line < 0 || s.line > lines) return misfit("it counts a line that the candidate does not have");
  return {};
}

}  // namespace

Status check_compiled(const CompileRequest& request, const compile::Output& output) {
  if (output.ptx.empty()) return misfit("it has no PTX");
  if (request.language == candidate::Language::ptx && output.ptx != ptx::without_line_information(request.candidate))
    return misfit("its PTX is not the candidate's");
  if (!output.cubin.empty() && !output.cubin.starts_with(elf)) return misfit("its machine code is not an ELF file");
  if (output.log.size() > most_log || output.compiler.size() > most_words) return misfit("its log is too long");
  if (!plain_amount(output.seconds)) return misfit("the time it took is not a duration");
  std::set<std::string> names;
  for (const compile::KernelResources& k : output.resources) {
    if (k.kernel.empty() || !names.insert(k.kernel).second) return misfit("the kernel " + k.kernel + " is named twice");
    if (output.ptx.find(k.kernel) == std::string::npos) return misfit("the kernel " + k.kernel + " is not in its PTX");
    const std::int64_t counts[] = {k.registers,   k.static_shared, k.stack,   k.spill_stores,
                                   k.spill_loads, k.constant,      k.barriers};
    if (std::any_of(std::begin(counts), std::end(counts), [](std::int64_t n) { return n < 0; }))
      return misfit("a resource of the kernel " + k.kernel + " is negative");
  }
  return {};
}

Status check_times(const TimeRequest& request, const TimeReply& reply) {
  if (reply.subjects.size() != request.subjects.size()) return misfit("it lacks a subject");
  WW_TRY(check_details(request.device, reply.device));
  if (!plain_amount(reply.seconds)) return misfit("the time it took is not a duration");
  for (std::size_t i = 0; i < reply.subjects.size(); ++i) {
    if (reply.subjects[i].name != request.subjects[i].name) return misfit("it names another subject");
    WW_TRY(check_outcome(request, reply.subjects[i]));
  }
  return {};
}

Status check_counts(const CountRequest& request, const profile::CounterReport& report) {
  const Result<op::Spec> spec = op::parse_spec(request.spec);
  const Result<candidate::Candidate> parsed = candidate::parse(request.candidate, request.language);
  const Result<op::Binding> sizes = spec ? gate::whole_binding(*spec, request.binding) : fail(spec.error());
  if (!sizes || !parsed) return misfit("there can be no counters of this candidate");
  const Result<candidate::Plan> plan = candidate::plan(*parsed, *spec, *sizes, candidate::first_tuning(*parsed));
  if (!plan) return misfit("there can be no counters of this candidate");
  if (report.set != request.set) return misfit("it reports another set of counters than the one asked for");
  if (report.passes < 0 || !plain_amount(report.seconds)) return misfit("its passes or its time are negative");
  if (report.why_not.size() > most_log) return misfit("its text is too long");
  const std::int64_t lines = 1 + std::count(request.candidate.begin(), request.candidate.end(), '\n');
  std::set<int> launches;
  for (const profile::KernelCounters& k : report.kernels) {
    if (k.launch < 0 || std::cmp_greater_equal(k.launch, plan->launches.size()) ||
        plan->launches[static_cast<std::size_t>(k.launch)].kernel != k.kernel || !launches.insert(k.launch).second)
      return misfit("it counts a launch of " + k.kernel + " that the plan does not have");
    WW_TRY(check_kernel(k, lines));
  }
  return {};
}

Status check_wrong(const GateRequest& request, const evidence::WrongMap& map) {
  const Result<op::Spec> spec = op::parse_spec(request.spec);
  if (!spec) return misfit("there can be no wrong element of this op");
  const evidence::Failure& f = map.failure;
  const Result<op::Resolved> sizes = op::resolve(*spec, f.binding);
  if (f.case_name.empty() || f.case_name.size() > most_words || !sizes || sizes->symbols != f.binding.symbols)
    return misfit("its case does not fit the op");
  const auto output = std::ranges::find(spec->outputs, map.tensor, &op::Param::name);
  if (output == spec->outputs.end() || map.dtype != dtype_name(output->dtype))
    return misfit("it shows an output that the op does not have");
  const Result<std::vector<std::int64_t>> shape = op::shape_of(*spec, *output, f.binding);
  if (!shape || *shape != map.shape) return misfit("its shape is not that of the op's output");
  if (std::string why = evidence::misfit_of(map); !why.empty()) return misfit(std::move(why));
  return {};
}

Status check_reproduced(const ReproduceRequest& request, const gate::Reproduction& shown) {
  if (shown.message.empty() == shown.failure.has_value()) return misfit("it must give either a message or a failure");
  if (shown.message.size() > most_log) return misfit("its text is too long");
  if (!shown.failure) return {};
  const Result<op::Spec> spec = op::parse_spec(request.judgement.spec);
  const Result<op::Binding> sizes = spec ? gate::whole_binding(*spec, request.one.binding) : fail(spec.error());
  if (!sizes || *sizes != shown.failure->binding) return misfit("it ran another case");
  if (const auto& e = shown.failure->element; e && (e->wrong < 0 || e->total < e->wrong))
    return misfit("its count of wrong elements is impossible");
  if (const auto& f = shown.failure->fault; f && (f->line < 0 || is_of_supervisor(f->kind)))
    return misfit("its fault is one that a worker cannot see");
  return {};
}

Status check_device(const DeviceRequest& request, const DeviceReply& reply) {
  WW_TRY(check_details(request.name, reply.details));
  if (!reply.ceilings) return {};
  if (!request.ceilings) return misfit("it has ceilings, which were not asked for");
  const profile::Ceilings& c = *reply.ceilings;
  for (const std::string* words : {&c.device, &c.driver, &c.measured, &c.why_not})
    if (words->size() > most_words) return misfit("the text about the ceilings is too long");
  if (!amount_or_unknown(c.copy_bandwidth) || !amount_or_unknown(c.l2_bandwidth) || !amount_or_unknown(c.l1_bandwidth))
    return misfit("a ceiling is negative or not finite");
  for (const auto& [type, rate] : c.matrix_rate)
    if (!plain_amount(rate)) return misfit("the ceiling of " + type + " is negative or not finite");
  return {};
}

Status check_simulated(const SimulateRequest& request, const sim::Outcome& o) {
  const sim::Job& job = request.job;
  std::map<std::string, const sim::JobBuffer*> buffers;
  for (const sim::JobArgument& a : job.args)
    if (a.buffer) buffers[a.buffer->name] = &*a.buffer;
  for (const sim::JobBuffer& s : job.symbols) buffers[s.name] = &s;
  const auto is_output = [&](const std::string& name) {
    const auto at = buffers.find(name);
    return at != buffers.end() && (at->second->is_output || at->second->expected);
  };
  for (const sim::Output& out : o.outputs)
    if (!is_output(out.name) || out.bytes != buffers[out.name]->bytes ||
        out.hex.size() > 2 * static_cast<std::size_t>(out.bytes))
      return misfit("it shows an output that the job does not have");
  for (const sim::Difference& d : o.differences)
    if (!is_output(d.buffer) || !buffers[d.buffer]->expected || d.wrong < 1 || d.wrong > d.elements || d.index < 0 ||
        d.index >= d.elements)
      return misfit("it names a difference that cannot be");
  const bool found = std::ranges::any_of(o.findings, [](const sim::Finding& f) { return decides(f.kind); });
  const bool right = o.differences.empty() && !found;
  using sim::Ending;
  if ((o.ending == Ending::passed && !right) || (o.ending == Ending::found && !found) ||
      (o.ending == Ending::differs && (found || o.differences.empty())) || (o.ending == Ending::not_judged && found))
    return misfit("its ending contradicts what it lists");
  if (o.ending == Ending::passed &&
      o.outputs.size() < static_cast<std::size_t>(std::ranges::count_if(
                             buffers, [](const auto& b) { return b.second->expected.has_value(); })))
    return misfit("it passes without an output that should be compared");
  if (o.why.size() > most_log || o.log.size() > most_log || o.printed.size() > most_log)
    return misfit("its text is too long");
  for (const sim::Finding& f : o.findings)
    if (f.message.size() > most_log) return misfit("its text is too long");
  return {};
}

constexpr std::size_t fingerprint_digits = 16;

Status check_traced(const TraceRequest& request, const sim::Trace& t) {
  if (t.position < 0 || t.recorded < t.position || t.first < 0 || t.end < t.first || t.end > t.position ||
      t.left_out < 0)
    return misfit("its positions contradict each other");
  if (t.steps.size() > static_cast<std::size_t>(std::max<std::int64_t>(request.query.most, 0)))
    return misfit("it shows more steps than were asked for");
  for (const sim::StepFacts& s : t.steps)
    if (s.step < t.first || s.step >= t.end || s.instruction.size() > most_log)
      return misfit("it shows a step that lies elsewhere");
  for (const sim::StepFinding& f : t.findings)
    if (f.step >= t.recorded || f.finding.message.size() > most_log ||
        (f.unwritten && (f.step != t.position - 1 || f.unwritten->writer.has_value() != (f.unwritten->step > f.step))))
      return misfit("it names a finding that cannot be");
  if (t.printed.size() > most_log || t.log.size() > most_log) return misfit("its text is too long");
  if (t.lens.has_value() == request.query.lens.empty()) return misfit("it looks at a buffer that was not asked for");
  if (!t.registers.empty() && request.query.registers < 0) return misfit("it shows registers that were not asked for");
  for (const sim::WrittenRegister& r : t.registers)
    if (r.values.size() != 32) return misfit("a register has another number of lanes");
  if (t.shared.has_value() != request.query.shared || (t.timeline && request.query.timeline == 0))
    return misfit("it shows what was not asked for");
  if (!t.timeline && request.query.timeline > 0 && request.query.timeline_known.empty())
    return misfit("its time line is missing");
  if (t.shared && t.shared->written.size() != t.shared->content.size() / 8)
    return misfit("what it says of shared memory does not fit it");
  if (t.timeline && (t.timeline->first < 0 || t.timeline->end < t.timeline->first || t.timeline->end > t.recorded))
    return misfit("its time line lies elsewhere");
  if (t.timeline)
    for (const sim::WarpTime& w : t.timeline->warps)
      if (w.steps.size() > static_cast<std::size_t>(request.query.timeline) || w.lanes.size() != w.steps.size() ||
          w.waits.size() != w.steps.size())
        return misfit("its time line has other parts");
  if (!t.variables.empty() && request.query.registers < 0) return misfit("it shows variables that were not asked for");
  for (const sim::VariableFacts& v : t.variables)
    if (v.values.size() != 32) return misfit("a variable has another number of lanes");
  if (t.live && (request.query.registers < 0 || t.live->registers.size() > t.registers.size() || t.live->words < 0 ||
                 t.live->most_words < t.live->words))
    return misfit("its live registers cannot be");
  if (t.totals.has_value() != request.query.totals) return misfit("it counts what was not asked for");
  if (t.next_write && (request.query.thread < 0 || t.next_write->step < t.position || t.next_write->index < 0))
    return misfit("the next write lies elsewhere");
  if (t.state.size() != (request.query.state ? fingerprint_digits : 0))
    return misfit("its state's fingerprint cannot be");
  if (!t.lens) return {};
  const std::size_t n = t.lens->reads.size();
  if (n > static_cast<std::size_t>(sim::most_lens_elements) || t.lens->writes.size() != n ||
      t.lens->blocks.size() != n || t.lens->threads.size() != n || t.lens->lines.size() != n ||
      t.lens->write_steps.size() != n || t.lens->sector_moves.size() != t.lens->sector_bytes.size() ||
      t.lens->sector_moves.size() > n || t.lens->frames.size() > static_cast<std::size_t>(request.query.frames))
    return misfit("what it says of a buffer's elements does not fit them");
  for (const sim::LensFrame& f : t.lens->frames)
    if (f.reads.size() != n || f.writes.size() != n || f.content.size() != t.lens->content.size())
      return misfit("what it says of a buffer's elements does not fit them");
  return {};
}

Status check_listed(const SimulateRequest&, const sim::Listing& listing) {
  for (const sim::ListedFunction& f : listing.functions)
    for (const sim::ListedInstruction& i : f.instructions)
      if (i.text.size() > most_log || i.unsupported.size() > most_log) return misfit("its text is too long");
  return {};
}

}  // namespace ww::rpc
