// SPDX-License-Identifier: Apache-2.0
// The variants that each kind of work adds to those of rows.h. Internal to this folder.
#pragma once
#include <vector>
#include "search/space.h"

namespace ww::search {

std::vector<Variant> map_variants(const Program& program, const Group& group);
std::vector<Variant> transpose_variants(const Program& program, const Group& group);
std::vector<Variant> row_variants(const Program& program,
                                  const Group& group);  // rows, and serial forms of every other kind
std::vector<Variant> column_variants(const Program& program, const Group& group);
std::vector<Variant> full_variants(const Program& program, const Group& group);
std::vector<Variant> scan_variants(const Program& program, const Group& group);
std::vector<Variant> contraction_variants(const Program& program, const Group& group);
std::vector<Variant> window_variants(const Program& program, const Group& group);

}  // namespace ww::search
