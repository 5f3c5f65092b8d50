// SPDX-License-Identifier: Apache-2.0
// libFuzzer: the PTX reader and what is made of its tree. Ranges, views and places must lie within the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include "ptx/lines.h"
#include "ptx/normal.h"

using namespace ww::ptx;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const File& file, const Operands& operands, int depth) {
  require(depth < 8);
  for (const Operand& o : operands) {
    (void)file.place_of(o.text);
    check(file, below(o), depth + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const File file = parse(text);
  for (const Function& f : file.functions) {
    require(f.first_line <= f.place.line && f.place.line <= f.last_line && f.body.end <= file.statements.size());
    for (std::uint32_t i = f.body.begin; i < f.body.end; ++i) {
      const Statement& s = file.statements[i];
      require(s.kind != Statement::Kind::unreadable || file.problem.has_value());
      if (s.kind == Statement::Kind::instruction) check(file, file.operands_of(s), 0);
    }
  }
  require(without_line_information(text).size() == size);
  (void)source_lines(file);
  (void)normalised_entries(text);
  return 0;
}
