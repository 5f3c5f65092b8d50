// SPDX-License-Identifier: Apache-2.0
__device__ __noinline__ float leaf(float x,int k){return x*k+1.f;}
__device__ __noinline__ int fib(int n){return n<2?n:fib(n-1)+fib(n-2);}
typedef float(*fp)(float);
__device__ float f0(float x){return x+1;} __device__ float f1(float x){return x*x;}
__device__ fp tab[2]={f0,f1};
__constant__ float cst[64];
__device__ int gcount;
struct S{float a;int b;double c;char d[5];};
extern "C" __global__ void sw(const int*a,float*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;float r=0;for(int k=0;k<n;k++){if(a[k]<0)continue;if(a[k]==99)break;switch(a[(i+k)%n]){case 0:r+=1;break;case 1:r*=2;break;case 2:r-=3;break;case 3:r=leaf(r,k);break;case 4:r=sqrtf(r);break;case 5:r=fmodf(r,3.f);break;case 6:r=-r;break;case 7:r=r*r;break;default:r=0;}}while(r>100.f)r*=0.5f;do{r+=1;}while(r<0);o[i]=r+fib(i&7)+cst[i&63];gcount=i;}
extern "C" __global__ void ind(float*o,int k){o[threadIdx.x]=tab[(k+threadIdx.x)&1](o[threadIdx.x]);}
extern "C" __global__ void loc(const int*a,int*o,int n){int st[32];for(int i=0;i<32;i++)st[i]=a[i*n+threadIdx.x];int s=0;for(int i=0;i<n;i++){s+=st[a[i]&31];st[s&31]=i;}o[threadIdx.x]=s;}
extern "C" __global__ void strct(S s,const S*p,S*q){q[threadIdx.x]=p[threadIdx.x];q[threadIdx.x].a+=s.a;q[threadIdx.x].d[2]=s.d[3];}
extern "C" __global__ void chk(int*a,int n){if(threadIdx.x>=n)__trap();if(a[threadIdx.x]<0)printf("neg %d\n",a[threadIdx.x]);assert(a[0]!=7);a[threadIdx.x]=clock();}
template<int B,class F>__device__ void lp(F f){for(int i=0;i<B;i++)f(i);}
extern "C" __global__ void tmpl(int*o){lp<7>([&](int i){o[i*threadIdx.x]=i%3;});}
