// SPDX-License-Identifier: Apache-2.0
// A generator built for another version of the interface: making one must not even be tried.
#include <cstdlib>
extern "C" __attribute__((visibility("default"))) void* ww_make_generator() { std::abort(); }
extern "C" __attribute__((visibility("default"))) int ww_generator_abi() { return 999; }
