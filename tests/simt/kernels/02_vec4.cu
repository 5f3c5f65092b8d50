// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void axpy4(const float4* __restrict__ a,float4*b,float s,int n4){for(int i=blockIdx.x*blockDim.x+threadIdx.x;i<n4;i+=gridDim.x*blockDim.x){float4 x=__ldg(a+i),y=b[i];y.x+=s*x.x;y.y+=s*x.y;y.z+=s*x.z;y.w+=s*x.w;b[i]=y;}}
extern "C" __global__ void cp2(const int2*a,int2*b,const uchar4*c,uchar4*d,const double2*e,double2*f){int i=threadIdx.x;b[i]=a[i];uchar4 q=c[i];q.x+=1;q.w=q.y;d[i]=q;f[i]=e[i];}
