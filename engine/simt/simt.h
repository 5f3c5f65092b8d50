// SPDX-License-Identifier: Apache-2.0
// The SIMT machine: executes PTX as NVRTC emits it on the CPU, with memory checks and counters.
//
//   auto program = ww::simt::load(ptx);                      // parse; decode happens once per check level
//   ww::simt::Memory memory;                                 // one simulated device context
//   auto x = memory.allocate(bytes, "x");                    // device address
//   memory.write(*x, host.data(), bytes);
//   ww::simt::Arguments args((*program)->kernels()[0]);      // marshals by the kernel's own parameter list
//   args.add_pointer(*x); args.add_i64(n);
//   auto report = ww::simt::launch(**program, "k", {{grid}, {block}, 0, *args.bytes()}, memory, {});
//   if (report && report->fault) … report->fault->message
//
// A launch error (unknown kernel, bad block size, unsupported instruction …) is an Error; what the running kernel does
// wrong is a Fault inside the report. Nothing here throws.
#pragma once
#include "simt/counters.h"
#include "simt/launch.h"
#include "simt/memory.h"
#include "simt/program.h"
