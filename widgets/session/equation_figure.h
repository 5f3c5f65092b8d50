// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a drawing of index equations, from a checked spec: for each equation, the tensors that it reads and
// the one it defines, and for each axis, which part one element of the result needs. Plain data, pure functions;
// thread-safe.
#pragma once
#include <QString>
#include <QStringList>
#include <vector>
#include "op/spec.h"

namespace ww::widgets {

enum class Need {
  one,     // one position: a subscript with only the result's indices
  all,     // every position: a reduction's index runs over it
  window,  // some positions around one: both meet in the subscript
  chosen,  // a position given by another tensor (gather)
};
struct FigureAxis {
  QString subscript, extent;  // "i + p - 1"; "C = 1 024", or "C + 2"
  Need need = Need::one;
  int place = 0;  // the result's index that determines the position: axes with one place are drawn at one position
};
struct FigureTensor {
  QString name, dtype;           // dtype: empty for temporaries
  std::vector<FigureAxis> axes;  // none: a scalar
  bool padded = false;
  QString text() const;  // "x[r, c]"
};
struct EquationFigure {
  QString text;  // the equation as printed
  int line = 0;  // in the spec's text
  FigureTensor target;
  std::vector<FigureTensor> sources;
  QStringList reductions;  // "sum over c in 0..C"
  QString sentence;        // "Each y[r, c] needs x[r, c] and mean[r]."
};
std::vector<EquationFigure> figures_of(const op::Spec& spec);

}  // namespace ww::widgets
