// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include "base/result.h"
#include "op/sentence/phrasebook.h"
#include "store/workspace.h"

namespace ww::cli {

Status write_report(store::Workspace& workspace, const op::Library& library, std::int64_t run,
                    const std::filesystem::path& file);

}  // namespace ww::cli
