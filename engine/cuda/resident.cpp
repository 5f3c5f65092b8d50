// SPDX-License-Identifier: Apache-2.0
#include "cuda/resident.h"
#include <algorithm>
#include <cstring>
#include "cuda/execution.h"
#include "cuda/faults.h"
#include "cuda/service.h"
#include "op/parse.h"
#include "oracle/oracle.h"

namespace ww::cuda {
namespace {

constexpr double reference_limit = 120;  // seconds of one launch of a reference
constexpr std::size_t programs_kept = 16;

// Launches `launch`, whose tensors are in `tensors`, and waits for it.
Status run(Context& context, LoadedCode& code, const candidate::PlannedLaunch& launch,
           const std::map<std::string, CUdeviceptr>& tensors, const std::stop_token& stop, const std::string& what) {
  if (stop.stop_requested()) return fail(Code::cancelled, "cancelled while " + what);
  const Enqueued begun = WW_TRY(code.enqueue(
      launch,
      [&](const std::string& name) -> std::optional<std::uint64_t> {
        const auto at = tensors.find(name);
        return at == tensors.end() ? std::nullopt : std::optional<std::uint64_t>(at->second);
      },
      context.stream));
  if (begun.code != CUDA_SUCCESS)
    return fail(Code::device, what + ": the launch of " + launch.kernel + " was refused",
                classify(begun.code).sentence + " " + begun.why);
  const Waited done = wait(context, reference_limit, stop);
  if (done.cancelled) return fail(Code::cancelled, "cancelled while " + what);
  if (done.code == CUDA_ERROR_NOT_READY)
    return fail(Code::device, what + ": the kernel " + launch.kernel + " had not ended after 120 s");
  if (done.code != CUDA_SUCCESS)
    return fail(Code::device, what + ": the kernel " + launch.kernel + " stopped with " + classify(done.code).sentence);
  return {};
}

std::uint32_t blocks_for(const Context& context, std::int64_t count) {
  const std::int64_t most = std::max(1, context.multiprocessors) * 8;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>((count + 1023) / 1024, 1, most));
}

Result<std::unique_ptr<LoadedCode>> compile_code(Context& context, const std::string& text, compile::Compiler& compiler,
                                                 const std::string& what) {
  compile::Request request;
  request.code = text;
  request.architecture = architecture_of(context);
  const Result<compile::Output> output = compiler.compile(request);
  if (!output)
    return fail(output.error().code == Code::compile ? Code::internal : output.error().code,
                what + " cannot be compiled", output.error().text());
  const auto image = WW_TRY(make_image(*output));
  return LoadedCode::load(context, image);
}

class Maker {
 public:
  Maker(std::shared_ptr<Context> context, const op::Spec& spec, const device::SetRequest& request,
        compile::Compiler& compiler)
      : context_(std::move(context)),
        spec_(spec),
        request_(request),
        compiler_(compiler),
        set_(std::make_shared<CudaSet>(context_)) {}

  Result<std::shared_ptr<const device::ResidentSet>> make() {
    WW_TRY(enter(*context_));
    std::shared_ptr<Service> service = WW_TRY(Service::get(*context_, compiler_));
    service_ = service;
    WW_TRY(make_inputs());
    for (const op::Param& p : spec_.outputs) {
      auto shape = WW_TRY(op::shape_of(spec_, p, request_.binding));
      set_->all_shapes[p.name] = std::move(shape);
    }
    if (request_.references) WW_TRY(make_references());
    WW_TRY(set_->seal());
    return std::shared_ptr<const device::ResidentSet>(set_);
  }

 private:
  Status make_inputs() {
    int ordinal = 0;
    for (const op::Param& p : spec_.inputs) {
      auto shape = WW_TRY(op::shape_of(spec_, p, request_.binding));
      const auto domain = WW_TRY(op::domain_of(spec_, p, request_.binding));
      const std::int64_t count = op::element_count(shape);
      CudaSet::Input input;
      input.dtype = p.dtype;
      input.bytes = static_cast<std::size_t>(count) * dtype_size(p.dtype);
      Memory memory = WW_TRY(Memory::take(context_, input.bytes, "the input " + p.name));
      input.memory = std::move(memory);
      tensors_[p.name] = input.memory.address();
      if (domain.rules && count > 0) {
        if (Status s = make_on_host(p, domain, ordinal++, count, shape, input.memory); !s) return s;
        set_->all_shapes[p.name] = std::move(shape);
        set_->inputs.emplace(p.name, std::move(input));
        continue;
      }
      const auto launch = fill_launch(p.name, request_.distribution, request_.seed, ordinal++, p.dtype, domain, count,
                                      blocks_for(*context_, count));
      if (count > 0)
        if (Status s =
                run(*context_, service_->kernels(), launch, tensors_, request_.stop, "making the input " + p.name);
            !s)
          return s;
      set_->all_shapes[p.name] = std::move(shape);
      set_->inputs.emplace(p.name, std::move(input));
    }
    return {};
  }

