// SPDX-License-Identifier: Apache-2.0
// The other calls of the runtime: each answers that it is not supported, and the report names it. They take whatever
// they are given (System V calling convention), so they are declared without NVIDIA's header.
#include "cudart/refused.h"

#define WW_REFUSED(name) \
  extern "C" __attribute__((visibility("default"))) int name() { return ww::cudart::refuse_call(#name); }
#include "cudart/refused_calls.inc"
#undef WW_REFUSED
