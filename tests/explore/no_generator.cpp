// SPDX-License-Identifier: Apache-2.0
// A shared module that is no generator.
extern "C" __attribute__((visibility("default"))) int something_else() { return 1; }
