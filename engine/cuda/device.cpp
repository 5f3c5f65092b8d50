// SPDX-License-Identifier: Apache-2.0
#include "cuda/device.h"
#include "cuda/internal.h"

namespace ww::cuda {

int device_count() {
  const Result<const Driver*> driver = Driver::get();
  int count = 0;
  return driver && (*driver)->cuDeviceGetCount_(&count) == CUDA_SUCCESS ? count : 0;
}

}  // namespace ww::cuda
