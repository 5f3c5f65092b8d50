// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/beside_view.h"
#include <QToolButton>
#include "explore/run.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/controls.h"
#include "parts/theme/elide_label.h"
#include "session/models/candidate_model.h"
#include "session/session.h"

namespace ww::widgets {

BesideView::BesideView(const Context& context, QWidget* parent) : QWidget(parent), context_(context) {
  auto* column = make_column(this, {}, 0);
  auto* row = make_row(column);
  row->setContentsMargins(grid::step, 0, grid::half, 0);
  title_ = make_elided(this, "beside_title");
  auto* close =
      with_id(make_icon_tool(this, "close", tr("Close the candidate beside"), tr("Close it")), "beside_close");
  close->setAutoRaise(true);
  row->addWidget(title_, 1);
  row->addWidget(close);
  text_ = with_id(new CodeEditor(CodeLanguage::cuda, true, this), "beside_code");
  name_it(text_, tr("Code of the candidate beside"));
  column->addWidget(text_, 1);
  connect(close, &QToolButton::clicked, this, [this] { show_candidate(0); });
  hide();
}

void BesideView::show_candidate(std::int64_t candidate) {
  if (candidate == candidate_) return;
  candidate_ = candidate;
  job_.forget();
  setVisible(candidate != 0);
  title_->set_text(QString());
  text_->set_code({});
  if (candidate == 0) return emit closed();
  const auto workspace = context_.session->workspace();
  if (!workspace) return;
  job_.submit([this, workspace, candidate]() -> LatestJob::Deliver {
    auto record = workspace->candidate(candidate);
    return [this, candidate, text = record ? exact(record->text) : QString(),
            title = record ? qs(record->title.empty() ? record->structure : record->title) : QString(),
            why = record ? QString() : qs(record.error().text())] {
      title_->set_text(why.isEmpty() ? tr("#%1 %2").arg(candidate).arg(title) : why);
      text_->set_code(text);
      text_->show_from_code();
    };
  });
}

}  // namespace ww::widgets
