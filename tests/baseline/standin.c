/* SPDX-License-Identifier: Apache-2.0 */
/* Modules for the loader's tests: one that exports nothing, one of another interface, one whose calls fail. */
#include <stdio.h>
#include "baseline/plugin.h"

#define EXPORT __attribute__((visibility("default")))

#ifdef STANDIN_empty
EXPORT int nothing_of_ours(void) { return 0; }
#else

#ifdef STANDIN_old
EXPORT int ww_baseline_abi(void) { return 999; }
EXPORT const char* ww_baseline_name(void) { return "old"; }
#else
EXPORT int ww_baseline_abi(void) { return WW_BASELINE_ABI; }
EXPORT const char* ww_baseline_name(void) { return "failing"; }
#endif

EXPORT int ww_baseline_applies(const ww_baseline_case* what, char* message, size_t size) {
  size_t i;
  int n = snprintf(message, size, "symbols:");
  for (i = 0; i < what->symbol_count; ++i) n += snprintf(message + n, size - (size_t)n, " %s=%lld", what->symbols[i].name, (long long)what->symbols[i].value);
  for (i = 0; i < what->constant_count; ++i) n += snprintf(message + n, size - (size_t)n, " %s=%g", what->constants[i].name, what->constants[i].value);
  return what->spec[0] == 'x' ? ww_baseline_error : ww_baseline_done;
}

static int destroyed;
static int enqueue(void* self, void* stream, char* message, size_t size) {
  (void)self;
  if (stream) {
    snprintf(message, size, "the stream is not ours, %d destroyed", destroyed);
    return ww_baseline_error;
  }
  return ww_baseline_done;
}
static void destroy(void* self) { (void)self, ++destroyed; }

EXPORT int ww_baseline_prepare(const ww_baseline_case* what, const ww_baseline_tensor* tensors, size_t count, ww_baseline_prepared* out, char* message, size_t size) {
  if (count == 0) {
    snprintf(message, size, "no tensors");
    return ww_baseline_error;
  }
  if (what->spec[0] == 'n') {
    snprintf(message, size, "does not apply");
    return ww_baseline_no;
  }
  snprintf(message, size, "%s %s %lld", tensors[0].name, tensors[0].dtype, (long long)tensors[0].count);
  if (tensors[0].count != 6 || tensors[0].dtype[0] != 'b') return ww_baseline_error;
  out->self = &destroyed;
  out->enqueue = enqueue;
  out->destroy = destroy;
  return ww_baseline_done;
}
#endif
