// SPDX-License-Identifier: Apache-2.0
#include "cuda/timing_kernels.h"
#include <algorithm>

namespace ww::cuda {
namespace {

// Thread t of block b accesses the 16 bytes at b * 32768 + t * 16 + i * 4096, i = 0 … 7.
constexpr const char* head = R"(.version 7.0
.target sm_70
.address_size 64
)";
constexpr const char* begin_of = R"((
  .param .u64 from, .param .u64 to)
{
  .reg .pred %p<2>;
  .reg .b32 %r<48>;
  .reg .b64 %d<8>;
  ld.param.u64 %d0, [from];
  ld.param.u64 %d1, [to];
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d1, %d1;
  mov.u32 %r40, %ctaid.x;
  mov.u32 %r41, %tid.x;
  mul.wide.u32 %d2, %r40, 32768;
  mul.wide.u32 %d3, %r41, 16;
  add.u64 %d2, %d2, %d3;
  add.u64 %d0, %d0, %d2;
)";

std::string four(int i) {
  const auto r = [&](int k) { return "%r" + std::to_string(4 * i + k); };
  return "{" + r(0) + ", " + r(1) + ", " + r(2) + ", " + r(3) + "}";
}

std::string loads() {
  std::string out;
  for (int i = 0; i < 8; ++i) out += "  ld.global.v4.u32 " + four(i) + ", [%d0+" + std::to_string(4096 * i) + "];\n";
  return out;
}

std::string program() {
  std::string text = std::string(head) + ".visible .entry ww_read" + begin_of + loads();
  for (int i = 1; i < 32; ++i) text += "  xor.b32 %r0, %r0, %r" + std::to_string(i) + ";\n";
  // The values are used, or the assembler would drop the loads; the condition hardly ever holds, and the store harms
  // nothing.
  text += "  setp.eq.u32 %p0, %r0, 0x5bd1e995;\n  @%p0 st.global.u32 [%d1], %r0;\n  ret;\n}\n";
  text += ".visible .entry ww_copy" + std::string(begin_of) + "  add.u64 %d1, %d1, %d2;\n" + loads();
  for (int i = 0; i < 8; ++i) text += "  st.global.v4.u32 [%d1+" + std::to_string(4096 * i) + "], " + four(i) + ";\n";
  return text + "  ret;\n}\n";
}

}  // namespace

Result<std::shared_ptr<const TimingKernels>> TimingKernels::of(Context& context) {
  if (context.timing_kernels) return context.timing_kernels;
  const auto made = std::make_shared<TimingKernels>(context);
  WW_TRY(made->load());
  context.timing_kernels = made;
  return context.timing_kernels;
}

Status TimingKernels::load() {
  static const std::string text = program();
  const Driver& d = *context_.driver;
  CUmodule loaded = nullptr;
  if (auto s = checked(context_, d.cuModuleLoadDataEx_(&loaded, text.c_str(), 0, nullptr, nullptr),
                       "assemble the kernels of the timing");
      !s)
    return s;
  module_ = loaded;
  if (auto s = checked(context_, d.cuModuleGetFunction_(&read_, module_, "ww_read"), "find a kernel of the timing"); !s)
    return s;
  return checked(context_, d.cuModuleGetFunction_(&copy_, module_, "ww_copy"), "find a kernel of the timing");
}

TimingKernels::~TimingKernels() {
  if (module_ && context_.usable) context_.driver->cuModuleUnload_(module_);
}

CUresult TimingKernels::launch(CUfunction function, CUdeviceptr from, CUdeviceptr to, std::size_t bytes) const {
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(bytes / kernel_chunk);
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 256;
  config.hStream = context_.stream;
  void* arguments[] = {&from, &to};
  return context_.driver->cuLaunchKernelEx_(&config, function, arguments, nullptr);
}

CUresult TimingKernels::read(CUdeviceptr from, std::size_t bytes, CUdeviceptr sink) const {
  return launch(read_, from, sink, bytes);
}
CUresult TimingKernels::copy(CUdeviceptr from, CUdeviceptr to, std::size_t bytes) const {
  return launch(copy_, from, to, bytes);
}

Result<PooledBuffer> PooledBuffer::take(Context& context, std::size_t bytes, const std::string& what) {
  auto block = WW_TRY(context.pool->take(bytes, what));
  PooledBuffer b;
  b.context_ = &context;
  b.block_ = block;
  return b;
}

Status CacheFlush::prepare() {
  const std::size_t l2 = static_cast<std::size_t>(std::max<std::int64_t>(context_.l2_bytes, 8 << 20));
  auto buffer = WW_TRY(PooledBuffer::take(context_, (2 * l2 + kernel_chunk) / kernel_chunk * kernel_chunk,
                                          "the buffer that overwrites the L2 cache"));
  buffer_ = std::move(buffer);
  if (auto s = checked(
          context_,
          context_.driver->cuMemsetD32Async_(buffer_.address(), 0x3c3c3c3c, buffer_.bytes() / 4, context_.stream),
          "fill a buffer");
      !s)
    return s;
  if (auto kernels = TimingKernels::of(context_); kernels) {
    kernels_ = *kernels;
  } else {
    if (!context_.usable) return fail(kernels.error());
    note_ = "the L2 cache was overwritten by writes, whose lines the timed work had to write back (" +
            kernels.error().text() + ")";
  }
  return {};
}

CUresult CacheFlush::enqueue() const {
  const std::size_t bytes = buffer_.bytes() / kernel_chunk * kernel_chunk;
  if (!kernels_) return context_.driver->cuMemsetD32Async_(buffer_.address(), 0x3c3c3c3c, bytes / 4, context_.stream);
  const CUresult code = kernels_->read(buffer_.address(), bytes, buffer_.address());
  return code == CUDA_SUCCESS ? kernels_->read(buffer_.address(), kernel_chunk, buffer_.address()) : code;
}

}  // namespace ww::cuda
