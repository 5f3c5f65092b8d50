// SPDX-License-Identifier: Apache-2.0
#pragma once
// float4 and its kin are built in.
