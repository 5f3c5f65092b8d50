// SPDX-License-Identifier: Apache-2.0
// Expressions of shapes, plans and constants as text of the language that launches the kernel: for
// resources/export/*/plan.py, and for the header of resources/export/cpp. A name N becomes "v_N" and a function F
// "f_F", so that names in a spec cannot clash with the language's. Integers divide toward minus infinity in both.
#pragma once
#include <cstdint>
#include <string>
#include "base/result.h"
#include "op/spec.h"

namespace ww::exporter {

enum class HostLanguage : std::uint8_t { python, cpp };

std::string real_text(double value, HostLanguage language);  // exact, including infinities and NaN
// Code::unsupported for expressions that only tensor elements may use (accesses, reductions, casts).
Result<std::string> host_text(const op::Expr& expr, HostLanguage language);

}  // namespace ww::exporter
