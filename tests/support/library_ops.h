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

}  // namespace testing
