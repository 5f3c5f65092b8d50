// SPDX-License-Identifier: Apache-2.0
#pragma once
// make_float4 and its kin are built in.
