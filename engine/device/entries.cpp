// SPDX-License-Identifier: Apache-2.0
#include "device/entries.h"
#include <algorithm>
#include "ptx/syntax.h"

namespace ww::device {

Result<std::vector<Entry>> read_entries(std::string_view ptx) {
  const ptx::File file = ptx::parse(ptx);
  std::vector<Entry> out;
  for (const ptx::Function& f : file.functions) {
    if (!f.is_entry) continue;
    if (!f.is_readable)
      return fail(Code::parse, "line " + std::to_string(f.place.line) + " of the PTX: the parameters of the kernel " +
                                   std::string(f.name) + " cannot be read");
    if (std::ranges::any_of(out, [&](const Entry& e) { return e.name == f.name; })) continue;
    Entry& entry = out.emplace_back();
    entry.name = f.name;
    entry.line = f.place.line;
    for (std::uint32_t i = f.parameters.begin; i < f.parameters.end; ++i) {
      const ptx::Variable& v = file.variables[i];
      const std::size_t offset = (entry.bytes + v.align - 1) / v.align * v.align;
      entry.parameters.push_back({std::string(type_name(v.type)), v.bytes(), offset, v.is_array});
      entry.bytes = offset + v.bytes();
    }
  }
  return out;
}

}  // namespace ww::device
