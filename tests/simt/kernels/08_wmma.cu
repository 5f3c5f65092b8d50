// SPDX-License-Identifier: Apache-2.0
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
using namespace nvcuda;
extern "C" __global__ void wm(const half*A,const half*B,float*C,int N){wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major>a;wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major>b;wmma::fragment<wmma::accumulator,16,16,16,float>c;wmma::fill_fragment(c,0.f);for(int k=0;k<N;k+=16){wmma::load_matrix_sync(a,A+k,N);wmma::load_matrix_sync(b,B+k,N);wmma::mma_sync(c,a,b,c);}wmma::store_matrix_sync(C,c,N,wmma::mem_row_major);}
extern "C" __global__ void wmbf(const __nv_bfloat16*A,const __nv_bfloat16*B,float*C){__shared__ __nv_bfloat16 s[256];for(int i=threadIdx.x;i<256;i+=32)s[i]=A[i];__syncwarp();wmma::fragment<wmma::matrix_a,16,16,16,__nv_bfloat16,wmma::row_major>a;wmma::fragment<wmma::matrix_b,16,16,16,__nv_bfloat16,wmma::row_major>b;wmma::fragment<wmma::accumulator,16,16,16,float>c;wmma::fill_fragment(c,0.f);wmma::load_matrix_sync(a,s,16);wmma::load_matrix_sync(b,B,16);wmma::mma_sync(c,a,b,c);wmma::store_matrix_sync(C,c,16,wmma::mem_row_major);}
extern "C" __global__ void mma16816(const half*A,const half*B,float*C){__shared__ __align__(16) half sa[16*16],sb[16*8];int l=threadIdx.x;for(int i=l;i<256;i+=32)sa[i]=A[i];for(int i=l;i<128;i+=32)sb[i]=B[i];__syncwarp();unsigned r[4],q[2];float c[4]={0,0,0,0};
 unsigned pa=(unsigned)__cvta_generic_to_shared(sa+(l%16)*16+(l/16)*8),pb=(unsigned)__cvta_generic_to_shared(sb+(l%16)*8);
 asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];":"=r"(r[0]),"=r"(r[1]),"=r"(r[2]),"=r"(r[3]):"r"(pa));
 asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%2];":"=r"(q[0]),"=r"(q[1]):"r"(pb));
 asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]):"r"(r[0]),"r"(r[1]),"r"(r[2]),"r"(r[3]),"r"(q[0]),"r"(q[1]));
 int g=l/4,t=l%4;C[g*8+t*2]=c[0];C[g*8+t*2+1]=c[1];C[(g+8)*8+t*2]=c[2];C[(g+8)*8+t*2+1]=c[3];}
extern "C" __global__ void mmatf32(const float*A,const float*B,float*C){unsigned a[4],b[2];int l=threadIdx.x;for(int i=0;i<4;i++)asm("cvt.rna.tf32.f32 %0,%1;":"=r"(a[i]):"f"(A[l*4+i]));for(int i=0;i<2;i++)asm("cvt.rna.tf32.f32 %0,%1;":"=r"(b[i]):"f"(B[l*2+i]));float c[4]={};
 asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]):"r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(b[0]),"r"(b[1]));for(int i=0;i<4;i++)C[l*4+i]=c[i];}
extern "C" __global__ void mmas8(const unsigned*A,const unsigned*B,int*C){int l=threadIdx.x,c[4]={};asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+r"(c[0]),"+r"(c[1]),"+r"(c[2]),"+r"(c[3]):"r"(A[l*4]),"r"(A[l*4+1]),"r"(A[l*4+2]),"r"(A[l*4+3]),"r"(B[l*2]),"r"(B[l*2+1]));for(int i=0;i<4;i++)C[l*4+i]=c[i];}
