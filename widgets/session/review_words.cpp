// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/review_words.h"
#include <QTimer>
#include <filesystem>
#include "base/files.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;

std::filesystem::path file_of(const store::Workspace& workspace, std::int64_t candidate, UnsentText kind) {
  const std::string begin = kind == UnsentText::note ? "note-" : "review-";
  return workspace.folder() / "drafts" / (begin + std::to_string(candidate) + ".txt");
}

}  // namespace

ReviewWords::ReviewWords(QObject* parent) : QObject(parent), quiet_(new QTimer(this)) {
  quiet_->setSingleShot(true);
  quiet_->setInterval(500);
  connect(quiet_, &QTimer::timeout, this, &ReviewWords::write);
}

ReviewWords::~ReviewWords() { write(); }

QString ReviewWords::read(const store::Workspace& workspace, std::int64_t candidate, UnsentText kind) {
  const auto text = read_file(file_of(workspace, candidate, kind), most_bytes);
  return text ? qs(*text) : QString();
}

std::vector<std::filesystem::path> ReviewWords::of_run(store::Workspace& workspace, std::int64_t run) {
  std::vector<std::filesystem::path> out;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(workspace.folder() / "drafts", ec)) {
    const std::int64_t id = qs(entry.path().stem().string()).section('-', -1).toLongLong();
    for (const UnsentText kind : {UnsentText::words, UnsentText::note}) {
      if (id == 0 || entry.path() != file_of(workspace, id, kind)) continue;
      const auto candidate = workspace.candidate_row(id);
      if (candidate && candidate->run == run) out.push_back(entry.path());
    }
  }
  return out;
}

void ReviewWords::keep(const std::shared_ptr<store::Workspace>& workspace, std::int64_t candidate, UnsentText kind,
                       const QString& text) {
  if (workspace != workspace_) write();
  workspace_ = workspace;
  unwritten_[{candidate, kind}] = text;
  quiet_->start();
}

void ReviewWords::write() {
  quiet_->stop();
  if (unwritten_.empty() || !workspace_) return;
  files_.submit([this, workspace = workspace_, texts = std::exchange(unwritten_, {})]() -> WorkQueue::Deliver {
    std::string failure;
    std::error_code ec;
    std::filesystem::create_directories(workspace->folder() / "drafts", ec);
    for (const auto& [of, text] : texts) {
      const std::filesystem::path file = file_of(*workspace, of.first, of.second);
      if (text.isEmpty())
        std::filesystem::remove(file, ec);
      else if (const Status s = write_file_atomic(file, text.toStdString()); !s)
        failure = s.error().text();
    }
    if (failure.empty()) return {};
    return [this, failure] { emit problem(tr("The text of the review could not be stored: %1").arg(qs(failure))); };
  });
}

}  // namespace ww::widgets
