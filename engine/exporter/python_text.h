// SPDX-License-Identifier: Apache-2.0
// Expressions of shapes, plans and constants as Python text for resources/export/*/plan.py: a name N becomes "v_N" and
// a function F "f_F", so that names in a spec cannot clash with Python's. Integer semantics are the same: "//" and "%"
// round toward minus infinity in both.
#pragma once
#include <string>
#include "base/result.h"
#include "op/spec.h"

namespace ww::exporter {

std::string python_real(double value);  // exact, including infinities and NaN
// Code::unsupported for expressions that only tensor elements may use (accesses, reductions, casts).
Result<std::string> python_text(const op::Expr& expr);

}  // namespace ww::exporter
