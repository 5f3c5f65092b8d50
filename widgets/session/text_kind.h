// SPDX-License-Identifier: GPL-3.0-or-later
// Guesses the kind of a text written or dropped into the describe box. Pure functions.
#pragma once
#include <QString>
#include <QStringList>
#include <vector>

namespace ww::widgets {

struct OpSummary;

enum class TextKind {
  sentence,
  spec,       // an op spec
  pytorch,    // Python that uses torch
  cuda,       // a CUDA kernel without a launch plan
  candidate,  // CUDA or PTX with "//@ candidate": can be judged directly
  ptx,        // PTX without a launch plan
};
TextKind text_kind(const QString& text);

// Library ops whose PyTorch code uses the functions and methods that the code calls: those that use most of them first,
// at most `most`.
QStringList ops_called(const QString& code, const std::vector<OpSummary>& ops, int most);

}  // namespace ww::widgets
