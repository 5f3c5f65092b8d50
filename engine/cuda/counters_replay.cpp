// SPDX-License-Identifier: Apache-2.0
#include "cuda/counters_replay.h"
#include <algorithm>
#include <set>

namespace ww::cuda {
namespace {

constexpr double launch_limit = 60;  // seconds; profiled kernels take longer

// Reads `n` times 16 bytes from `p`, all threads in strides; stores to `o` only if the words' sum by exclusive or is a
// number that it is not.
constexpr const char* read_all = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry ww_read_all(.param .u64 p, .param .u64 n, .param .u64 o)
{
  .reg .b64 %from, %count, %out, %i, %step, %at;
  .reg .b32 %x, %y, %z, %w, %sum, %a, %b;
  .reg .pred %done;
  ld.param.u64 %from, [p];
  ld.param.u64 %count, [n];
  ld.param.u64 %out, [o];
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mul.lo.u32 %a, %a, %b;
  mov.u32 %x, %tid.x;
  add.u32 %a, %a, %x;
  cvt.u64.u32 %i, %a;
  mov.u32 %a, %nctaid.x;
  mul.lo.u32 %a, %a, %b;
  cvt.u64.u32 %step, %a;
  mov.u32 %sum, 0;
MORE:
  setp.ge.u64 %done, %i, %count;
  @%done bra END;
  shl.b64 %at, %i, 4;
  add.u64 %at, %at, %from;
  ld.global.v4.u32 {%x, %y, %z, %w}, [%at];
  xor.b32 %x, %x, %y;
  xor.b32 %z, %z, %w;
  xor.b32 %x, %x, %z;
  xor.b32 %sum, %sum, %x;
  add.u64 %i, %i, %step;
  bra MORE;
END:
  setp.ne.u32 %done, %sum, 305419896;
  @%done bra LEAVE;
  st.global.u32 [%out], %sum;
LEAVE:
  ret;
}
)";

}  // namespace

Replay::Module::~Module() {
  if (module && context->usable) context->driver->cuModuleUnload_(module);
}

Replay::~Replay() = default;

Status Replay::finish(const std::string& doing) {
  const Waited done = wait(*context_, launch_limit, {});
  if (done.code == CUDA_ERROR_NOT_READY)
    return fail(Code::unavailable, "the GPU did not answer: it could not " + doing);
  return checked(*context_, done.code, doing);
}

Result<Replay> Replay::make(Context& context, CudaExecution& execution,
                            std::span<const candidate::PlannedLaunch> launches) {
  Replay r(context, execution, launches);
  const Driver& d = *context.driver;
  const auto memory = [&](std::size_t bytes, const std::string& what) -> Result<Memory> {
    const Block block = WW_TRY(context.pool->take(bytes, what));
    // Given back to the pool before the context goes: whoever counts holds the context (the alias keeps no second count
    // of it).
    return Memory(std::shared_ptr<Context>(std::shared_ptr<Context>(), &context), block);
  };
  std::set<std::string> names;
  for (const candidate::PlannedLaunch& l : launches)
    for (const candidate::PlannedArg& a : l.args)
      if (a.kind == candidate::PlannedArg::Kind::tensor && !a.tensor.empty()) names.insert(a.tensor);
  for (const std::string& name : names) {
    const Block tensor = WW_TRY(execution.extent(name));
    if (tensor.bytes == 0) continue;
    Memory copy = WW_TRY(memory(tensor.bytes, "a copy of the tensor " + name + " to count on"));
    WW_TRY(checked(context, d.cuMemcpyDtoDAsync_(copy.address(), tensor.address, tensor.bytes, context.stream),
                   "copy " + name));
    r.kept_.push_back({tensor, std::move(copy)});
  }
  r.module_.context = &context;
  WW_TRY(checked(context, d.cuModuleLoadDataEx_(&r.module_.module, read_all, 0, nullptr, nullptr),
                 "load the kernel that empties the cache"));
  WW_TRY(checked(context, d.cuModuleGetFunction_(&r.module_.read, r.module_.module, "ww_read_all"),
                 "find the kernel that empties the cache"));
  r.cold_bytes_ = static_cast<std::size_t>(
                      std::clamp<std::int64_t>(4 * context.l2_bytes, std::int64_t{16} << 20, std::int64_t{1} << 30)) /
                  256 * 256;
  Memory cold = WW_TRY(memory(r.cold_bytes_ + 256, "what empties the cache"));
  r.cold_ = std::move(cold);
  WW_TRY(
      checked(context, d.cuMemsetD8Async_(r.cold_.address(), 0, r.cold_bytes_ + 256, context.stream), "fill memory"));
  WW_TRY(r.finish("copy the tensors"));
  return r;
}

Status Replay::restore() {
  for (const TensorCopy& k : kept_)
    if (Status s = checked(
            *context_,
            context_->driver->cuMemcpyDtoDAsync_(k.tensor.address, k.copy.address(), k.tensor.bytes, context_->stream),
            "copy a tensor");
        !s)
      return s;
  return finish("copy the tensors back");
}

Status Replay::chill() {
  CUdeviceptr from = cold_.address(), out = from + cold_bytes_;
  std::uint64_t count = cold_bytes_ / 16;
  void* arguments[] = {&from, &count, &out};
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(std::max(1, context_->multiprocessors) * 8);
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 256;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = context_->stream;
  if (Status s = checked(*context_, context_->driver->cuLaunchKernelEx_(&config, module_.read, arguments, nullptr),
                         "empty the cache");
      !s)
    return s;
  return finish("empty the cache");
}

Status Replay::launch(std::size_t which) {
  if (Status s = enqueue(*execution_, launches_[which], context_->stream); !s) return s;
  return finish("run " + launches_[which].kernel);
}

Status Replay::launch(std::size_t which, LoadedCode& code) {
  const Enqueued done = WW_TRY(code.enqueue(
      launches_[which],
      [&](const std::string& tensor) -> std::optional<std::uint64_t> {
        const Result<Block> extent = execution_->extent(tensor);
        return extent ? std::optional<std::uint64_t>(extent->address) : std::nullopt;
      },
      context_->stream));
  if (Status s = checked(*context_, done.code, "launch " + launches_[which].kernel); !s) return s;
  return finish("run " + launches_[which].kernel);
}

}  // namespace ww::cuda
