// SPDX-License-Identifier: Apache-2.0
// The interface that a baseline module (plugins_dir()/baselines/*.so) exports. Plain C: the worker has its own
// libstdc++, so no C++ object may cross the interface, and neither may exceptions. Texts are UTF-8; `message` is always
// NUL-terminated, truncated if necessary.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WW_BASELINE_ABI 1

typedef struct ww_baseline_symbol {
  const char* name;
  int64_t value;
} ww_baseline_symbol;
typedef struct ww_baseline_constant {
  const char* name;
  double value;
} ww_baseline_constant;

typedef struct ww_baseline_case {    /* what is to be computed: borrowed for the call */
  const char* spec;                  /* op spec text */
  const ww_baseline_symbol* symbols; /* values of its shape symbols; those left out keep the spec's defaults */
  size_t symbol_count;
  const ww_baseline_constant* constants; /* overrides of its constants */
  size_t constant_count;
} ww_baseline_case;

typedef struct ww_baseline_tensor { /* an input or output of the spec, row-major, in the device's memory */
  const char* name;
  const char* dtype; /* "f32" … */
  int64_t count;     /* elements */
  uint64_t address;
} ww_baseline_tensor;

enum { ww_baseline_done = 0, ww_baseline_no = 1, ww_baseline_error = 2 };

typedef struct ww_baseline_prepared {
  void* self;
  /* Enqueues one execution on `stream` (a CUstream) and waits for nothing; capturable in a CUDA graph. */
  int (*enqueue)(void* self, void* stream, char* message, size_t size);
  void (*destroy)(void* self);
} ww_baseline_prepared;

typedef int (*ww_baseline_abi_fn)(void);
typedef const char* (*ww_baseline_name_fn)(void);
/* done: it can, `message` says what it will call; no: it cannot, `message` says why. Needs no device. */
typedef int (*ww_baseline_applies_fn)(const ww_baseline_case* what, char* message, size_t size);
/* The device's context is current on the calling thread, here and in enqueue and destroy. Runs the work once, so that
   nothing is loaded later: outputs are overwritten. The tensors' memory must outlive what is prepared. */
typedef int (*ww_baseline_prepare_fn)(const ww_baseline_case* what, const ww_baseline_tensor* tensors, size_t count,
                                      ww_baseline_prepared* out, char* message, size_t size);
/* Exported under the names ww_baseline_abi, ww_baseline_name, ww_baseline_applies, ww_baseline_prepare. */

#ifdef __cplusplus
}
#endif
