// SPDX-License-Identifier: Apache-2.0
#include "sim/run.h"
#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include "sim/code.h"
#include "sim/compare.h"
#include "simt/simt.h"

namespace ww::sim {
namespace {

constexpr std::size_t shown_elements = 16;
constexpr int most_runs = 1000;

Ending not_judged(Outcome& out, std::string why) {
  out.why = std::move(why);
  return out.ending = Ending::not_judged;
}

// The name in C++ without its parameters: "ns::scale" of "_ZN2ns5scaleEPf"; else the name itself.
std::string plain_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  if (status != 0 || !text) return name;
  std::string plain = text.get();
  if (plain.starts_with("void ")) plain.erase(0, 5);  // of templates
  return plain.substr(0, plain.find('('));
}

Result<const simt::KernelInfo*> kernel_of(const simt::Program& program, const std::string& entry) {
  const auto& kernels = program.kernels();
  std::string names;
  for (const simt::KernelInfo& k : kernels) names += (names.empty() ? "" : ", ") + plain_name(k.name);
  if (kernels.empty()) return fail(Code::not_found, "the code has no kernel");
  if (entry.empty()) {
    if (kernels.size() == 1) return &kernels[0];
    return fail(Code::not_found, "the code has several kernels; name one with 'entry'", names);
  }
  if (const simt::KernelInfo* k = program.kernel(entry)) return k;
  const simt::KernelInfo* found = nullptr;
  for (const simt::KernelInfo& k : kernels) {
    if (plain_name(k.name) != entry) continue;
    if (found) return fail(Code::not_found, "several kernels are named " + entry + "; name one as the PTX does", names);
    found = &k;
  }
  if (!found) return fail(Code::not_found, "the code has no kernel " + entry, "it has " + names);
  return found;
}

struct Placed {
  const JobBuffer* what = nullptr;
  std::uint64_t address = 0;
};

Status fill(simt::Memory& memory, const Placed& p) {
  const auto bytes = static_cast<std::size_t>(p.what->bytes);
  WW_TRY(memory.set_read_only(p.address, false));
  WW_TRY(memory.poison(p.address, bytes));
  if (p.what->content) {
    const std::string content = WW_TRY(bytes_of_hex(*p.what->content));
    if (content.size() > bytes) return fail(Code::invalid_argument, p.what->name + " has more content than room");
    WW_TRY(memory.write(p.address, content.data(), content.size()));
  }
  return memory.set_read_only(p.address, p.what->read_only);
}

class Run {
 public:
  Run(const Job& job, const simt::Program& program, const simt::KernelInfo& kernel)
      : job_(job), program_(program), kernel_(kernel) {}

  Status place() {
    if (job_.seed != 0) memory_.scatter(job_.seed);
    simt::Arguments arguments(kernel_);
    for (std::size_t i = 0; i < job_.args.size(); ++i) {
      const JobArgument& a = job_.args[i];
      if (a.buffer) {
        if (a.buffer->bytes < 0) return fail(Code::invalid_argument, a.buffer->name + " has a negative size");
        const std::uint64_t address =
            WW_TRY(memory_.allocate(static_cast<std::size_t>(a.buffer->bytes), a.buffer->name));
        buffers_.push_back({&*a.buffer, address});
        arguments.add_pointer(address);
      } else if (a.value) {
        const std::string bytes = WW_TRY(bytes_of_hex(*a.value));
        arguments.add_bytes(std::as_bytes(std::span(bytes)));
      } else if (a.number) {
        add(arguments, i, *a.number);
      } else {
        return fail(Code::invalid_argument, "argument " + std::to_string(i) + " has no value");
      }
    }
    config_.params = WW_TRY(arguments.bytes());
    for (const JobBuffer& s : job_.symbols) {
      const std::uint64_t address = WW_TRY(memory_.symbol(program_, s.name));
      const std::size_t size = WW_TRY(memory_.span(address)).size();
      if (static_cast<std::int64_t>(size) != s.bytes)
        return fail(Code::invalid_argument, "the variable " + s.name + " has " + std::to_string(size) + " bytes, not " +
                                                std::to_string(s.bytes));
      symbols_.push_back({&s, address});
    }
    const auto dim = [](const std::vector<std::int64_t>& d) {
      const auto at = [&](std::size_t i) { return i < d.size() ? static_cast<std::uint32_t>(d[i]) : 1u; };
      return simt::Dim3{at(0), at(1), at(2)};
    };
    config_.grid = dim(job_.grid);
    config_.block = dim(job_.block);
    config_.dynamic_shared = static_cast<std::size_t>(job_.dyn_shared);
    return {};
  }

