// SPDX-License-Identifier: Apache-2.0
// A workspace and a run in it, for tests of the store.
#pragma once
#include <QtTest>
#include <filesystem>
#include <memory>
#include <string>
#include "store/workspace.h"

namespace ww::support {

inline std::unique_ptr<store::Workspace> opened(const std::filesystem::path& folder) {
  auto w = store::Workspace::open(folder);
  if (!w) qFatal("%s", w.error().text().c_str());
  return std::move(*w);
}

inline std::int64_t new_run(store::Workspace& w, const std::string& generator = "search") {
  store::RunRecord r;
  r.op = w.add_op("softmax", "op softmax …", "row softmax").value();
  r.generator = generator;
  r.device = "simt";
  r.architecture = "sm_80";
  r.options = "{}";
  return w.add_run(r).value();
}

}  // namespace ww::support
