// SPDX-License-Identifier: Apache-2.0
// ld.shared and st.shared.
#include "simt/shared_access.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

template <class T>
void register_width(Registry& r) {
  r.memory(false, Space::shared, sizeof(T), 0, load_shared<T, 0>);
  r.memory(false, Space::shared, sizeof(T), 1, load_shared<T, 1>);
  r.memory(false, Space::shared, sizeof(T), 2, load_shared<T, 2>);
  r.memory(false, Space::shared, sizeof(T), 3, load_shared<T, 3>);
  r.memory(true, Space::shared, sizeof(T), 0, store_shared<T, 0>);
  r.memory(true, Space::shared, sizeof(T), 1, store_shared<T, 1>);
  r.memory(true, Space::shared, sizeof(T), 2, store_shared<T, 2>);
  r.memory(true, Space::shared, sizeof(T), 3, store_shared<T, 3>);
}

}  // namespace

void register_shared(Registry& r) {
  register_width<u8>(r);
  register_width<u16>(r);
  register_width<u32>(r);
  register_width<u64>(r);
}

}  // namespace ww::simt::WW_SIMT_ISA