  // Rules of rows are kept there alone.
  Status make_on_host(const op::Param& p, const op::Domain& domain, int ordinal, std::int64_t count,
                      const std::vector<std::int64_t>& shape, const Memory& to) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * dtype_size(p.dtype));
    op::fill_input(request_.distribution, request_.seed, ordinal, p.dtype, domain, count, bytes.data(),
                   shape.empty() ? 1 : shape.back());
    return checked(*context_, context_->driver->cuMemcpyHtoD_(to.address(), bytes.data(), bytes.size()),
                   "copy the input " + p.name);
  }

  Status make_references() {
    const oracle::Program program = WW_TRY(oracle::lower_reference(spec_, request_.binding));
    const std::shared_ptr<LoadedCode> code = WW_TRY(service_->program(*context_, program.code, compiler_));
    std::map<std::string, Memory> buffers;
    for (const candidate::PlannedTensor& t : program.buffers) {
      const std::size_t bytes = static_cast<std::size_t>(t.count) * dtype_size(t.dtype);
      Memory memory = WW_TRY(Memory::take(context_, bytes, "the reference's " + t.name));
      // Poison is NaN: an element that the reference left out cannot be taken for a value.
      if (bytes > 0)
        if (Status s = checked(
                *context_,
                context_->driver->cuMemsetD8Async_(memory.address(), t.zeroed ? 0 : 0xff, bytes, context_->stream),
                "fill memory");
            !s)
          return s;
      tensors_[t.name] = memory.address();
      buffers.emplace(t.name, std::move(memory));
    }
    for (const candidate::PlannedLaunch& launch : program.launches)
      if (Status s = run(*context_, *code, launch, tensors_, request_.stop, "evaluating the reference"); !s) return s;
    for (const oracle::Output& o : program.outputs) {
      const op::Param* p = op::find_param(spec_, o.tensor);
      const auto value = buffers.find(o.value), bound = buffers.find(o.bound);
      if (!p || value == buffers.end() || (!o.bound.empty() && bound == buffers.end()))
        return fail(Code::internal, "the reference's output " + o.tensor + " has no buffer");
      CudaSet::Output out;
      out.dtype = p->dtype;
      out.count = op::element_count(set_->all_shapes[o.tensor]);
      out.value = std::move(value->second);
      out.has_bound = !o.bound.empty();
      if (out.has_bound)
        out.bound = std::move(bound->second);
      else if (is_real(p->dtype))
        return fail(Code::internal, "the reference's output " + o.tensor + " has no error bound");
      set_->outputs.emplace(o.tensor, std::move(out));
    }
    set_->references = true;
    return {};
  }

  const std::shared_ptr<Context> context_;
  const op::Spec& spec_;
  const device::SetRequest& request_;
  compile::Compiler& compiler_;
  std::shared_ptr<Service> service_;
  std::shared_ptr<CudaSet> set_;
  std::map<std::string, CUdeviceptr> tensors_;
};

}  // namespace

std::string architecture_of(const Context& context) {
  // From 9.0 on, the device's own instructions (wgmma, …) exist only in code for exactly this architecture.
  return "sm_" + std::to_string(context.major * 10 + context.minor) + (context.major >= 9 ? "a" : "");
}

Result<std::shared_ptr<Service>> Service::get(Context& context, compile::Compiler& compiler) {
  if (context.service) return context.service;
  auto service = std::make_shared<Service>();
  std::unique_ptr<LoadedCode> kernels =
      WW_TRY(compile_code(context, service_source, compiler, "the device's own kernels"));
  service->kernels_ = std::move(kernels);
  context.service = service;
  return service;
}

Result<std::shared_ptr<LoadedCode>> Service::program(Context& context, const std::string& code,
                                                     compile::Compiler& compiler) {
  for (const auto& [text, program] : programs_)
    if (text == code) return program;
  std::unique_ptr<LoadedCode> loaded = WW_TRY(compile_code(context, code, compiler, "the reference's kernels"));
  if (programs_.size() >= programs_kept) programs_.erase(programs_.begin());
  return programs_.emplace_back(code, std::move(loaded)).second;
}

