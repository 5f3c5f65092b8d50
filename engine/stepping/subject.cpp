// SPDX-License-Identifier: Apache-2.0
#include "stepping/subject.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include "base/hex.h"
#include "candidate/excluded.h"
#include "corpus/kernels.h"
#include "gate/cases.h"
#include "gate/planted.h"
#include "gate/prepared.h"
#include "gate/reference.h"
#include "op/parse.h"
#include "ptx/lines.h"
#include "rpc/simulate.h"
#include "rpc/supervisor.h"
#include "sim/case_file.h"
#include "sim/register_names.h"

namespace ww::stepping {
namespace {

constexpr double usual_work = 1 << 14;  // of a case that is chosen to be stepped through

struct Content {
  std::int64_t bytes = 0;
  DType dtype = DType::f32;
  std::optional<std::string> hex;  // empty: never written
  bool input = false;
};
using Contents = std::map<std::string, Content>;

class Preparation {
 public:
  Preparation(const SteppedLaunch& subject, rpc::Supervisor& worker, std::stop_token stop)
      : subject_(subject), worker_(worker), stop_(std::move(stop)) {}

  Result<Prepared> run() {
    spec_ = WW_TRY(op::parse_spec(subject_.spec));
    const candidate::Candidate parsed = WW_TRY(candidate::parse(subject_.candidate, subject_.language));
    const candidate::Tuning tuning = candidate::first_tuning(parsed);
    WW_TRY(candidate::check_contract(parsed, spec_));
    out_.binding = WW_TRY(gate::whole_binding(spec_, subject_.binding));
    if (subject_.binding == op::Binding{})
      out_.binding = WW_TRY(gate::reduced_case(spec_, out_.binding, usual_work)).binding;
    const bool claimed = WW_TRY(candidate::claims(parsed, spec_, out_.binding, tuning));
    if (!claimed)
      return fail(Code::invalid_argument, "the candidate does not claim these sizes: " +
                                              candidate::excluded_text(parsed, spec_, out_.binding, tuning));
    const candidate::Plan plan = WW_TRY(candidate::plan(parsed, spec_, out_.binding, tuning));
    out_.launches = plan.launches;
    if (subject_.launch < 0 || subject_.launch >= static_cast<int>(plan.launches.size()))
      return fail(Code::invalid_argument, "the plan has no launch " + std::to_string(subject_.launch + 1));
    WW_TRY(check_size(plan));
    WW_TRY(compile());
    WW_TRY(fill(plan));
    for (int i = 0; i < subject_.launch; ++i) WW_TRY(pass(plan.launches[static_cast<std::size_t>(i)], i));
    out_.job = WW_TRY(job_of(plan.launches[static_cast<std::size_t>(subject_.launch)]));
    return std::move(out_);
  }

 private:
  Status compile() {
    if (subject_.language == candidate::Language::ptx) {
      ptx_ = subject_.candidate;
      out_.lines.resize(static_cast<std::size_t>(std::ranges::count(ptx_, '\n')) + 1);
      std::iota(out_.lines.begin(), out_.lines.end(), 1);
      return {};
    }
    rpc::CompileRequest request;
    request.candidate = subject_.candidate;
    request.debug = subject_.debug;
    ptx_ = WW_TRY(worker_.compile(request, stop_)).ptx;
    out_.lines = ptx::source_lines(ptx::parse(ptx_));
    return {};
  }

  // Before anything is drawn or allocated; in double, since the sizes may be anything.
  Status check_size(const candidate::Plan& plan) const {
    double bytes = 0;
    for (const std::vector<op::Param>* params : {&spec_.inputs, &spec_.outputs})
      for (const op::Param& p : *params) {
        auto of_it = static_cast<double>(dtype_size(p.dtype));
        for (const std::int64_t n : WW_TRY(op::shape_of(spec_, p, out_.binding))) of_it *= static_cast<double>(n);
        bytes += of_it;
      }
    for (const candidate::PlannedTensor& t : plan.temps)
      bytes += static_cast<double>(t.count) * static_cast<double>(dtype_size(t.dtype));
    if (bytes > static_cast<double>(sim::max_content_bytes))
      return fail(Code::invalid_argument, "the tensors are too large at these sizes: choose smaller ones");
    return {};
  }

