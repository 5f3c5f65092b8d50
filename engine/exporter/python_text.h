// SPDX-License-Identifier: Apache-2.0
// Expressions of shapes, plans and constants as Python text for resources/export/*/plan.py: a name N becomes "v_N", a
// function F "f_F", so that no name of a spec meets a word of Python. Integers keep the language's meaning: "//" and
// "%" round toward minus infinity in both.
#pragma once
#include <string>
#include "base/result.h"
#include "op/spec.h"

namespace ww::exporter {

std::string python_real(double value);  // exact; infinities and NaN, too
// Code::unsupported for what only a tensor's elements may hold (accesses, reductions, casts).
Result<std::string> python_text(const op::Expr& expr);

}  // namespace ww::exporter