namespace {

// Digests of many parts: all are enqueued, then waited for once.
Result<std::vector<std::uint64_t>> digests(Context& context, const std::vector<const CudaSet::Sealed*>& parts) {
  std::vector<std::uint64_t> out(parts.size());
  if (parts.empty()) return out;
  const Block block = WW_TRY(context.pool->take(parts.size() * 8, "digests"));
  const auto work = [&]() -> Status {
    if (Status s =
            checked(context, context.driver->cuMemsetD8Async_(block.address, 0, parts.size() * 8, context.stream),
                    "fill memory");
        !s)
      return s;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto begun = WW_TRY(context.service->kernels().enqueue(
          digest_launch("words", parts[i]->words, "sum", blocks_for(context, parts[i]->words)),
          [&](const std::string& name) {
            return std::optional<std::uint64_t>(name == "sum" ? block.address + i * 8 : parts[i]->address);
          },
          context.stream));
      if (Status s = checked(context, begun.code, "take digests"); !s) return s;
    }
    if (Status s = checked(
            context, context.driver->cuMemcpyDtoHAsync_(out.data(), block.address, out.size() * 8, context.stream),
            "read digests");
        !s)
      return s;
    return checked(context, wait(context, reference_limit, {}).code, "take digests");
  };
  const Status done = work();
  if (context.usable) context.pool->give(block);
  WW_CHECK(done);
  return out;
}

}  // namespace

CudaSet::CudaSet(std::shared_ptr<Context> context) : context_(std::move(context)) { context_->sets.push_back(this); }
CudaSet::~CudaSet() { std::erase(context_->sets, this); }

Status CudaSet::seal() {
  std::vector<Sealed> parts;
  const auto add = [&](std::string name, const Memory& memory, std::size_t bytes) {
    if (bytes > 0) parts.push_back({std::move(name), memory.address(), static_cast<std::int64_t>((bytes + 7) / 8)});
  };
  for (const auto& [name, i] : inputs) add("the input " + name, i.memory, i.bytes);
  for (const auto& [name, o] : outputs) {
    add("the reference of " + name, o.value, static_cast<std::size_t>(o.count) * 8);
    if (o.has_bound) add("the error bounds of " + name, o.bound, static_cast<std::size_t>(o.count) * 8);
  }
  std::vector<const Sealed*> pointers;
  for (const Sealed& p : parts) pointers.push_back(&p);
  const auto sums = WW_TRY(digests(*context_, pointers));
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].digest = sums[i];
  sealed_ = std::move(parts);
  return {};
}

Result<std::string> damage(Context& context) {
  std::vector<const CudaSet::Sealed*> parts;
  for (const CudaSet* set : context.sets)
    for (const CudaSet::Sealed& p : set->sealed()) parts.push_back(&p);
  const auto sums = WW_TRY(digests(context, parts));
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i]->digest != sums[i]) return parts[i]->name;
  return std::string();
}

std::size_t CudaSet::bytes() const {
  std::size_t sum = 0;
  for (const auto& [name, i] : inputs) sum += i.memory.bytes();
  for (const auto& [name, o] : outputs) sum += o.value.bytes() + o.bound.bytes();
  return sum;
}

Status CudaSet::copy(void* to, const Memory& from, std::size_t bytes) const {
  if (Status s = enter(*context_); !s || bytes == 0) return s;
  if (Status s = checked(*context_, context_->driver->cuMemcpyDtoHAsync_(to, from.address(), bytes, context_->stream),
                         "copy from the device");
      !s)
    return s;
  return checked(*context_, wait(*context_, default_launch_limit, {}).code, "copy from the device");
}

Result<op::HostTensor> CudaSet::input(const std::string& name) const {
  const auto at = inputs.find(name);
  if (at == inputs.end()) return fail(Code::not_found, "the set has no input " + name);
  op::HostTensor t;
  t.dtype = at->second.dtype;
  t.shape = all_shapes.at(name);
  t.bytes.resize(at->second.bytes);
  WW_TRY(copy(t.bytes.data(), at->second.memory, t.bytes.size()));
  return t;
}

Result<op::ReferenceTensor> CudaSet::reference(const std::string& name) const {
  const auto at = outputs.find(name);
  if (at == outputs.end()) return fail(Code::not_found, "the set has no reference of " + name);
  const Output& o = at->second;
  const auto n = static_cast<std::size_t>(o.count);
  op::ReferenceTensor t;
  t.dtype = o.dtype;
  t.shape = all_shapes.at(name);
  void* values = nullptr;
  if (is_real(o.dtype))
    t.value.resize(n), values = t.value.data();
  else
    t.integer.resize(n), values = t.integer.data();
  WW_TRY(copy(values, o.value, n * 8));
  if (!o.has_bound) return t;
  t.bound.resize(n);
  WW_TRY(copy(t.bound.data(), o.bound, n * 8));
  return t;
}