  Status fill(const candidate::Plan& plan) {
    gate::InputSet set{out_.binding, subject_.distribution, subject_.seed, {}, op::Precision::usual};
    if (set.distribution == op::Distribution::planted) set.planted = gate::compared_constants(ptx_);
    out_.planted = set.planted;
    for (const auto& [name, tensor] : WW_TRY(gate::make_inputs(spec_, set))) {
      const std::string_view bytes(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
      contents_[name] = {static_cast<std::int64_t>(bytes.size()), tensor.dtype, to_hex(bytes), true};
      out_.buffers.push_back({name, tensor.dtype, tensor.shape});
    }
    for (const op::Param& p : spec_.outputs) {
      const auto shape = WW_TRY(op::shape_of(spec_, p, out_.binding));
      add(p.name, p.dtype, op::element_count(shape), std::ranges::count(plan.zeroed_outputs, p.name) > 0);
      out_.buffers.push_back({p.name, p.dtype, shape});
    }
    for (const candidate::PlannedTensor& t : plan.temps) add(t.name, t.dtype, t.count, t.zeroed);
    return {};
  }
  void add(const std::string& name, DType dtype, std::int64_t count, bool zeroed) {
    Content c{count * static_cast<std::int64_t>(dtype_size(dtype)), dtype, {}, false};
    if (zeroed) c.hex = std::string(2 * static_cast<std::size_t>(c.bytes), '0');
    contents_[name] = std::move(c);
  }

  Result<sim::Job> job_of(const candidate::PlannedLaunch& launch) const {
    sim::Job job;
    job.code = ptx_;
    job.language = candidate::Language::ptx;
    job.entry = launch.kernel;
    const auto dims = [](const std::array<std::uint32_t, 3>& d) {
      return std::vector<std::int64_t>(d.begin(), d.end());
    };
    job.grid = dims(launch.grid);
    job.block = dims(launch.block);
    job.cluster = dims(launch.cluster);
    job.cooperative = launch.cooperative;
    job.dyn_shared = static_cast<std::int64_t>(launch.shared_bytes);
    const std::vector<std::string> names = subject_.language == candidate::Language::cuda
                                               ? sim::parameter_names(subject_.candidate, launch.kernel)
                                               : std::vector<std::string>();
    for (const candidate::PlannedArg& arg : launch.args) {
      sim::JobArgument a;
      if (names.size() == launch.args.size()) a.parameter = names[job.args.size()];
      if (arg.kind == candidate::PlannedArg::Kind::real) {
        a.number = arg.real;
      } else if (arg.kind == candidate::PlannedArg::Kind::integer) {
        a.number = arg.integer;
      } else {
        const Content& c = contents_.at(arg.tensor);
        const bool twice = std::ranges::any_of(
            job.args, [&](const sim::JobArgument& b) { return b.buffer && b.buffer->name == arg.tensor; });
        if (twice) return fail(Code::unsupported, "the launch is given " + arg.tensor + " twice, and is not stepped");
        sim::JobBuffer b;
        b.name = arg.tensor;
        b.bytes = c.bytes;
        b.content = c.hex;
        b.type = dtype_name(c.dtype);
        b.read_only = c.input;
        b.is_output = !c.input;
        a.buffer = std::move(b);
      }
      job.args.push_back(std::move(a));
    }
    return job;
  }

  // A launch before the one that is stepped.
  Status pass(const candidate::PlannedLaunch& launch, int number) {
    rpc::SimulateRequest request{WW_TRY(job_of(launch))};
    request.job.checks = {sim::Check::memory};
    request.job.counters = false;
    request.job.returns_bytes = true;
    const sim::Outcome outcome = WW_TRY(worker_.simulate(request, stop_));
    if (outcome.ending == sim::Ending::found || outcome.ending == sim::Ending::not_judged)
      return fail(Code::invalid_argument,
                  "launch " + std::to_string(number + 1) + ", before it, does not end: " + outcome.why);
    for (const sim::Output& o : outcome.outputs)
      if (o.unwritten < o.bytes) contents_.at(o.name).hex = o.hex;
    return {};
  }

  const SteppedLaunch& subject_;
  rpc::Supervisor& worker_;
  const std::stop_token stop_;
  op::Spec spec_;
  std::string ptx_;
  Contents contents_;
  Prepared out_;
};

}  // namespace

Result<Prepared> prepare(const SteppedLaunch& subject, rpc::Supervisor& worker, std::stop_token stop) {
  return Preparation(subject, worker, std::move(stop)).run();
}

const evidence::Failure* failure_to_step(const evidence::Verdict& verdict) {
  const evidence::StageResult* last = verdict.accepted ? nullptr : verdict.last_stage();
  if (!last || !last->failure || last->failure->case_name.empty()) return nullptr;
  return &*last->failure;
}

SteppedLaunch subject_of(const evidence::Failure& failure, std::string spec, std::string candidate,
                         candidate::Language language) {
  SteppedLaunch out;
  out.spec = std::move(spec);
  out.candidate = std::move(candidate);
  out.language = language;
  out.binding = failure.binding;
  out.distribution = failure.distribution;
  out.seed = failure.seed;
  return out;
}

std::optional<sim::StopAt> where_wrong(const evidence::Failure& failure, const Prepared& prepared) {
  if (failure.fault || !failure.element) return {};
  const auto buffer = std::ranges::find(prepared.buffers, failure.element->tensor, &Buffer::name);
  if (buffer == prepared.buffers.end() || buffer->shape.size() != failure.element->index.size()) return {};
  sim::StopAt at;
  at.kind = sim::StopKind::write;
  at.buffer = buffer->name;
  for (std::size_t i = 0; i < buffer->shape.size(); ++i)
    at.index = at.index * buffer->shape[i] + failure.element->index[i];
  return at;
}

int launch_of(const evidence::Failure& failure, const std::vector<candidate::PlannedLaunch>& launches) {
  for (std::size_t i = launches.size(); i-- > 0;) {
    const auto given = [&](const candidate::PlannedArg& a) {
      return a.kind == candidate::PlannedArg::Kind::tensor && failure.element && a.tensor == failure.element->tensor;
    };
    if (failure.fault ? launches[i].kernel == failure.fault->kernel : std::ranges::any_of(launches[i].args, given))
      return static_cast<int>(i);
  }
  return 0;
}

std::string sizes_text(const op::Binding& binding) {
  std::string out;
  for (const auto& [name, value] : binding.symbols)
    out += (out.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return out;
}

op::Binding binding_for(const op::Spec& spec, op::Binding set) {
  for (const op::Constant& c : spec.constants)
    if (const auto at = set.symbols.find(c.name); at != set.symbols.end()) {
      set.constants[c.name] = static_cast<double>(at->second);
      set.symbols.erase(at);
    }
  return set;
}

Result<op::Binding> sizes_of(const std::string& text, const op::Spec& spec) {
  op::Binding read = binding_for(spec, WW_TRY(corpus::binding_of(text)));
  WW_TRY(op::resolve(spec, read));
  return read;
}

}  // namespace ww::stepping
