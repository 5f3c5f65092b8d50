// SPDX-License-Identifier: Apache-2.0
// tests/attack/texts.tsv, and a file that must not be opened.
#pragma once
#include <QFile>
#include <QTemporaryDir>
#include <fcntl.h>
#include <string>
#include <sys/inotify.h>
#include <unistd.h>
#include <vector>
#include "base/visible.h"

namespace ww::support {

struct HostileText {
  std::string name, text;
};

inline std::string unescaped(const std::string& line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      out += line[i];
      continue;
    }
    const char kind = line.at(++i);
    const auto number = [&](std::size_t from, std::size_t digits) {
      return static_cast<char32_t>(std::stoul(line.substr(from, digits), nullptr, 16));
    };
    if (kind == 'x') {
      out += static_cast<char>(number(i + 1, 2));
      i += 2;
    } else if (kind == 'u') {
      const std::size_t end = line.find('}', i);
      out += utf8(std::u32string(1, number(i + 2, end - i - 2)));
      i = end;
    } else {
      out += kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : kind;
    }
  }
  return out;
}

inline std::vector<HostileText> hostile_texts(const std::string& canary = "/nowhere/canary.png") {
  QFile file(QStringLiteral(WW_SOURCE_DIR "/tests/attack/texts.tsv"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("no tests/attack/texts.tsv");
  std::vector<HostileText> list;
  for (const QByteArray& line : file.readAll().split('\n')) {
    const qsizetype tab = line.indexOf('\t');
    if (line.startsWith('#') || tab < 0) continue;
    std::string text = unescaped(line.mid(tab + 1).toStdString());
    for (std::size_t at = 0; (at = text.find("{canary}", at)) != text.npos;) text.replace(at, 8, canary);
    list.push_back({line.left(tab).toStdString(), std::move(text)});
  }
  if (list.size() < 60) qFatal("%zu hostile texts", list.size());
  return list;
}

inline bool is_utf8(const std::string& text) { return QString::fromStdString(text).toStdString() == text; }

// A picture in a folder of its own; tells whether anything has opened it.
class Canary {
 public:
  Canary() : watch_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    QFile file(folder_.filePath("canary.png"));
    if (!file.open(QIODevice::WriteOnly)) qFatal("no canary");
    file.write(QByteArray::fromBase64(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="));
    file.close();
    if (::inotify_add_watch(watch_, path().c_str(), IN_OPEN) < 0) qFatal("no inotify");
  }
  ~Canary() { ::close(watch_); }
  Canary(const Canary&) = delete;
  Canary& operator=(const Canary&) = delete;
  std::string path() const { return folder_.filePath("canary.png").toStdString(); }
  bool opened() const {  // since the last time
    alignas(inotify_event) char events[4096];
    return ::read(watch_, events, sizeof events) > 0;
  }

 private:
  QTemporaryDir folder_;
  int watch_;
};

}  // namespace ww::support
