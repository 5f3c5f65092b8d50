// SPDX-License-Identifier: Apache-2.0
// A compiler that keeps what it compiled for the next run of the tests.
#pragma once
#include <filesystem>
#include <memory>
#include "base/sealed_folder.h"
#include "compile/compile.h"

namespace testing {

inline ww::Result<std::unique_ptr<ww::compile::Compiler>> open_compiler() {
  return ww::compile::Compiler::open(
      std::make_shared<ww::SealedFolder>(std::filesystem::path(WW_BINARY_DIR) / "compile-cache"));
}

}  // namespace testing
