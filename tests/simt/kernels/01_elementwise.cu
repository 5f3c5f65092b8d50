// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void ew(const float*a,float*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i>=n)return;float x=a[i];
 o[i]=expf(x)+tanhf(x)+erff(x)+logf(fabsf(x)+1.f)+sqrtf(fabsf(x))+rsqrtf(x*x+1.f)+powf(fabsf(x)+.5f,1.7f)+1.f/(1.f+__expf(-x))+fminf(x,2.f)+fmaxf(x,-1.f)+floorf(x)+rintf(x)+x/3.3f;}
extern "C" __global__ void trig(const float*a,float*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i>=n)return;o[i]=sinf(a[i])+cosf(a[i])+__sinf(a[i])+atan2f(a[i],2.f)+log1pf(a[i]*a[i])+expm1f(a[i])+cbrtf(a[i])+fmodf(a[i],1.3f);}
extern "C" __global__ void gelu(const float*a,float*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){float x=a[i];o[i]=0.5f*x*(1.f+tanhf(0.7978845608f*(x+0.044715f*x*x*x)));}}
