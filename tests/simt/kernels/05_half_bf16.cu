// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
extern "C" __global__ void h(const __half*a,const __half*b,__half*c,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)c[i]=__hadd(__hmul(a[i],b[i]),hexp(a[i]));}
extern "C" __global__ void h2(const __half2*a,const __half2*b,__half2*c,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)c[i]=__hmax2(__hfma2(a[i],b[i],c[i]),h2sqrt(a[i]))+__hsub2(a[i],b[i]);}
extern "C" __global__ void bf(const __nv_bfloat16*a,const __nv_bfloat16*b,__nv_bfloat16*c,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){float x=__bfloat162float(a[i]),y=__bfloat162float(b[i]);c[i]=__hadd(__float2bfloat16(x*y),__hmul(a[i],b[i]));}}
extern "C" __global__ void bf2(const __nv_bfloat162*a,const __nv_bfloat162*b,__nv_bfloat162*c,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)c[i]=__hadd2(__hfma2(a[i],b[i],c[i]),__hmin2(a[i],b[i]));}
extern "C" __global__ void cvts(const float*a,__half*h,unsigned char*u,short*s,double*d,long long*l,unsigned*q){int i=threadIdx.x;float x=a[i];h[i]=__float2half(x);u[i]=(unsigned char)x;s[i]=(short)x;d[i]=x;l[i]=(long long)x;q[i]=__float2uint_rd(x)+__half2int_rz(h[i])+(h[i]>h[i+1])+__float_as_uint(x);h[i+32]=__int2half_rn(i);}
extern "C" __global__ void fp8(const float*a,__nv_fp8_e4m3*o,float*p){int i=threadIdx.x;o[i]=__nv_fp8_e4m3(a[i]);p[i]=float(o[i])+float(__nv_fp8_e5m2(a[i]));}
