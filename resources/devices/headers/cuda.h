// SPDX-License-Identifier: Apache-2.0
#pragma once
// The driver interface is of no use in device code.
