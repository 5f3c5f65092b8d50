// SPDX-License-Identifier: Apache-2.0
// ld.shared and st.shared.
#include "simt/shared_access.h"

namespace ww::simt::WW_SIMT_ISA {

void register_shared(Registry& r) {
  each_width_and_level([&r]<class T, unsigned level>() {
    r.memory(false, Space::shared, sizeof(T), level, access_shared<T, level, false>);
    r.memory(true, Space::shared, sizeof(T), level, access_shared<T, level, true>);
  });
}

}  // namespace ww::simt::WW_SIMT_ISA
