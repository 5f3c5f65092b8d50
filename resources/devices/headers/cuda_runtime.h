// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVRTC declares the device part of the runtime by itself.
