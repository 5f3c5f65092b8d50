// SPDX-License-Identifier: Apache-2.0
#include "base/schema.h"

namespace ww::schema {

std::string markdown(const std::vector<Member>& members) {
  std::string out = "| member | type | what |\n|---|---|---|\n";
  for (const Member& m : members)
    out += "| `" + m.name + "`" + (m.may_miss ? "?" : "") + " | " + m.type + " | " + m.doc + " |\n";
  return out;
}

}  // namespace ww::schema