  Result<simt::LaunchReport> launch(std::stop_token stop) {
    for (const Placed& p : buffers_) WW_TRY(fill(memory_, p));
    for (const Placed& p : symbols_) {
      if (!p.what->content) continue;
      const std::string content = WW_TRY(bytes_of_hex(*p.what->content));
      WW_TRY(memory_.write(p.address, content.data(), content.size()));
    }
    const auto on = [&](Check c) { return std::ranges::count(job_.checks, c) > 0; };
    simt::LaunchOptions options;
    const bool more = on(Check::races) || on(Check::init) || on(Check::sync);
    options.checks = more ? simt::Checks::full : simt::Checks::bounds;
    options.races = on(Check::races) ? simt::Races::threads : simt::Races::none;
    options.uninitialised = on(Check::init);
    options.synchronisation = on(Check::sync);
    options.goes_on = options.unsupported_on_use = true;
    options.counters = job_.counters;
    options.threads = job_.threads;
    options.instruction_budget = static_cast<std::uint64_t>(job_.budget);
    options.surroundings = job_.seed;
    options.stop = std::move(stop);
    return simt::launch(program_, kernel_.name, config_, memory_, options);
  }

  Status look(Outcome& out) const {
    for (const auto* list : {&buffers_, &symbols_})
      for (const Placed& p : *list)
        if (p.what->is_output || p.what->expected) WW_TRY(look(p, out));
    return {};
  }

 private:
  // A whole number may stand for a real one.
  void add(simt::Arguments& arguments, std::size_t index, const Number& n) const {
    const bool real = index < kernel_.params.size() && kernel_.params[index].type.starts_with('f');
    if (real || std::holds_alternative<double>(n))
      arguments.add_f64(std::visit([](auto v) { return static_cast<double>(v); }, n));
    else if (const auto* whole = std::get_if<std::int64_t>(&n))
      arguments.add_i64(*whole);
    else
      arguments.add_bytes(std::as_bytes(std::span(&std::get<std::uint64_t>(n), 1)));
  }

  Status look(const Placed& p, Outcome& out) const {
    std::string bytes(static_cast<std::size_t>(p.what->bytes), '\0');
    WW_TRY(memory_.read(p.address, bytes.data(), bytes.size()));
    const auto type = dtype_from_name(p.what->type);
    const auto unwritten = WW_TRY(memory_.uninitialised(p.address, bytes.size()));
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
    const auto at = WW_TRY(
        memory_.uninitialised(p.address + static_cast<std::uint64_t>(d->index * size), static_cast<std::size_t>(size)));
    d->written = at.count == 0;
    out.differences.push_back(std::move(*d));
    return {};
  }

  const Job& job_;
  const simt::Program& program_;
  const simt::KernelInfo& kernel_;
  simt::Memory memory_;
  simt::LaunchConfig config_;
  std::vector<Placed> buffers_, symbols_;
};

std::string_view check_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::race: return "races";
    case FaultKind::uninitialised_read: return "init";
    case FaultKind::barrier_divergence:
    case FaultKind::deadlock: return "sync";
    case FaultKind::out_of_bounds:
    case FaultKind::misaligned:
    case FaultKind::read_only_write:
    case FaultKind::null_pointer:
    case FaultKind::double_free:
    case FaultKind::stack_overflow: return "memory";
    default: return "program";
  }
}

