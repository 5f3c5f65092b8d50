// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/cuda_lexer.h"

namespace ww::widgets {

CudaLexer::CudaLexer(QObject* parent) : QsciLexerCPP(parent) {
  setFoldPreprocessor(false);
  setStylePreprocessor(true);
}

// Words of the CUDA C++ Programming Guide: qualifiers and types (set 1), built-in variables and functions (set 2).
const char* CudaLexer::keywords(int set) const {
  if (set == 1)
    return "alignas alignof asm auto bool break case char class const constexpr continue default delete do double else "
           "enum extern false "
           "float for goto if inline int long namespace new noexcept nullptr operator private public register "
           "reinterpret_cast return short "
           "signed sizeof static static_assert static_cast struct switch template this true typedef typename union "
           "unsigned using virtual "
           "void volatile while __global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ "
           "__noinline__ "
           "__launch_bounds__ __cluster_dims__ __grid_constant__ __align__ __managed__";
  if (set == 2)
    return "threadIdx blockIdx blockDim gridDim warpSize half half2 __half __half2 __nv_bfloat16 __nv_bfloat162 float2 "
           "float3 float4 double2 "
           "int2 int3 int4 uint2 uint4 uchar4 dim3 int8_t uint8_t int32_t uint32_t int64_t uint64_t size_t "
           "__syncthreads __syncwarp "
           "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync "
           "__activemask __popc __clz __ffs "
           "__ldg __ldcs __stcs __threadfence __threadfence_block atomicAdd atomicMax atomicMin atomicCAS atomicExch "
           "__fmaf_rn __expf __logf "
           "__fdividef rsqrtf sqrtf expf exp2f logf log2f powf tanhf erff fmaxf fminf fabsf fmaf __float2half "
           "__half2float "
           "__float2bfloat16 __bfloat162float __float_as_int __int_as_float __dp4a __cvta_generic_to_shared "
           "__reduce_add_sync";
  return nullptr;
}

QString CudaLexer::token(int style) const {
  switch (style) {
    case Comment:
    case CommentLine:
    case CommentDoc:
    case CommentLineDoc: return "code-comment";
    case Number: return "code-number";
    case Keyword: return "code-keyword";
    case KeywordSet2: return "code-builtin";
    case DoubleQuotedString:
    case SingleQuotedString:
    case RawString: return "code-string";
    case PreProcessor: return "code-directive";
    case Operator: return "code-operator";
    default: return "code-text";
  }
}

}  // namespace ww::widgets
