// SPDX-License-Identifier: Apache-2.0
// Several kernels of one op in a package: for which sizes each was explored. resources/export/dispatch/dispatch.py
// chooses by shape.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "exporter/backward.h"
#include "store/workspace.h"

namespace ww::exporter {

using Sizes = std::map<std::string, std::int64_t>;  // by symbol

struct DispatchEntry {
  std::string folder, candidate;
  std::vector<Sizes> sizes;
  WW_FIELDS(DispatchEntry, (folder, "of its plan.json and kernel.ptx, beside this file"), (candidate, "hash"),
            (sizes, "by symbol: those of the runs that it was taken from"))
};
struct DispatchTable {
  static constexpr std::string_view described_as = "DISPATCH TABLE";
  std::string written_as = "warpwright/dispatch/1";
  std::string op;
  std::vector<DispatchEntry> entries;
  WW_FIELDS(DispatchTable, ((schema, written_as)), op, (entries, "kernels of the op"))
};

struct Explored {
  store::CandidateRecord candidate;
  Asked asked;
};

// One entry for each kernel, in the order given; a kernel given twice, from two runs, has both sizes.
// Code::invalid_argument: the specs or constants differ, or two kernels are for the same sizes.
Result<DispatchTable> dispatch_table(const std::vector<Explored>& explored);

}  // namespace ww::exporter