std::vector<std::uint32_t> triple(const std::uint32_t (&d)[3]) { return {d[0], d[1], d[2]}; }

std::string value_text(const simt::MachineFault::Value& v) {
  if (v.bytes == 0) return {};
  std::string text = "0x";
  for (int i = v.bytes; i-- > 0;) text += to_hex({reinterpret_cast<const char*>(&v.bits) + i, 1});
  return text;
}

Finding finding_of(const simt::MachineFault& f, bool ended) {
  Finding r;
  r.kind = f.kind;
  r.check = check_of(f.kind);
  r.message = f.message;
  r.kernel = f.kernel;
  r.site = {f.line, f.ptx_line, f.instruction, triple(f.block), triple(f.thread), -1, f.is_write, value_text(f.value)};
  if (f.other) {
    const auto& o = *f.other;
    r.other = Site{o.line,
                   o.ptx_line,
                   o.instruction,
                   triple(o.block),
                   o.thread_known ? triple(o.thread) : std::vector<std::uint32_t>(),
                   o.warp,
                   o.is_write,
                   value_text(o.value)};
  }
  r.space = simt::space_name(f.space);
  r.buffer = f.buffer;
  r.offset = f.offset;
  r.bytes = static_cast<std::int64_t>(f.access_bytes);
  r.ended = ended;
  return r;
}

void count(const simt::LaunchReport& report, Outcome& out) {
  const simt::Tally& t = report.counters.total;
  auto& c = out.counters;
  c = {{"warp_instructions", t.warp_instructions},
       {"thread_instructions", t.thread_instructions},
       {"flops_f16", t.flops_f16},
       {"flops_f32", t.flops_f32},
       {"flops_f64", t.flops_f64},
       {"flops_tensor", t.flops_tensor},
       {"branches", t.branches},
       {"divergent_branches", t.divergent_branches},
       {"global_load_requests", t.global_load_requests},
       {"global_load_sectors", t.global_load_sectors},
       {"global_load_bytes", t.global_load_bytes},
       {"global_store_requests", t.global_store_requests},
       {"global_store_sectors", t.global_store_sectors},
       {"global_store_bytes", t.global_store_bytes},
       {"shared_load_requests", t.shared_load_requests},
       {"shared_load_wavefronts", t.shared_load_wavefronts},
       {"shared_load_conflicts", t.shared_load_conflicts},
       {"shared_store_requests", t.shared_store_requests},
       {"shared_store_wavefronts", t.shared_store_wavefronts},
       {"shared_store_conflicts", t.shared_store_conflicts},
       {"local_load_requests", t.local_load_requests},
       {"local_store_requests", t.local_store_requests},
       {"barriers", t.barriers},
       {"global_atomics", t.global_atomics},
       {"shared_atomics", t.shared_atomics}};
  for (std::size_t i = 0; i < simt::instr_class_count; ++i)
    if (t.by_class[i].warp != 0)
      c.emplace_back("class_" + std::string(simt::instr_class_name(static_cast<simt::InstrClass>(i))),
                     t.by_class[i].warp);
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

std::int64_t product(const std::vector<std::int64_t>& d) {
  std::int64_t n = 1;
  for (const std::int64_t v : d) n = v > 0 && n <= 0x7fffffff / v ? n * v : 0x7fffffff;
  return n;
}

Status check_numbers(const Job& job) {
  for (const auto* d : {&job.grid, &job.block, &job.cluster})
    if (d->empty() || d->size() > 3 || std::ranges::any_of(*d, [](std::int64_t n) { return n < 1 || n > 0x7fffffff; }))
      return fail(Code::invalid_argument, "grid, block and cluster have one to three numbers from 1 on");
  if (job.dyn_shared < 0 || job.budget < 0) return fail(Code::invalid_argument, "a size or the budget is negative");
  if (job.runs < 1 || job.runs > most_runs)
    return fail(Code::invalid_argument, "the number of runs must lie between 1 and " + std::to_string(most_runs));
  return {};
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
