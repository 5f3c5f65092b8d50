// SPDX-License-Identifier: GPL-3.0-or-later
// What a reviewer has typed and not sent: a file for each candidate and kind of text in the workspace's folder drafts/,
// which survives closing the window and a crash.
#pragma once
#include <QObject>
#include <QString>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>
#include <vector>
#include "session/work_queue.h"
#include "store/workspace.h"

class QTimer;

namespace ww::widgets {

enum class UnsentText { words, note };  // a request or a reason; a note

class ReviewWords : public QObject {
  Q_OBJECT
 public:
  explicit ReviewWords(QObject* parent = nullptr);
  ~ReviewWords() override;  // writes what is pending

  static QString read(const store::Workspace& workspace, std::int64_t candidate, UnsentText kind);  // any thread
  static std::vector<std::filesystem::path> of_run(store::Workspace& workspace, std::int64_t run);  // any thread
  // Written after half a second without changes; an empty text deletes the file.
  void keep(const std::shared_ptr<store::Workspace>& workspace, std::int64_t candidate, UnsentText kind,
            const QString& text);

 signals:
  void problem(const QString& text);

 private:
  void write();
  std::shared_ptr<store::Workspace> workspace_;  // of `unwritten_`
  std::map<std::pair<std::int64_t, UnsentText>, QString> unwritten_;
  QTimer* quiet_;
  WorkQueue files_;
};

}  // namespace ww::widgets
