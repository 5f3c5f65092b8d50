// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ww::cudart {

int refuse_call(const char* name);  // cudaErrorNotSupported

}  // namespace ww::cudart
