// SPDX-License-Identifier: Apache-2.0
// Data of a test as a table of texts: names of the columns, then rows, each with its name first.
#pragma once
#include <QTest>
#include <initializer_list>

namespace ww::support {

using Texts = std::initializer_list<const char*>;

template <class Text = QString>
void text_rows(Texts columns, std::initializer_list<Texts> rows) {
  for (const char* column : columns) QTest::addColumn<Text>(column);
  for (const Texts& row : rows) {
    QTestData& data = QTest::newRow(*row.begin());
    for (const char* const* cell = row.begin() + 1; cell != row.end(); ++cell) data << Text(*cell);
  }
}

}  // namespace ww::support
