// SPDX-License-Identifier: GPL-3.0-or-later
// A verdict's evidence as rich text. Pure functions.
#pragma once
#include <QSet>
#include <QString>
#include "evidence/verdict.h"
#include "parts/theme/trusted_html.h"
#include "review/checklist.h"

namespace ww::widgets {

QString stage_title(evidence::Stage stage);
QString binding_text(const op::Binding& binding);
// Message, case, failing element, fault (its line as the link "line:N") and compiler log of one stage.
TrustedHtml stage_evidence(const evidence::StageResult& stage);
TrustedHtml stage_details(const evidence::StageResult& stage);  // the same without the message; may be empty
TrustedHtml coverage_evidence(const evidence::Verdict& verdict);
TrustedHtml metrics_evidence(const evidence::Metrics& metrics);
// Each line with its text, "line:N" to go there and "mark:N" to mark it as read or unread.
TrustedHtml lines_evidence(const review::Unexecuted& unexecuted, const std::vector<std::string>& text,
                           const QSet<int>& marked);

}  // namespace ww::widgets
