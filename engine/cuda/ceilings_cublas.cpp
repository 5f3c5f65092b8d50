// SPDX-License-Identifier: Apache-2.0
// Declarations and values follow the cuBLAS 13 documentation (cublas_api.h, library_types.h); its header is not needed
// to build.
#include "cuda/ceilings_cublas.h"
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include "base/dtype.h"
#include "compile/library.h"
#include "cuda/timing_kernels.h"
#include "profile/statistics.h"

namespace ww::cuda {
namespace {

using Handle = void*;
using Code_ = int;                                              // cublasStatus_t; 0: CUBLAS_STATUS_SUCCESS
constexpr int transposed = 1, plain = 0;                        // cublasOperation_t
constexpr int default_algorithm = -1;                           // CUBLAS_GEMM_DEFAULT
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what cuBLAS itself takes on Hopper

struct Blas {
  Code_ (*create)(Handle*) = nullptr;
  Code_ (*destroy)(Handle) = nullptr;
  Code_ (*set_stream)(Handle, void*) = nullptr;
  Code_ (*set_workspace)(Handle, void*, std::size_t) = nullptr;
  Code_ (*gemm)(Handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*,
                void*, int, int, int, int) = nullptr;
};

Result<Blas> load(const std::filesystem::path& folder) {
  constexpr const char* file = "libcublas.so.13";
  auto library = compile::Library::open(folder / file);
  if (!library) library = compile::Library::open(file);
  if (!library) return fail(Code::unavailable, "there is no cuBLAS (libcublas.so.13)");
  Blas b;
  const bool complete = library->find("cublasCreate_v2", b.create) && library->find("cublasDestroy_v2", b.destroy) &&
                        library->find("cublasSetStream_v2", b.set_stream) &&
                        library->find("cublasSetWorkspace_v2", b.set_workspace) &&
                        library->find("cublasGemmEx", b.gemm);
  if (!complete) return fail(Code::unavailable, "libcublas.so.13 lacks functions that are needed");
  return b;
}

struct Kind {
  const char* name;
  DType operand;
  int type, out, compute;  // cudaDataType, cudaDataType, cublasComputeType_t
  bool wide_scale;         // alpha and beta are f64
  int out_bytes;
};
// f32 pedantic: no other unit than the plain lanes may be used. i8 is multiplied with its first operand transposed, as
// cuBLAS asks.
constexpr Kind kinds[] = {{"f32", DType::f32, 0, 0, 69, false, 4}, {"tf32", DType::f32, 0, 0, 77, false, 4},
                          {"f16", DType::f16, 2, 2, 68, false, 2}, {"bf16", DType::bf16, 14, 14, 68, false, 2},
                          {"f64", DType::f64, 1, 1, 70, true, 8},  {"i8", DType::i8, 3, 10, 72, false, 4}};

// Random elements: uniform in (-1, 1) of real types, all values of i8.
std::vector<std::byte> random_block(DType type, std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  std::mt19937_64 random(11);
  const std::size_t size = dtype_size(type);
  for (std::size_t at = 0; at < bytes; at += size) {
    const std::uint64_t bits = random();
    if (is_real(type))
      store_f64(type, out.data() + at, static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63);
    else
      std::memcpy(out.data() + at, &bits, size);
  }
  return out;
}

class Products {
 public:
  Products(Context& context, const Blas& blas, const std::stop_token& stop)
      : context_(context), blas_(blas), stop_(stop) {}
  ~Products() {
    if (!context_.usable) return;
    if (handle_) blas_.destroy(handle_);
    for (const CUevent e : {first_, second_})
      if (e) context_.driver->cuEventDestroy_(e);
  }
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  Status prepare() {
    const Driver& d = *context_.driver;
    for (CUevent* e : {&first_, &second_})
      if (auto s = checked(context_, d.cuEventCreate_(e, CU_EVENT_DEFAULT), "make an event"); !s) return s;
    if (blas_.create(&handle_) != 0 || blas_.set_stream(handle_, context_.stream) != 0)
      return fail(Code::unavailable, "cuBLAS does not start on this device");
    auto workspace = WW_TRY(PooledBuffer::take(context_, workspace_bytes, "cuBLAS's workspace"));
    workspace_ = std::move(workspace);
    if (blas_.set_workspace(handle_, reinterpret_cast<void*>(workspace_.address()), workspace_bytes) != 0)
      return fail(Code::unavailable, "cuBLAS refuses the workspace");
    return {};
  }

