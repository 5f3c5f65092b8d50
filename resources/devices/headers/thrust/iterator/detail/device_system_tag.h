// SPDX-License-Identifier: Apache-2.0
// CCCL's own names its include by a macro, which HeaderLibrary does not follow.
#pragma once
#include <thrust/detail/config.h>
#include <thrust/system/cuda/detail/execution_policy.h>

THRUST_NAMESPACE_BEGIN
using device_system_tag = thrust::system::__THRUST_DEVICE_SYSTEM_NAMESPACE::tag;
THRUST_NAMESPACE_END
