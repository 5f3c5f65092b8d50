// SPDX-License-Identifier: GPL-3.0-or-later
// A draft whose candidate is no longer in the workspace: its text, to be copied, saved, continued as the draft of
// another candidate, or deleted.
#pragma once
#include <QDialog>
#include "store/workspace.h"

namespace ww::widgets {

class Edits;

class LeftDraftDialog : public QDialog {
  Q_OBJECT
 public:
  // `other`: the candidate that it can be continued on; null: none. Accepted: it has become that one's draft.
  LeftDraftDialog(Edits* edits, std::int64_t draft, const store::CandidateRecord* other, QWidget* parent);
};

}  // namespace ww::widgets