Result<std::shared_ptr<const device::ResidentSet>> make_resident_set(std::shared_ptr<Context> context,
                                                                     const op::Spec& spec,
                                                                     const device::SetRequest& request,
                                                                     compile::Compiler& compiler) {
  return Maker(std::move(context), spec, request, compiler).make();
}

// An execution's dealings with a set.

namespace {

Result<const CudaSet*> own(const Context& context, const device::ResidentSet& set) {
  const auto* here = dynamic_cast<const CudaSet*>(&set);
  if (!here || !here->of(context)) return fail(Code::internal, "the input set belongs to another device");
  return here;
}

}  // namespace

Status CudaExecution::fill(const std::string& name, const device::ResidentSet& set) {
  const CudaSet* here = WW_TRY(own(*context_, set));
  const auto from = here->inputs.find(name);
  if (from == here->inputs.end()) return fail(Code::internal, "the set has no input " + name);
  const Buffer* b = WW_TRY(find(name, from->second.bytes));
  if (b->bytes == 0) return {};
  return checked(
      *context_,
      context_->driver->cuMemcpyDtoDAsync_(b->address, from->second.memory.address(), b->bytes, context_->stream),
      "copy " + name);
}

Result<bool> CudaExecution::holds_set(const std::string& name, const device::ResidentSet& set) const {
  const CudaSet* here = WW_TRY(own(*context_, set));
  const auto from = here->inputs.find(name);
  if (from == here->inputs.end()) return fail(Code::internal, "the set has no input " + name);
  const Buffer* b = WW_TRY(find(name, from->second.bytes));
  if (b->bytes == 0) return true;
  const Memory flag = WW_TRY(Memory::take(context_, 4, "a flag"));
  WW_TRY(set_bytes(flag.address(), 0, 4));
  const auto bytes = static_cast<std::int64_t>(b->bytes);
  const auto launch = differ_launch("a", "b", bytes, "flag", blocks_for(*context_, bytes / 16));
  WW_TRY(run(*context_, context_->service->kernels(), launch,
             {{"a", b->address}, {"b", from->second.memory.address()}, {"flag", flag.address()}}, {},
             "comparing " + name));
  std::uint32_t differs = 1;
  WW_TRY(checked(*context_, context_->driver->cuMemcpyDtoH_(&differs, flag.address(), 4), "read a flag"));
  return differs == 0;
}

Result<device::ResidentComparison> CudaExecution::compare_set(const std::string& name,
                                                              const device::ResidentSet& set) const {
  const CudaSet* here = WW_TRY(own(*context_, set));
  const auto at = here->outputs.find(name);
  if (at == here->outputs.end()) return fail(Code::internal, "the set has no reference of " + name);
  const CudaSet::Output& expected = at->second;
  const Buffer* b = WW_TRY(find(name, static_cast<std::size_t>(expected.count) * dtype_size(expected.dtype)));
  if (expected.count == 0) return device::ResidentComparison();
  const std::uint32_t blocks = blocks_for(*context_, expected.count);
  const Memory parts = WW_TRY(Memory::take(context_, blocks * compare_part_bytes, "the comparison's parts"));
  const Memory result = WW_TRY(Memory::take(context_, sizeof(CompareResult), "the comparison's result"));
  const std::map<std::string, CUdeviceptr> tensors = {{"actual", b->address},
                                                      {"value", expected.value.address()},
                                                      {"bound", expected.bound.address()},
                                                      {"parts", parts.address()},
                                                      {"result", result.address()}};
  const CompareTensors names{"actual", "value", expected.has_bound ? "bound" : "", "parts", "result"};
  for (const candidate::PlannedLaunch& launch : compare_launches(names, expected.dtype, expected.count, blocks))
    WW_TRY(run(*context_, context_->service->kernels(), launch, tensors, {}, "comparing " + name));
  CompareResult r{};
  WW_TRY(checked(*context_, context_->driver->cuMemcpyDtoH_(&r, result.address(), sizeof r), "read the comparison"));
  return device::ResidentComparison{expected.count, r.unchecked, r.wrong, r.worst,
                                    r.expected,     r.actual,    r.bound, r.largest_ratio};
}

}  // namespace ww::cuda
