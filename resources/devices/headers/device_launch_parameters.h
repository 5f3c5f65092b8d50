// SPDX-License-Identifier: Apache-2.0
#pragma once
// threadIdx and its kin are built in.
