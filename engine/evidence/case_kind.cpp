// SPDX-License-Identifier: Apache-2.0
#include "evidence/case_kind.h"

namespace ww::evidence {

CaseKind case_kind(std::string_view name) {
  namespace names = case_names;
  if (name == names::asked) return CaseKind::asked;
  if (name == names::reduced) return CaseKind::reduced;
  if (name == names::tiny) return CaseKind::tiny;
  if (name == names::tall || name == names::wide || name.starts_with(names::longest) || name.starts_with(names::longer))
    return CaseKind::longest;
  if (name.starts_with(names::distinct)) return CaseKind::distinct;
  if (name.starts_with(names::random) || name.starts_with(names::residues)) return CaseKind::random;
  if (name.starts_with(names::constants)) return CaseKind::constants;
  if (name.starts_with(names::compared) || name.starts_with(names::planned) || name.starts_with(names::wrapping) ||
      name.starts_with(names::branching))
    return CaseKind::compared;
  return CaseKind::fixed;
}

bool is_drawn(CaseKind kind) {
  return kind == CaseKind::random || kind == CaseKind::constants || kind == CaseKind::compared;
}

}  // namespace ww::evidence
