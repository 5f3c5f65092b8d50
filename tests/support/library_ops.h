// SPDX-License-Identifier: Apache-2.0
// The op library, for tests that go through all of it.
#pragma once
#include <QtTest>
#include <filesystem>
#include <set>
#include <vector>
#include "base/files.h"
#include "op/parse.h"

namespace testing {

inline std::vector<std::filesystem::path> library() {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ww::resources_dir() / "ops"))
    if (entry.path().extension() == ".op") files.insert(entry.path());
  return {files.begin(), files.end()};
}

inline ww::op::Spec read_spec(const std::string& text) {
  const auto spec = ww::op::parse_spec(text);
  if (!spec) qFatal("%s", spec.error().text().c_str());
  return *spec;
}

inline ww::op::Spec library_op(const std::string& name) {
  for (const auto& path : library())
    if (path.stem() == name) return read_spec(*ww::read_file(path));
  qFatal("no op %s", name.c_str());
  return {};
}

// A row for each op of the library: column "path".
inline void add_library_rows() {
  QTest::addColumn<QString>("path");
  for (const auto& path : library()) QTest::newRow(path.stem().c_str()) << QString::fromStdString(path.string());
}

// A row for each spec of unusual_specs.txt that `user` tests: column "text".
inline void add_unusual_rows(const QString& user, const QStringList& except = {}) {
  QTest::addColumn<QString>("text");
  const auto file = ww::read_file(std::filesystem::path(WW_SOURCE_DIR) / "tests/support/unusual_specs.txt");
  if (!file) qFatal("%s", file.error().text().c_str());
  for (const QString& block : QString::fromStdString(*file).split("\n\n").mid(1)) {
    const QString head = block.section('\n', 0, 0), name = head.section(" | ", 0, 0);
    if (head.section(" | ", 1).split(' ').contains(user) && !except.contains(name))
      QTest::newRow(qPrintable(name)) << block.section('\n', 1);
  }
}

}  // namespace testing
