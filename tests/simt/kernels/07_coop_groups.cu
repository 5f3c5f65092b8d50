// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg=cooperative_groups;
extern "C" __global__ void cgk(const int*a,int*o,float*f){auto b=cg::this_thread_block();auto w=cg::tiled_partition<32>(b);auto t=cg::tiled_partition<8>(b);int v=a[b.thread_rank()];int s=cg::reduce(w,v,cg::plus<int>());float fs=cg::reduce(t,(float)v,cg::greater<float>());int sc=cg::inclusive_scan(t,v);b.sync();auto c=cg::coalesced_threads();if(v>3){auto ac=cg::coalesced_threads();s+=ac.thread_rank()+ac.size();}o[b.thread_rank()]=s+sc+w.meta_group_rank()+c.size();f[b.thread_rank()]=fs;}
