// SPDX-License-Identifier: Apache-2.0
// The baseline "cublas": matrix products by NVIDIA's own library.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include "baseline/plugin.h"
#include "library.h"
#include "match.h"
#include "op/parse.h"

namespace {

using namespace ww;
using namespace ww::cublas;

constexpr std::size_t workspace_bytes =
    std::size_t{32} << 20;  // what NVIDIA recommends for Hopper; without one of its own a captured call may fail

int say(int code, const std::string& text, char* message, std::size_t size) {
  if (message && size) std::snprintf(message, size, "%s", text.c_str());
  return code;
}

Result<Match> match_case(const ww_baseline_case& what) {
  const op::Spec spec = WW_TRY(op::parse_spec(what.spec));
  op::Binding binding;
  for (std::size_t i = 0; i < what.symbol_count; ++i) binding.symbols[what.symbols[i].name] = what.symbols[i].value;
  for (std::size_t i = 0; i < what.constant_count; ++i)
    binding.constants[what.constants[i].name] = what.constants[i].value;
  return match(spec, binding);
}

int data_type(DType type) {
  switch (type) {
    case DType::f64: return type_f64;
    case DType::f16: return type_f16;
    case DType::bf16: return type_bf16;
    default: return type_f32;
  }
}

struct Work {
  const Library* blas = nullptr;
  Product product;
  Handle handle = nullptr;
  std::uint64_t workspace = 0;
  const void* left = nullptr;
  const void* right = nullptr;
  void* result = nullptr;

  ~Work() {
    if (handle) blas->destroy(handle);
    if (workspace) blas->release(workspace);
  }

  Status check(int status, const char* doing) const {
    if (status == 0) return {};
    const char* text = blas->status_text(status);
    return fail(Code::device, std::string("cuBLAS could not ") + doing, text ? text : std::to_string(status));
  }

