// SPDX-License-Identifier: Apache-2.0
// The command line as its own process, with a scripted worker and a scripted generator plugin.
#pragma once
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include "script.h"
#include "support/cli_call.h"

namespace ww::testing {

class ScriptedCli {
 protected:
  QTemporaryDir dir_;
  int folders_ = 0;
  QString workspace_, config_ = "config";

  QProcessEnvironment environment() const {
    return environment_with({{"WARPWRIGHT_WORKER", SCRIPTED_WORKER},
                             {"WARPWRIGHT_PLUGINS", SCRIPTED_PLUGINS},
                             {"WARPWRIGHT_WORKSPACE", workspace_},
                             {"WARPWRIGHT_CACHE", dir_.filePath("cache")},
                             {"WARPWRIGHT_CONFIG", dir_.filePath(config_)}});
  }
  Outcome call(const QStringList& arguments) { return call_cli(CLI_PROGRAM, arguments, environment()); }
  QString write(const QString& name, const QByteArray& content) { return write_file(dir_.filePath(name), content); }
  QString spec_file() { return write("scale.op", ww::script::spec); }
  static QJsonObject find(const QJsonArray& list, const QString& key, const QString& value) {
    for (const QJsonValue& v : list)
      if (v.toObject()[key].toString() == value) return v.toObject();
    return {};
  }

  void next_workspace() { workspace_ = dir_.filePath("w" + QString::number(++folders_)); }
};

}  // namespace ww::testing
