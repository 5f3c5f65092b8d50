// SPDX-License-Identifier: Apache-2.0
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
extern "C" __global__ void bar(const float*a,float*o){__shared__ cuda::barrier<cuda::thread_scope_block> b;__shared__ __align__(16) float s[256];auto blk=cooperative_groups::this_thread_block();if(threadIdx.x==0)init(&b,blockDim.x);__syncthreads();cuda::memcpy_async(blk,s,a,cuda::aligned_size_t<16>(sizeof(float)*256),b);b.arrive_and_wait();o[threadIdx.x]=s[255-threadIdx.x];}
