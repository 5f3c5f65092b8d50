// SPDX-License-Identifier: Apache-2.0
// A CUDA program as nvcc makes one of its host code: program PTX PACKING WHAT. The PTX has the kernels of
// program_test.cpp.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>
#include <cuda_runtime_api.h>
#include "cudart/fatbin_made.h"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
}

namespace {

struct {
  unsigned magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  void* more = nullptr;
} wrapper;

char add_stub, race_stub, outside_stub, tell_stub, missing_stub, factor_shadow;

int say(const char* what, cudaError_t e) {
  std::printf("%s: %s\n", what, cudaGetErrorName(e));
  std::fflush(stdout);
  return e == cudaSuccess ? 0 : 1;
}

cudaError_t launch(const char& stub, unsigned blocks, unsigned threads, std::vector<void*> arguments) {
  return cudaLaunchKernel(&stub, dim3{blocks, 1, 1}, dim3{threads, 1, 1}, arguments.data(), 0, nullptr);
}

// y += factor * x, with memory of `take`.
template <class Take, class Drop>
int adds(Take take, Drop drop) {
  constexpr int n = 1000;
  void *x = nullptr, *y = nullptr;
  if (take(&x, n * sizeof(float)) != cudaSuccess || take(&y, n * sizeof(float)) != cudaSuccess) return 9;
  const std::vector<float> twos(n, 2), ones(n, 1);
  std::vector<float> back(n);
  const float factor = 3;
  cudaMemcpyToSymbol(&factor_shadow, &factor, sizeof factor, 0, cudaMemcpyHostToDevice);
  cudaMemcpy(x, twos.data(), n * sizeof(float), cudaMemcpyDefault);
  cudaMemcpy(y, ones.data(), n * sizeof(float), cudaMemcpyDefault);
  int count = n;
  if (const cudaError_t e = launch(add_stub, 8, 128, {&x, &y, &count})) return say("launch", e);
  cudaMemcpy(back.data(), y, n * sizeof(float), cudaMemcpyDefault);
  std::printf("y[0] = %g, y[999] = %g\n", back[0], back[999]);
  return drop(x) == cudaSuccess && drop(y) == cudaSuccess ? 0 : 8;
}

int run(const std::string& what) {
  void* p = nullptr;
  if (what == "add") return adds(cudaMalloc, cudaFree);
  if (what == "managed") return adds([](void** q, size_t n) { return cudaMallocManaged(q, n, 1); }, cudaFree);
  if (what == "host") return adds([](void** q, size_t n) { return cudaHostAlloc(q, n, 0); }, cudaFreeHost);
  cudaMalloc(&p, 400);
  if (what == "race") {
    launch(race_stub, 1, 64, {&p});
    launch(race_stub, 1, 64, {&p});
    return say("after it", cudaDeviceSynchronize());
  }
  if (what == "outside") {
    launch(outside_stub, 2, 64, {&p});
    say("after it", cudaDeviceSynchronize());
    return say("a copy", cudaMemcpy(p, &p, 8, cudaMemcpyHostToDevice));
  }
  if (what == "tell") return launch(tell_stub, 1, 2, {}) == cudaSuccess ? 0 : 1;
  if (what == "missing") return say("launch", launch(missing_stub, 1, 1, {}));
  if (what == "misuse") {
    say("too many threads", launch(tell_stub, 1, 2000, {}));
    say("kept", cudaPeekAtLastError());
    say("kept until asked", cudaGetLastError());
    say("then none", cudaGetLastError());
    say("a copy beyond the end", cudaMemcpy(p, std::string(800, 'x').data(), 800, cudaMemcpyHostToDevice));
    say("a copy to nowhere", cudaMemcpy(&p, &p, 8, cudaMemcpyHostToDevice));
    say("freed", cudaFree(p));
    say("freed twice", cudaFree(p));
    say("no such symbol", cudaMemcpyToSymbol(&p, &p, 1, 0, cudaMemcpyHostToDevice));
    return say("no such device", cudaSetDevice(3));
  }
  if (what == "graph") {
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    return say("graph", cudaGraphCreate(&graph, 0));
  }
  if (what == "abort") std::abort();
  return 7;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  std::ifstream file(words[1]);
  const std::string ptx{std::istreambuf_iterator<char>(file), {}}, packing = words[2];
  std::string code = testing::fatbin_of(ptx, packing == "zstd"  ? testing::Packed::zstd
                                             : packing == "lz4" ? testing::Packed::lz4
                                                                : testing::Packed::no);
  if (packing == "machine code") code[16] = 2;
  if (packing == "damaged") code[20] = 1;
  wrapper.data = code.data();
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  const auto add = [&](const char& stub, const char* name) {
    __cudaRegisterFunction(handle, &stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  };
  add(add_stub, "add"), add(race_stub, "race"), add(outside_stub, "outside"), add(tell_stub, "tell");
  add(missing_stub, "missing");
  __cudaRegisterVar(handle, &factor_shadow, nullptr, "factor", 0, sizeof(float), 1, 0);
  const int result = run(words[3]);
  __cudaUnregisterFatBinary(handle);
  return result;
}
