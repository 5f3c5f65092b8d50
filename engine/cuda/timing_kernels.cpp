// SPDX-License-Identifier: Apache-2.0
#include "cuda/timing_kernels.h"
#include <algorithm>
#include "base/draw.h"

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

std::string loads(const std::string& cached = "", const std::string& from = "%d0") {
  std::string out;
  for (int i = 0; i < 8; ++i)
    out += "  ld.global" + cached + ".v4.u32 " + four(i) + ", [" + from + "+" + std::to_string(4096 * i) + "];\n";
  return out;
}
std::string joined() {  // %r0: all that was loaded
  std::string out;
  for (int i = 1; i < 32; ++i) out += "  xor.b32 %r0, %r0, %r" + std::to_string(i) + ";\n";
  return out;
}

// Reads %r43 chunks, one in each round. The place of a round follows from its number, or the assembler would read once.
std::string reread(const std::string& name, const std::string& cached, const std::string& place) {
  return ".visible .entry " + name + R"((
  .param .u64 from, .param .u64 to, .param .u32 chunks, .param .u32 repeats)
{
  .reg .pred %p<2>;
  .reg .b32 %r<50>;
  .reg .b64 %d<8>;
  ld.param.u64 %d0, [from];
  ld.param.u64 %d1, [to];
  ld.param.u32 %r42, [chunks];
  ld.param.u32 %r43, [repeats];
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d1, %d1;
  mov.u32 %r40, %ctaid.x;
  mov.u32 %r41, %tid.x;
  mov.u32 %r44, %nctaid.x;
  mov.u32 %r45, 0;
  mov.u32 %r46, 0;
round:
)" + place +
         R"(  mul.wide.u32 %d2, %r47, 32768;
  mul.wide.u32 %d3, %r48, 16;
  add.u64 %d2, %d2, %d3;
  add.u64 %d4, %d0, %d2;
)" + loads(cached, "%d4") +
         joined() + R"(  xor.b32 %r45, %r45, %r0;
  add.u32 %r46, %r46, 1;
  setp.lt.u32 %p1, %r46, %r43;
  @%p1 bra round;
  setp.eq.u32 %p0, %r45, 0x5bd1e995;
  @%p0 st.global.u32 [%d1], %r45;
  ret;
}
)";
}

std::string program() {
  std::string text = std::string(head) + ".visible .entry ww_read" + begin_of + loads();
  text += joined();
  // The values are used, or the assembler would drop the loads; the condition hardly ever holds, and the store harms
  // nothing.
  text += "  setp.eq.u32 %p0, %r0, 0x5bd1e995;\n  @%p0 st.global.u32 [%d1], %r0;\n  ret;\n}\n";
  text += ".visible .entry ww_copy" + std::string(begin_of) + "  add.u64 %d1, %d1, %d2;\n" + loads();
  for (int i = 0; i < 8; ++i) text += "  st.global.v4.u32 [%d1+" + std::to_string(4096 * i) + "], " + four(i) + ";\n";
  text += "  ret;\n}\n";
  text += reread("ww_reread_l2", ".cg", R"(  rem.u32 %r47, %r40, %r42;
  add.u32 %r40, %r40, %r44;
  mov.u32 %r48, %r41;
)");
  return text + reread("ww_reread_l1", ".ca", R"(  mov.u32 %r47, %r40;
  shl.b32 %r48, %r46, 3;
  add.u32 %r48, %r48, %r41;
  and.b32 %r48, %r48, 255;
)");
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
  for (const auto& [function, name] : {std::pair(&read_, "ww_read"),
                                       {&copy_, "ww_copy"},
                                       {&reread_l2_, "ww_reread_l2"},
                                       {&reread_l1_, "ww_reread_l1"}})
    WW_TRY(checked(context_, d.cuModuleGetFunction_(function, module_, name), "find a kernel of the timing"));
  return {};
}

TimingKernels::~TimingKernels() {
  if (module_ && context_.usable) context_.driver->cuModuleUnload_(module_);
}

CUresult TimingKernels::launch(CUfunction function, unsigned blocks, void** arguments, CUstream stream) const {
  CUlaunchConfig config{};
  config.gridDimX = blocks;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 256;
  config.hStream = stream ? stream : context_.stream;
  return context_.driver->cuLaunchKernelEx_(&config, function, arguments, nullptr);
}

CUresult TimingKernels::read(CUdeviceptr from, std::size_t bytes, CUdeviceptr sink) const {
  void* arguments[] = {&from, &sink};
  return launch(read_, static_cast<unsigned>(bytes / kernel_chunk), arguments);
}
CUresult TimingKernels::copy(CUdeviceptr from, CUdeviceptr to, std::size_t bytes) const {
  void* arguments[] = {&from, &to};
  return launch(copy_, static_cast<unsigned>(bytes / kernel_chunk), arguments);
}
CUresult TimingKernels::reread_l2(CUdeviceptr from, unsigned chunks, unsigned blocks, unsigned repeats,
                                  CUdeviceptr sink, CUstream stream) const {
  void* arguments[] = {&from, &sink, &chunks, &repeats};
  return launch(reread_l2_, blocks, arguments, stream);
}
CUresult TimingKernels::reread_l1(CUdeviceptr from, unsigned blocks, unsigned repeats, CUdeviceptr sink) const {
  void* arguments[] = {&from, &sink, &blocks, &repeats};
  return launch(reread_l1_, blocks, arguments);
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

CUresult CacheFlush::enqueue_beside(CUstream stream, std::uint32_t seed) const {
  if (!kernels_) return CUDA_SUCCESS;
  const std::uint64_t draw = splitmix(seed);
  const auto processors = static_cast<unsigned>(std::max(1, context_.multiprocessors));
  const unsigned blocks = 1 + static_cast<unsigned>(draw % (2 * processors));
  const unsigned repeats = 20 + static_cast<unsigned>((draw >> 32) % 200);
  const auto chunks = static_cast<unsigned>(buffer_.bytes() / kernel_chunk);
  return kernels_->reread_l2(buffer_.address(), std::max(1u, chunks), blocks, repeats, buffer_.address(), stream);
}

}  // namespace ww::cuda
