// SPDX-License-Identifier: GPL-3.0-or-later
// The workspace's newest runs as links on the empty pages of the panels of a run, while the table has no candidates.
// GUI thread only.
#pragma once
#include <QObject>
#include <vector>
#include "store/workspace.h"

namespace ww::widgets {

class CandidateModel;
class EmptyPage;
class LinkList;
struct EmptyLink;
class Session;

class RecentRuns : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t most = 4;
  RecentRuns(Session* session, const CandidateModel* candidates, QObject* parent);
  void offer_on(EmptyPage* page);
  void offer_on(LinkList* list);

 signals:
  void changed();

 private:
  void look();
  std::vector<EmptyLink> links() const;
  Session* session_;
  const CandidateModel* candidates_;
  std::vector<store::RunRecord> runs_;  // of the workspace, newest first
  std::vector<std::pair<std::int64_t, QString>> offered_;
};

}  // namespace ww::widgets
