// SPDX-License-Identifier: Apache-2.0
// Any text: reading it ends with a spec that can be printed and parsed again, or with a question.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include "base/files.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ww::op;
  static const Library library = *Library::load(ww::resources_dir() / "ops");
  const Understanding u = understand(library, std::string_view(reinterpret_cast<const char*>(data), size));
  if (u.spec.has_value() == !u.questions.empty()) std::abort();
  if (u.spec && !parse_spec(print(*u.spec))) std::abort();
  return 0;
}
