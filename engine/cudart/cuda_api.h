// SPDX-License-Identifier: Apache-2.0
// NVIDIA's declarations of the runtime's calls, exported where they are defined.
#pragma once
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
