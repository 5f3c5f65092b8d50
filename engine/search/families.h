// SPDX-License-Identifier: Apache-2.0
// The variants for each kind of group, in addition to those of rows.h. Internal to this folder.
#pragma once
#include <string>
#include <utility>
#include <vector>
#include "search/space.h"

namespace ww::search {

// A variant lowered by `Lowering(source, group, kept, kernel).run(form)`.
template <class Lowering, class Form>
Variant variant_by(std::string structure, std::string title, std::string why, Form form) {
  return {std::move(structure), std::move(title), std::move(why),
          [form](Source& source, const Group& group, const std::set<std::string>& kept, const std::string& name,
                 const std::string& about) {
            Kernel& kernel = source.kernel(name);
            kernel.about(about);
            Lowering(source, group, kept, kernel).run(form);
          }};
}

std::vector<Variant> map_variants(const Program& program, const Group& group);
std::vector<Variant> transpose_variants(const Program& program, const Group& group);
std::vector<Variant> row_variants(const Program& program,
                                  const Group& group);  // rows, and serial forms of every other kind
std::vector<Variant> column_variants(const Program& program, const Group& group);
std::vector<Variant> full_variants(const Program& program, const Group& group);
std::vector<Variant> scan_variants(const Program& program, const Group& group);
std::vector<Variant> contraction_variants(const Program& program, const Group& group);
std::vector<Variant> mma_variants(const Program& program, const Group& group);   // contractions on the matrix units
std::vector<Variant> wide_variants(const Program& program, const Group& group);  // contractions in large register tiles
std::vector<Variant> window_variants(const Program& program, const Group& group);
std::vector<Variant> recurrence_variants(const Program& program, const Group& group);

}  // namespace ww::search
