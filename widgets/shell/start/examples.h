// SPDX-License-Identifier: GPL-3.0-or-later
// The examples of the start page, as data: resources/start/examples.json.
#pragma once
#include <QString>
#include <vector>
#include "base/result.h"

namespace ww::widgets {

enum class Needed { none, cell, row, column, all };  // the part of a matrix needed by one element of the result

struct PicturePart {  // a matrix, or without rows a sign between two
  int rows = 0, columns = 0;
  Needed needed = Needed::none;
  QString sign;
};
struct StartExample {
  QString title, sentence;
  bool opens_file = false;  // the card asks for a file; the sentence says which
  std::vector<PicturePart> picture;
};
Result<std::vector<StartExample>> read_examples(const QByteArray& json);

}  // namespace ww::widgets
