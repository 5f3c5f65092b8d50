// SPDX-License-Identifier: Apache-2.0
// The four benchmark kernels: element-wise, naive and tiled matrix product, softmax.
extern "C" __global__ void vadd(const float*a,const float*b,float*c,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n)c[i]=a[i]+b[i];}
extern "C" __global__ void mm_naive(const float*A,const float*B,float*C,int N){int r=blockIdx.y*blockDim.y+threadIdx.y,c=blockIdx.x*blockDim.x+threadIdx.x; if(r<N&&c<N){float s=0; for(int k=0;k<N;k++)s+=A[r*N+k]*B[k*N+c]; C[r*N+c]=s;}}
extern "C" __global__ void mm_tiled(const float*A,const float*B,float*C,int N){__shared__ float As[16][16],Bs[16][16];int tx=threadIdx.x,ty=threadIdx.y,r=blockIdx.y*16+ty,c=blockIdx.x*16+tx;float s=0;for(int t=0;t<N/16;t++){As[ty][tx]=A[r*N+t*16+tx];Bs[ty][tx]=B[(t*16+ty)*N+c];__syncthreads();
#pragma unroll
for(int k=0;k<16;k++)s+=As[ty][k]*Bs[k][tx];__syncthreads();}C[r*N+c]=s;}
extern "C" __global__ void softmax(const float*x,float*y,int n){__shared__ float sh[256];int row=blockIdx.x,t=threadIdx.x;const float*p=x+row*n;float m=-1e30f;for(int i=t;i<n;i+=256)m=fmaxf(m,p[i]);sh[t]=m;__syncthreads();for(int s=128;s>0;s>>=1){if(t<s)sh[t]=fmaxf(sh[t],sh[t+s]);__syncthreads();}m=sh[0];__syncthreads();float sum=0;for(int i=t;i<n;i+=256)sum+=expf(p[i]-m);sh[t]=sum;__syncthreads();for(int s=128;s>0;s>>=1){if(t<s)sh[t]+=sh[t+s];__syncthreads();}sum=sh[0];float inv=1.0f/sum;for(int i=t;i<n;i+=256)y[row*n+i]=expf(p[i]-m)*inv;}
