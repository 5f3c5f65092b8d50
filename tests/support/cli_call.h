// SPDX-License-Identifier: Apache-2.0
// What tests of warpwright-cli share: a call of the program and what came of it.
#pragma once
#include <QByteArray>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>
#include <initializer_list>
#include <utility>

namespace ww::testing {

struct Outcome {
  int exit = -1;  // the exit status; negative: a signal, or it did not end
  QByteArray out, err;
  QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

using Variables = std::initializer_list<std::pair<const char*, QString>>;

inline QProcessEnvironment environment_with(Variables variables) {
  QProcessEnvironment e = QProcessEnvironment::systemEnvironment();
  for (const auto& [name, value] : variables) e.insert(name, value);
  return e;
}

inline Outcome call_cli(const QString& program, const QStringList& arguments, const QProcessEnvironment& environment,
                        const QByteArray& input = {}) {
  QProcess p;
  p.setProcessEnvironment(environment);
  p.start(program, arguments);
  p.write(input);
  p.closeWriteChannel();
  Outcome o;
  if (!p.waitForFinished(300000)) {
    p.kill();
    p.waitForFinished();
    return o;
  }
  o.exit = p.exitStatus() == QProcess::NormalExit ? p.exitCode() : -p.exitCode();
  o.out = p.readAllStandardOutput();
  o.err = p.readAllStandardError();
  return o;
}

inline QByteArray read_file(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline QString write_file(const QString& path, const QByteArray& content) {
  QFile f(path);
  if (!f.open(QIODevice::WriteOnly)) qFatal("cannot write");
  f.write(content);
  return f.fileName();
}

inline bool has_members(const QJsonObject& o, const QStringList& keys) {
  for (const QString& k : keys)
    if (!o.contains(k)) return qWarning("no member %s", qPrintable(k)), false;
  return true;
}

inline bool is_ours(const QJsonObject& o, const QString& command) {
  return o["schema"].toString() == "warpwright-cli/1" && o["command"].toString() == command;
}

}  // namespace ww::testing
