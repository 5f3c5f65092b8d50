// SPDX-License-Identifier: GPL-3.0-or-later
// A review's facts, history and receipts as rich text. Pure functions.
#pragma once
#include <QSet>
#include <QString>
#include "parts/theme/trusted_html.h"
#include "session/review_view.h"

namespace ww::widgets {

// The facts of one question. Lines are links "line:N". A stage is a link "stage:I" until it is in `opened`; then its
// evidence is shown below.
struct OpenedStages {
  QSet<int> shown;     // whose evidence is among the facts
  QSet<int> read;      // opened there or in the verdict
  QSet<int> complete;  // shown with every case and counter
};
TrustedHtml facts_html(const ReviewView& view, const review::Question& question, const OpenedStages& opened);
bool has_evidence(const evidence::Verdict& verdict, int stage);  // more than its own line says
bool asks_for_stages(const review::Question& question);          // it shows the evidence of each stage
QString kind_title(store::ReviewKind kind);                      // "requested changes"
// Notes and decisions, oldest first. "take:ID" withdraws a row.
TrustedHtml history_html(const ReviewView& view);
// The signers, changes since, tampering.
TrustedHtml receipt_facts_html(const ReceiptView& receipt);
struct Badge {
  const char *icon, *token;  // of the theme
};
Badge review_badge(review::ReviewState state);

}  // namespace ww::widgets
