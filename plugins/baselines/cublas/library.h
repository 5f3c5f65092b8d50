// SPDX-License-Identifier: Apache-2.0
// cuBLAS and the few driver functions it needs, loaded at run time. Prototypes as in NVIDIA's cuBLAS documentation
// (CUDA 13); the header may be missing on the build machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include "base/result.h"

namespace ww::cublas {

using Handle = void*;
inline constexpr int op_n = 0, op_t = 1;                                        // cublasOperation_t
inline constexpr int type_f32 = 0, type_f64 = 1, type_f16 = 2, type_bf16 = 14;  // cudaDataType
inline constexpr int compute_f32 = 68, compute_f64 = 70;  // cublasComputeType_t: no TF32, no emulation
inline constexpr int algorithm_default = -1;              // cublasGemmAlgo_t
inline constexpr int math_default = 0;                    // cublasMath_t

struct Library {
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*version)(Handle, int*) = nullptr;
  int (*set_stream)(Handle, void*) = nullptr;
  int (*set_workspace)(Handle, void*, std::size_t) = nullptr;
  int (*set_math)(Handle, int) = nullptr;
  const char* (*status_text)(int) = nullptr;
  int (*gemm)(Handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*,
              void*, int, int, int, int) = nullptr;
  int (*gemm_batched)(Handle, int, int, int, int, int, const void*, const void*, int, int, long long, const void*, int,
                      int, long long, const void*, void*, int, int, long long, int, int, int) = nullptr;
  int (*sgemv)(Handle, int, int, int, const float*, const float*, int, const float*, int, const float*, float*,
               int) = nullptr;
  int (*dgemv)(Handle, int, int, int, const double*, const double*, int, const double*, int, const double*, double*,
               int) = nullptr;
  // Of libcuda.
  int (*allocate)(std::uint64_t*, std::size_t) = nullptr;
  int (*release)(std::uint64_t) = nullptr;
  int (*create_stream)(void**, unsigned) = nullptr;
  int (*destroy_stream)(void*) = nullptr;
  int (*synchronize)(void*) = nullptr;
};

Result<const Library*> library();  // loaded on the first call

}  // namespace ww::cublas
