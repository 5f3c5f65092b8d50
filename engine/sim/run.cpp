// SPDX-License-Identifier: Apache-2.0
#include "sim/run.h"
#include <algorithm>
#include <memory>
#include "sim/code.h"
#include "sim/compare.h"
#include "sim/findings.h"
#include "sim/placed.h"
#include "simt/named_counts.h"
#include "simt/simt.h"

namespace ww::sim {
namespace {

constexpr std::size_t shown_elements = 16;

Ending not_judged(Outcome& out, std::string why) {
  out.why = std::move(why);
  return out.ending = Ending::not_judged;
}

class Run {
 public:
  Run(const Job& job, const simt::Program& program, const simt::KernelInfo& kernel)
      : job_(job), program_(program), kernel_(kernel) {}
  Status place() { return placed_.place(job_, program_, kernel_); }

  Result<simt::LaunchReport> launch(std::stop_token stop) {
    WW_TRY(placed_.fill());
    simt::LaunchOptions options = options_for(job_.checks);
    options.cooperative = job_.cooperative;
    options.counters = job_.counters;
    options.threads = job_.threads;
    options.instruction_budget = static_cast<std::uint64_t>(job_.budget);
    options.surroundings = job_.seed;
    options.stop = std::move(stop);
    return simt::launch(program_, kernel_.name, placed_.config, placed_.memory, options);
  }

  Status look(Outcome& out) const {
    for (const auto* list : {&placed_.buffers, &placed_.symbols})
      for (const PlacedJob::Buffer& p : *list)
        if (p.what->is_output || p.what->expected) WW_TRY(look(p, out));
    return {};
  }

 private:
  Status look(const PlacedJob::Buffer& p, Outcome& out) const {
    std::string bytes(static_cast<std::size_t>(p.what->bytes), '\0');
    WW_TRY(placed_.memory.read(p.address, bytes.data(), bytes.size()));
    const auto type = dtype_from_name(p.what->type);
    const auto unwritten = WW_TRY(placed_.memory.uninitialised(p.address, bytes.size()));
    Output o;
    o.name = p.what->name;
    o.type = type ? p.what->type : "byte";
    o.bytes = p.what->bytes;
    o.elements = o.bytes / static_cast<std::int64_t>(type ? dtype_size(*type) : 1);
    o.unwritten = static_cast<std::int64_t>(unwritten.count);
    o.first = first_elements(bytes, type, shown_elements);
    if (job_.returns_bytes) o.hex = to_hex(bytes);
    out.outputs.push_back(std::move(o));
    if (!p.what->expected) return {};
    const std::string expected = WW_TRY(bytes_of_hex(*p.what->expected));
    if (expected.size() != bytes.size())
      return fail(Code::invalid_argument, "of " + p.what->name + " another number of bytes is expected than it has");
    std::optional<Difference> d = compare(bytes, expected, type, job_.compare);
    if (!d) return {};
    d->buffer = p.what->name;
    const auto size = static_cast<std::int64_t>(type ? dtype_size(*type) : 1);
    const auto at = WW_TRY(placed_.memory.uninitialised(p.address + static_cast<std::uint64_t>(d->index * size),
                                                        static_cast<std::size_t>(size)));
    d->written = at.count == 0;
    out.differences.push_back(std::move(*d));
    return {};
  }

  const Job& job_;
  const simt::Program& program_;
  const simt::KernelInfo& kernel_;
  PlacedJob placed_;
};

void count(const simt::LaunchReport& report, Outcome& out) {
  out.counters = simt::named_counts(report.counters.total);
  const bool sourced = std::ranges::any_of(report.counters.lines, [](const auto& l) { return l.line > 0; });
  if (sourced) {
    for (const simt::LineTally& l : report.counters.lines) {
      if (!l.executed) continue;
      out.lines.push_back({l.line, l.tally.warp_instructions, l.tally.thread_instructions,
                           l.tally.global_load_sectors + l.tally.global_store_sectors,
                           l.tally.shared_load_wavefronts + l.tally.shared_store_wavefronts,
                           l.tally.shared_load_conflicts + l.tally.shared_store_conflicts});
    }
    return;
  }
  for (const simt::InstructionTally& i : report.counters.instructions)
    if (i.warp != 0) out.lines.push_back({i.ptx_line, i.warp, i.thread, i.sectors, 0, 0});
}

void decide(Outcome& out, const simt::LaunchReport& report) {
  for (const simt::MachineFault& f : report.findings) out.findings.push_back(finding_of(f, false));
  if (report.fault) out.findings.push_back(finding_of(*report.fault, true));
  out.further_findings = report.further_findings;
  const bool stopped = report.fault && !decides(report.fault->kind);
  const bool proved = std::ranges::any_of(out.findings, [](const Finding& f) { return decides(f.kind); });
  if (proved) {
    out.ending = Ending::found;
    out.why = std::ranges::find_if(out.findings, [](const Finding& f) { return decides(f.kind); })->message;
  } else if (stopped) {
    not_judged(out, report.fault->message);
  } else if (!out.differences.empty()) {
    const Difference& d = out.differences.front();
    out.ending = Ending::differs;
    out.why = d.buffer + "[" + std::to_string(d.index) + "]: expected " + d.expected + ", got " + d.actual +
              (d.written ? "" : ", never written") + "; " + std::to_string(d.wrong) + " of " +
              std::to_string(d.elements) + (d.elements == 1 ? " element differs" : " elements differ");
  } else {
    out.ending = Ending::passed;
  }
}

}  // namespace

Result<std::string> ptx_of(const Job& job, compile::Compiler* compiler, Outcome& out) {
  if (job.language == candidate::Language::ptx) return job.code;
  if (!compiler) return fail(Code::unavailable, "there is no compiler for CUDA code here");
  compile::Request request;
  request.code = job.code;
  request.architecture = job.architecture;
  request.defines = job.defines;
  request.options = job.options;
  request.debug = job.debug;
  request.resources = false;
  compile::Output output = WW_TRY(compiler->compile(request));
  out.compiler = output.compiler;
  out.log = output.log;
  out.compile_seconds = output.seconds;
  return std::move(output.ptx);
}

Result<Outcome> run(const Job& job, compile::Compiler* compiler, std::stop_token stop) {
  WW_TRY(check_numbers(job));
  Outcome out;
  const std::string ptx = WW_TRY(ptx_of(job, compiler, out));
  const std::shared_ptr<const simt::Program> program = WW_TRY(simt::load(ptx));
  out.target = program->target();
  const simt::KernelInfo* const kernel = WW_TRY(kernel_of(*program, job.entry));
  out.kernel = kernel->name;
  if (product(job.cluster) > 1) {
    not_judged(out, "the machine does not run clusters of more than one block");
    return out;
  }
  Run one(job, *program, *kernel);
  WW_TRY(one.place());
  for (int i = 0; i < job.runs; ++i) {
    const Result<simt::LaunchReport> report = one.launch(stop);
    if (!report && report.error().code == Code::unsupported) {
      not_judged(out, report.error().text());
      return out;
    }
    WW_CHECK(report);
    out.seconds.push_back(report->seconds);
    if (i + 1 < job.runs) continue;
    out.printed = report->printed;
    if (report->printed_truncated) out.printed += "\n… (the rest of the output is left out)\n";
    if (job.counters) count(*report, out);
    WW_TRY(one.look(out));
    decide(out, *report);
  }
  return out;
}

}  // namespace ww::sim
