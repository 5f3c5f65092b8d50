// SPDX-License-Identifier: Apache-2.0
#define T 64
// 64x64 block tile, 4x4 register tile, dynamic shared memory, launch bounds
extern "C" __global__ void __launch_bounds__(256) sgemm(const float* __restrict__ A,const float* __restrict__ B,float* __restrict__ C,int M,int N,int K,float al,float be){extern __shared__ float sm[];float*As=sm,*Bs=sm+16*T;int t=threadIdx.x,tx=t%16,ty=t/16;float acc[4][4]={};
 for(int k0=0;k0<K;k0+=16){for(int i=t;i<T*16;i+=256){int r=i/16,c=i%16;As[c*T+r]=A[(blockIdx.y*T+r)*K+k0+c];int r2=i/T,c2=i%T;Bs[r2*T+c2]=B[(k0+r2)*N+blockIdx.x*T+c2];}__syncthreads();
#pragma unroll
 for(int k=0;k<16;k++){float a[4],b[4];for(int i=0;i<4;i++){a[i]=As[k*T+ty*4+i];b[i]=Bs[k*T+tx*4+i];}for(int i=0;i<4;i++)for(int j=0;j<4;j++)acc[i][j]+=a[i]*b[j];}__syncthreads();}
 for(int i=0;i<4;i++)for(int j=0;j<4;j++){int r=blockIdx.y*T+ty*4+i,c=blockIdx.x*T+tx*4+j;C[r*N+c]=al*acc[i][j]+be*C[r*N+c];}}
extern "C" __global__ void transpose(const float*a,float*b,int n){__shared__ float t[32][33];int x=blockIdx.x*32+threadIdx.x,y=blockIdx.y*32+threadIdx.y;for(int j=0;j<32;j+=8)t[threadIdx.y+j][threadIdx.x]=a[(y+j)*n+x];__syncthreads();x=blockIdx.y*32+threadIdx.x;y=blockIdx.x*32+threadIdx.y;for(int j=0;j<32;j+=8)b[(y+j)*n+x]=t[threadIdx.x][threadIdx.y+j];}
