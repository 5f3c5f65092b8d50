// SPDX-License-Identifier: Apache-2.0
#include "stamps/rfc3161/rfc3161.h"

extern "C" __attribute__((visibility("default"))) int ww_stamp_abi() { return ww::review::stamp_abi; }
extern "C" __attribute__((visibility("default"))) ww::review::StampService* ww_make_stamp_service() {
  return ww::stamps::make_rfc3161().release();
}
