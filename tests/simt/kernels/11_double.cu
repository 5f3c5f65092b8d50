// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void d(const double*a,const double*b,double*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)o[i]=fma(a[i],b[i],sqrt(fabs(a[i])))/b[i]+exp(a[i])+sin(b[i])+log(fabs(b[i])+1)+pow(fabs(a[i]),b[i])+fmin(a[i],b[i])+floor(a[i])+(double)(long long)a[i]+(float)b[i];}
