// SPDX-License-Identifier: Apache-2.0
// CUDA kernels for the tests of the device.
#pragma once

extern const char* const device_test_kernels;