  // Operations per second of products of n x n matrices; 0: cuBLAS cannot do this kind here.
  Result<double> rate(const Kind& kind) {
    std::size_t free = 0, total = 0;
    WW_TRY(checked(context_, context_.driver->cuMemGetInfo_(&free, &total), "tell how much memory is free"));
    std::size_t n = largest;
    const std::size_t size = dtype_size(kind.operand);
    while (n > smallest && n * n * (2 * size + static_cast<std::size_t>(kind.out_bytes)) > free / 4) n /= 2;
    auto a = PooledBuffer::take(context_, n * n * size, "a matrix"),
         b = PooledBuffer::take(context_, n * n * size, "a matrix");
    auto c = PooledBuffer::take(context_, n * n * static_cast<std::size_t>(kind.out_bytes), "a matrix");
    for (const auto* m : {&a, &b, &c})
      if (!*m) return fail(m->error());
    const std::vector<std::byte> block = random_block(kind.operand, std::size_t{4} << 20);
    for (const auto* m : {&a, &b})
      for (std::size_t at = 0; at < n * n * size; at += block.size()) {
        const std::size_t bytes = std::min(block.size(), n * n * size - at);
        if (at == 0) {
          WW_TRY(
              checked(context_, context_.driver->cuMemcpyHtoD_((*m)->address(), block.data(), bytes), "fill a matrix"));
        } else if (auto s = checked(context_,
                                    context_.driver->cuMemcpyDtoDAsync_((*m)->address() + at, (*m)->address(), bytes,
                                                                        context_.stream),
                                    "fill a matrix");
                   !s) {
          return fail(s.error());
        }
      }
    // A small product predicts the time of the large one; slow devices get a smaller one.
    auto seconds = product(kind, smallest, *a, *b, *c);
    if (!seconds || *seconds == 0) return seconds;
    seconds = product(kind, smallest, *a, *b, *c);
    if (!seconds) return seconds;
    while (n > smallest && *seconds * std::pow(static_cast<double>(n) / smallest, 3) > 0.2) n /= 2;
    std::vector<double> rates;
    for (int i = 0; i < samples; ++i) {
      if (stop_.stop_requested()) return fail(Code::cancelled, "measuring the device's ceilings was cancelled");
      const auto t = product(kind, n, *a, *b, *c);
      if (!t || *t == 0) return t;
      const double edge = static_cast<double>(n);
      if (i >= warm_up) rates.push_back(2 * edge * edge * edge / *t);
    }
    return profile::quantile(rates, 0.5);
  }

 private:
  static constexpr std::size_t smallest = 2048, largest = 8192;
  static constexpr int warm_up = 2, samples = 9;

  // Seconds; 0: refused.
  Result<double> product(const Kind& kind, std::size_t n, const PooledBuffer& a, const PooledBuffer& b,
                         const PooledBuffer& c) {
    const Driver& d = *context_.driver;
    const float one = 1, none = 0;
    const double wide_one = 1, wide_none = 0;
    const int whole_one = 1, whole_none = 0;
    const bool whole = is_integer(kind.operand);
    const void* alpha = kind.wide_scale ? static_cast<const void*>(&wide_one)
                        : whole         ? static_cast<const void*>(&whole_one)
                                        : &one;
    const void* beta = kind.wide_scale ? static_cast<const void*>(&wide_none)
                       : whole         ? static_cast<const void*>(&whole_none)
                                       : &none;
    const auto pointer = [](const PooledBuffer& m) { return reinterpret_cast<void*>(m.address()); };
    const int e = static_cast<int>(n);
    WW_TRY(checked(context_, d.cuEventRecord_(first_, context_.stream), "record an event"));
    const Code_ status = blas_.gemm(handle_, transposed, plain, e, e, e, alpha, pointer(a), kind.type, e, pointer(b),
                                    kind.type, e, beta, pointer(c), kind.out, e, kind.compute, default_algorithm);
    WW_TRY(checked(context_, d.cuEventRecord_(second_, context_.stream), "record an event"));
    const Waited w = wait(context_, 60, stop_);
    if (w.cancelled) return fail(Code::cancelled, "measuring the device's ceilings was cancelled");
    if (w.code != CUDA_SUCCESS) return fail(Code::device, "a matrix product through cuBLAS failed", d.text(w.code));
    if (status != 0) return 0.0;
    float ms = 0;
    WW_TRY(checked(context_, d.cuEventElapsedTime_(&ms, first_, second_), "read an event"));
    return static_cast<double>(ms) / 1000;
  }

  Context& context_;
  const Blas& blas_;
  const std::stop_token& stop_;
  Handle handle_ = nullptr;
  PooledBuffer workspace_;
  CUevent first_ = nullptr, second_ = nullptr;
};

}  // namespace

Result<MatrixRates> matrix_rates(Context& context, const std::filesystem::path& folder, const std::stop_token& stop) {
  MatrixRates out;
  const auto blas = load(folder);
  if (!blas) {
    out.why_not = "no matrix rates: " + blas.error().message;
    return out;
  }
  Products products(context, *blas, stop);
  if (auto s = products.prepare(); !s) {
    if (!context.usable) return fail(s.error());
    out.why_not = "no matrix rates: " + s.error().text();
    return out;
  }
  for (const Kind& kind : kinds) {
    const auto rate = products.rate(kind);
    if (!rate && (!context.usable || rate.error().code == Code::cancelled)) return fail(rate.error());
    if (rate && *rate > 0)
      out.rates.emplace_back(kind.name, *rate);
    else
      out.why_not += (out.why_not.empty() ? "" : "; ") +
                     fmt::format("no rate of {}: {}", kind.name, rate ? "cuBLAS refuses it here" : rate.error().text());
  }
  return out;
}

}  // namespace ww::cuda
