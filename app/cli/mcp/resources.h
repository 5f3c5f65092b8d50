// SPDX-License-Identifier: Apache-2.0
// Resources that a client may read: warpwright://guide/NAME, op/NAME, run/N, report/N and candidate/N.
#pragma once
#include "mcp/tools.h"
#include "mcp/wire.h"

namespace ww::cli::mcp {

Reply<Json> list_resources(const Options& options, const op::Library& library, const Json& params);  // one page
Json resource_templates();
// `modern`: from revision 2026-07-28 on, which has another error code for missing resources.
Reply<Json> read_resource(const Options& options, const op::Library& library, const Json& params, bool modern);

}  // namespace ww::cli::mcp
