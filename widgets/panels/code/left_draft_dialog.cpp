// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/left_draft_dialog.h"
#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>
#include "base/files.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "session/edits.h"
#include "session/file_dialogs.h"

namespace ww::widgets {

LeftDraftDialog::LeftDraftDialog(Edits* edits, std::int64_t draft, const store::CandidateRecord* other, QWidget* parent)
    : QDialog(parent) {
  const QString text = edits->draft(draft);
  const std::int64_t second = edits->has(draft) ? edits->all().at(draft).second_of : 0;
  setObjectName("left_draft");
  setWindowTitle(draft > 0 ? tr("Draft of #%1").arg(draft) : tr("Draft"));
  auto* column = make_column(this, grid::panel);
  auto* about = make_paragraph(this, "left_draft_about");
  about->setText(second == 0 ? tr("The candidate of this draft is no longer in the workspace.")
                             : tr("Two windows had a draft of #%1. This is the second one.").arg(second));
  column->addWidget(about);
  auto* view = with_id(new CodeEditor(CodeLanguage::cuda, true, this), "left_draft_text");
  name_it(view, tr("Text of the draft"));
  view->set_code(text);
  column->addWidget(view, 1);
  auto* problem = make_selectable(this, "left_draft_problem", "error");
  problem->hide();
  column->addWidget(problem);
  auto* box = new QDialogButtonBox(QDialogButtonBox::Close, this);
  column->addWidget(box);
  const auto button = [&](const char* id, const QString& words, QDialogButtonBox::ButtonRole role) {
    return with_id(box->addButton(words, role), id);
  };
  QPushButton* go_on = button("left_draft_continue", other ? tr("Con&tinue on #%1").arg(other->id) : tr("Con&tinue"),
                              QDialogButtonBox::ActionRole);
  const bool free = other && !edits->has(other->id);
  go_on->setEnabled(free);
  go_on->setToolTip(!other ? tr("Select a candidate first: the draft is judged as its child")
                    : free ? tr("Makes it the draft of #%1, the selected candidate").arg(other->id)
                           : tr("#%1 has a draft of its own. Select another candidate").arg(other->id));
  QPushButton* copy = button("left_draft_copy", tr("&Copy"), QDialogButtonBox::ActionRole);
  QPushButton* save = button("left_draft_save", tr("&Save as..."), QDialogButtonBox::ActionRole);
  QPushButton* remove = button("left_draft_delete", tr("&Delete"), QDialogButtonBox::DestructiveRole);
  remove->setToolTip(tr("Edit, Undo brings it back"));
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(go_on, &QPushButton::clicked, this,
          [this, edits, draft, text, of = other ? *other : store::CandidateRecord()] {
            edits->keep(of, text);
            edits->discard(draft);
            accept();
          });
  connect(copy, &QPushButton::clicked, this, [text] { QApplication::clipboard()->setText(text); });
  connect(save, &QPushButton::clicked, this, [this, text, problem] {
    const QString file =
        FileDialogs::instance().save(this, FileKind::kernel, tr("Save the draft"), "draft.cu", tr("CUDA (*.cu)"));
    if (file.isEmpty()) return;
    const Status written = write_file_atomic(file.toStdString(), text.toStdString());
    problem->setText(written ? QString() : tr("Not saved: %1").arg(qs(written.error().text())));
    problem->setVisible(!written);
  });
  connect(remove, &QPushButton::clicked, this, [this, edits, draft] {
    edits->discard_undoably(draft);
    reject();
  });
  resize(640, 460);
}

}  // namespace ww::widgets
