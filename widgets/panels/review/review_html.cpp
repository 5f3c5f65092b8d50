// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/review_html.h"
#include <QCoreApplication>
#include <algorithm>
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "panels/verdict/evidence.h"

namespace ww::widgets {

using store::ReviewKind;

namespace {

QString review_tr(const char* text) { return QCoreApplication::translate("Review", text); }
QString escaped_lines(const std::string& text) { return qs(text).toHtmlEscaped().replace('\n', "<br>"); }
QString review_icon(const char* name, const char* token) {
  return QString("<img src='icon:%1:%2'>").arg(QLatin1String(name), QLatin1String(token));
}
QString in_colour(const QString& text, const char* token) {
  return "<span style='color:" + Theme::instance().color(token).name() + "'>" + text + "</span>";
}
QString review_link(const QString& target, const QString& text) {
  return "<a href='" + target + "' style='color:" + Theme::instance().color("accent").name() + "'>" + text + "</a>";
}
QString review_row(const QString& mark, const QString& text) {
  return "<tr><td style='padding-right:6px; padding-bottom:4px'>" + mark + "</td><td style='padding-bottom:4px'>" +
         text + "</td></tr>";
}
QString code_block(const std::string& text) {
  return "<pre style='font-family:\"" + code_font().family() + "\"; white-space:pre-wrap; margin:2px 0'>" +
         qs(text).toHtmlEscaped() + "</pre>";
}
QString who(const std::string& reviewer) {
  return "<b>" + (reviewer.empty() ? review_tr("Somebody") : qs(reviewer).toHtmlEscaped()) + "</b>";
}

}  // namespace

bool asks_for_stages(const review::Question& question) {
  return std::find(question.item.about.begin(), question.item.about.end(), review::Topic::evidence) !=
         question.item.about.end();
}

QString facts_html(const ReviewView& view, const review::Question& question, const QSet<int>& opened) {
  if (question.facts.empty()) return "<p>" + review_tr("Nothing is stored about it.") + "</p>";
  QString html = "<table cellspacing='0' cellpadding='0'>";
  int stage = 0;
  for (const review::Fact& f : question.facts) {
    QString text = f.topic == review::Topic::spec && f.text.find('\n') != std::string::npos ? code_block(f.text)
                                                                                            : escaped_lines(f.text);
    if (f.concern) text = in_colour("<b>" + review_tr("Look at this:") + "</b>", "warning") + " " + text;
    if (f.line > 0) text += " " + review_link(QString("line:%1").arg(f.line), review_tr("Go to line %1").arg(f.line));
    if (f.topic == review::Topic::evidence && static_cast<std::size_t>(stage) < view.stages.size()) {
      if (opened.contains(stage))
        text += stage_evidence(view.stages[static_cast<std::size_t>(stage)]);
      else
        text += " " + review_link(QString("stage:%1").arg(stage), review_tr("Open the evidence"));
      ++stage;
    }
    html += review_row(f.concern ? review_icon("warning", "warning") : review_icon("info", "muted"), text);
  }
  return html + "</table>";
}

QString kind_title(ReviewKind kind) {
  switch (kind) {
    case ReviewKind::note: return review_tr("noted");
    case ReviewKind::changes: return review_tr("asked for changes");
    case ReviewKind::rejected: return review_tr("rejected it");
    case ReviewKind::accepted: return review_tr("accepted it");
    case ReviewKind::countersigned: return review_tr("countersigned it");
    case ReviewKind::withdrawn: return review_tr("took back");
  }
  return {};
}

static Badge kind_badge(ReviewKind kind) {
  switch (kind) {
    case ReviewKind::note: break;
    case ReviewKind::changes: return {"warning", "warning"};
    case ReviewKind::rejected: return {"rejected", "rejected"};
    case ReviewKind::accepted:
    case ReviewKind::countersigned: return {"accepted", "accepted"};
    case ReviewKind::withdrawn: return {"previous", "muted"};
  }
  return {"info", "muted"};
}

QString history_html(const ReviewView& view) {
  if (view.rows.empty())
    return "<p>" +
           in_colour(review_tr("No notes or decisions yet. A note may refer to a line or to the whole candidate."),
                     "muted") +
           "</p>";
  QString html = "<table cellspacing='0' cellpadding='0'>";
  for (const ReviewRow& row : view.rows) {
    const store::ReviewRecord& r = row.record;
    QString text = who(r.reviewer) + " " + kind_title(r.kind);
    if (r.kind == ReviewKind::withdrawn) {
      const auto of = std::find_if(view.rows.begin(), view.rows.end(),
                                   [&](const ReviewRow& other) { return other.record.id == row.withdraws; });
      text += ": " +
              (of == view.rows.end() ? review_tr("an entry that is not in this workspace")
               : of->record.kind == ReviewKind::withdrawn
                   ? review_tr("that withdrawal; what it withdrew is valid again")
                   : review_tr("what %1 had written (%2)").arg(who(of->record.reviewer), kind_title(of->record.kind)));
    }
    if (r.line > 0) text += ", " + review_link(QString("line:%1").arg(r.line), review_tr("line %1").arg(r.line));
    if (!r.text.empty() && r.kind != ReviewKind::withdrawn) text += ": " + escaped_lines(r.text);
    if (!row.stands) text = "<s>" + text + "</s> " + in_colour(review_tr("(withdrawn)"), "muted");
    text += "<br>" + in_colour(when_text(r.created), "muted");
    if (row.stands)
      text +=
          " &nbsp; " + review_link(QString("take:%1").arg(r.id),
                                   r.kind == ReviewKind::withdrawn ? review_tr("Put it back") : review_tr("Withdraw"));
    const auto [icon, token] = row.stands ? kind_badge(r.kind) : Badge{"skipped", "muted"};
    html += review_row(review_icon(icon, token), text);
  }
  return html + "</table>";
}

QString receipt_facts_html(const ReceiptView& receipt) {
  const review::Verification& v = receipt.verification;
  QString html = "<table cellspacing='0' cellpadding='0'>";
  for (const std::string& problem : v.problems)
    html += review_row(
        review_icon("rejected", "rejected"),
        in_colour("<b>" + review_tr("Not genuine:") + "</b>", "rejected") + " " + qs(problem).toHtmlEscaped());
  for (const SignatureView& s : receipt.signatures) {
    const bool valid = s.signature.valid;
    html += review_row(
        review_icon(valid ? "accepted" : "rejected", valid ? "accepted" : "rejected"),
        who(s.signature.reviewer) + " " + kind_title(s.signature.kind) + ", " + when_text(s.signature.created) +
            "<br>" +
            (valid ? review_tr("The signature is valid; key %1") : review_tr("The signature is invalid; key %1"))
                .arg("<span style='font-family:\"" + code_font().family() + "\"'>" + qs(s.fingerprint).toHtmlEscaped() +
                     "</span>") +
            " &nbsp; " + review_link("copy:" + qs(s.fingerprint), review_tr("Copy the fingerprint")));
  }
  for (const review::Change& c : v.changes)
    html += review_row(
        c.against ? review_icon("warning", "warning") : review_icon("info", "muted"),
        (c.against ? in_colour("<b>" + review_tr("Changed since:") + "</b>", "warning") : review_tr("Since:")) + " " +
            qs(c.text).toHtmlEscaped());
  if (receipt.compared && v.genuine() && v.changes.empty())
    html += review_row(review_icon("info", "muted"),
                       review_tr("Nothing has changed in this workspace since it was signed."));
  return html + "</table>";
}

Badge review_badge(review::ReviewState state) {
  switch (state) {
    case review::ReviewState::open: break;
    case review::ReviewState::changes_requested: return {"warning", "warning"};
    case review::ReviewState::rejected: return {"rejected", "rejected"};
    case review::ReviewState::accepted:
    case review::ReviewState::countersigned: return {"accepted", "accepted"};
  }
  return {"queued", "muted"};
}

}  // namespace ww::widgets