  Status enqueue(void* stream) {
    if (Status s = check(blas->set_stream(handle, stream), "take the stream"); !s) return s;
    // Taking a stream sets the workspace back to cuBLAS's own pool.
    if (Status s = check(blas->set_workspace(handle, reinterpret_cast<void*>(workspace), workspace_bytes),
                         "take its workspace");
        !s)
      return s;
    const Product& p = product;
    const auto i = [](std::int64_t n) { return static_cast<int>(n); };
    const float one_f = 1, zero_f = 0;
    const double one_d = 1, zero_d = 0;
    const bool wide = p.in == DType::f64;
    if (p.vector) {
      const int m = i(p.left_transposed ? p.depth : p.rows), n = i(p.left_transposed ? p.rows : p.depth),
                op = p.left_transposed ? op_t : op_n;
      return check(wide ? blas->dgemv(handle, op, m, n, &one_d, static_cast<const double*>(left), i(p.ld_left),
                                      static_cast<const double*>(right), 1, &zero_d, static_cast<double*>(result), 1)
                        : blas->sgemv(handle, op, m, n, &one_f, static_cast<const float*>(left), i(p.ld_left),
                                      static_cast<const float*>(right), 1, &zero_f, static_cast<float*>(result), 1),
                   "multiply the matrix by the vector");
    }
    const void* one = wide ? static_cast<const void*>(&one_d) : &one_f;
    const void* zero = wide ? static_cast<const void*>(&zero_d) : &zero_f;
    const int in = data_type(p.in), out = data_type(p.out), compute = wide ? compute_f64 : compute_f32;
    const int op_left = p.left_transposed ? op_t : op_n, op_right = p.right_transposed ? op_t : op_n;
    if (p.batch == 1)
      return check(blas->gemm(handle, op_left, op_right, i(p.rows), i(p.columns), i(p.depth), one, left, in,
                              i(p.ld_left), right, in, i(p.ld_right), zero, result, out, i(p.ld_result), compute,
                              algorithm_default),
                   "multiply the matrices");
    return check(blas->gemm_batched(handle, op_left, op_right, i(p.rows), i(p.columns), i(p.depth), one, left, in,
                                    i(p.ld_left), p.stride_left, right, in, i(p.ld_right), p.stride_right, zero, result,
                                    out, i(p.ld_result), p.stride_result, i(p.batch), compute, algorithm_default),
                 "multiply the batch of matrices");
  }
};

// The tensors must have at least the elements that the product reads or writes.
std::int64_t elements(std::int64_t along, std::int64_t other, bool transposed, std::int64_t ld, std::int64_t stride,
                      std::int64_t batch) {
  return (batch - 1) * stride + (transposed ? along - 1 : other - 1) * ld + (transposed ? other : along);
}

Result<std::unique_ptr<Work>> prepare(const Match& match, const ww_baseline_tensor* tensors, std::size_t count) {
  auto work = std::make_unique<Work>();
  work->product = match.product;
  const Product& p = work->product;
  const auto find = [&](const std::string& name, DType dtype, std::int64_t needed) -> Result<void*> {
    for (std::size_t i = 0; i < count; ++i) {
      if (name != tensors[i].name) continue;
      if (dtype_name(dtype) != tensors[i].dtype || tensors[i].count < needed || tensors[i].address == 0)
        return fail(Code::invalid_argument, "the memory given for '" + name + "' does not fit the op");
      return reinterpret_cast<void*>(tensors[i].address);
    }
    return fail(Code::invalid_argument, "no memory was given for '" + name + "'");
  };
  const Result<void*> left =
      find(p.left, p.in, elements(p.rows, p.depth, p.left_transposed, p.ld_left, p.stride_left, p.batch));
  const Result<void*> right =
      p.vector
          ? find(p.right, p.in, p.depth)
          : find(p.right, p.in, elements(p.depth, p.columns, p.right_transposed, p.ld_right, p.stride_right, p.batch));
  const Result<void*> result =
      p.vector ? find(p.result, p.out, p.rows)
               : find(p.result, p.out, elements(p.rows, p.columns, false, p.ld_result, p.stride_result, p.batch));
  for (const auto* r : {&left, &right, &result})
    if (!*r) return fail(r->error());
  work->left = *left;
  work->right = *right;
  work->result = *result;
  const Library* blas = WW_TRY(library());
  work->blas = blas;
  WW_TRY(work->check(blas->create(&work->handle), "be initialised"));
  if (blas->allocate(&work->workspace, workspace_bytes) != 0)
    return fail(Code::device, "no memory for cuBLAS's workspace of 32 MiB");
  WW_TRY(work->check(blas->set_math(work->handle, math_default), "set its arithmetic"));
  // Once outside any capture, so that its kernels are loaded.
  void* stream = nullptr;
  if (blas->create_stream(&stream, 1 /* non-blocking */) != 0) return fail(Code::device, "no stream for cuBLAS");
  Status first = work->enqueue(stream);
  const int ended = blas->synchronize(stream);
  blas->destroy_stream(stream);
  WW_CHECK(first);
  if (ended != 0)
    return fail(Code::device, "cuBLAS's first product ended with the driver's error " + std::to_string(ended));
  return work;
}

int enqueue(void* self, void* stream, char* message, std::size_t size) {
  try {
    const Status s = static_cast<Work*>(self)->enqueue(stream);
    return s ? ww_baseline_done : say(ww_baseline_error, s.error().text(), message, size);
  } catch (const std::exception& e) { return say(ww_baseline_error, e.what(), message, size); }
}

void destroy(void* self) { delete static_cast<Work*>(self); }

}  // namespace

#define WW_EXPORT extern "C" __attribute__((visibility("default")))

WW_EXPORT int ww_baseline_abi() { return WW_BASELINE_ABI; }
WW_EXPORT const char* ww_baseline_name() { return "cublas"; }

WW_EXPORT int ww_baseline_applies(const ww_baseline_case* what, char* message, size_t size) {
  try {
    const Result<Match> m = match_case(*what);
    if (!m) return say(ww_baseline_error, m.error().text(), message, size);
    return m->yes ? say(ww_baseline_done, m->product.text(), message, size)
                  : say(ww_baseline_no, m->why_not, message, size);
  } catch (const std::exception& e) { return say(ww_baseline_error, e.what(), message, size); }
}

WW_EXPORT int ww_baseline_prepare(const ww_baseline_case* what, const ww_baseline_tensor* tensors, size_t count,
                                  ww_baseline_prepared* out, char* message, size_t size) {
  try {
    const Result<Match> m = match_case(*what);
    if (!m) return say(ww_baseline_error, m.error().text(), message, size);
    if (!m->yes) return say(ww_baseline_no, m->why_not, message, size);
    Result<std::unique_ptr<Work>> work = prepare(*m, tensors, count);
    if (!work) return say(ww_baseline_error, work.error().text(), message, size);
    *out = {work->release(), enqueue, destroy};
    return ww_baseline_done;
  } catch (const std::exception& e) { return say(ww_baseline_error, e.what(), message, size); }
}
