// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/review_html.h"
#include <QCoreApplication>
#include <algorithm>
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "panels/verdict/evidence.h"

namespace ww::widgets {

using store::ReviewKind;

namespace {

QString review_tr(const char* text) { return QCoreApplication::translate("Review", text); }
TrustedHtml review_icon(const char* name, const char* token) {
  return html("<img src='icon:%1:%2'>", QString::fromLatin1(name), QString::fromLatin1(token));
}
template <class Text>
TrustedHtml in_colour(const Text& text, TrustedHtml::Markup token) {
  return html("<span style='color:%1'>%2</span>", TrustedHtml::ink(token), text);
}
template <class Target>
TrustedHtml review_link(TrustedHtml::Markup form, const Target& target, const QString& text) {
  return html(form, target, text, TrustedHtml::ink("accent"));
}
constexpr TrustedHtml::Markup to_line = "<a href='line:%1' style='color:%3'>%2</a>";
TrustedHtml review_row(const TrustedHtml& mark, const TrustedHtml& text) {
  return html(
      "<tr><td style='padding-right:6px; padding-bottom:4px'>%1</td><td style='padding-bottom:4px'>%2</td></tr>", mark,
      text);
}
TrustedHtml review_table(const TrustedHtml& rows) {
  return html("<table cellspacing='0' cellpadding='0'>%1</table>", rows);
}
TrustedHtml code_block(const std::string& text) {
  return html("<pre style='font-family:\"%1\"; white-space:pre-wrap; margin:2px 0'>%2</pre>", code_font().family(),
              text);
}
TrustedHtml warned(const QString& text, TrustedHtml::Markup token) { return in_colour(html("<b>%1</b>", text), token); }
TrustedHtml who(const std::string& reviewer) {
  return html("<b>%1</b>", reviewer.empty() ? review_tr("Somebody") : qs(reviewer));
}

constexpr TrustedHtml::Markup to_stage = "<a href='stage:%1' style='color:%3'>%2</a>";
constexpr TrustedHtml::Markup to_close = "<a href='close:%1' style='color:%3'>%2</a>";
constexpr TrustedHtml::Markup to_more = "<a href='more:%1' style='color:%3'>%2</a>";

// What is long of a stage's evidence, with what opens it.
struct LongEvidence {
  QString name;  // empty: there is none
  TrustedHtml html;
};
LongEvidence long_evidence(const evidence::Verdict& verdict, const evidence::StageResult& stage) {
  if (stage.stage == evidence::Stage::cases && !verdict.coverage.empty())
    return {counted(static_cast<int>(verdict.coverage.size()), review_tr("case"), review_tr("cases")),
            coverage_evidence(verdict)};
  if (stage.stage == evidence::Stage::measure && verdict.metrics)
    return {review_tr("the counters"), metrics_evidence(*verdict.metrics)};
  return {};
}

// With what the stage's own line does not say.
TrustedHtml opened_stage(const evidence::Verdict& verdict, int number, bool complete) {
  const evidence::StageResult& stage = verdict.stages[static_cast<std::size_t>(number)];
  TrustedHtml page = html("<p style='margin:8px 0 2px 0'><b>%1</b></p>", stage_title(stage.stage));
  page += stage_details(stage);
  if (const LongEvidence more = long_evidence(verdict, stage); !more.name.isEmpty()) {
    page += html("<p style='margin:2px 0'>%1</p>",
                 review_link(to_more, number, (complete ? review_tr("Hide %1") : review_tr("Show %1")).arg(more.name)));
    if (complete) page += more.html;
  }
  if (stage.stage == evidence::Stage::compile)
    for (const compile::KernelResources& r : verdict.resources)
      page += html("<p>%1</p>", review_tr("%1: %2 registers per thread, %3 bytes of shared memory, %4 bytes spilled")
                                    .arg(qs(r.kernel))
                                    .arg(r.registers)
                                    .arg(r.static_shared)
                                    .arg(r.spill_stores + r.spill_loads));
  return page;
}

// Where the evidence of a stage was opened, and what opens or closes it here.
TrustedHtml stage_links(const OpenedStages& opened, int stage) {
  if (opened.shown.contains(stage)) return html(" %1", review_link(to_close, stage, review_tr("Close the evidence")));
  if (!opened.read.contains(stage)) return html(" %1", review_link(to_stage, stage, review_tr("Open the evidence")));
  return html(" %1 %2", in_colour(review_tr("Opened."), "muted"),
              review_link(to_stage, stage, review_tr("Show it here")));
}

}  // namespace

bool has_evidence(const evidence::Verdict& verdict, int number) {
  const evidence::StageResult& stage = verdict.stages[static_cast<std::size_t>(number)];
  const bool resources = stage.stage == evidence::Stage::compile && !verdict.resources.empty();
  return stage.failure || !stage.detail.empty() || resources || !long_evidence(verdict, stage).name.isEmpty();
}

bool asks_for_stages(const review::Question& question) {
  return std::find(question.item.about.begin(), question.item.about.end(), review::Topic::evidence) !=
         question.item.about.end();
}

TrustedHtml facts_html(const ReviewView& view, const review::Question& question, const OpenedStages& opened) {
  if (question.facts.empty()) return html("<p>%1</p>", review_tr("No facts are stored."));
  TrustedHtml rows;
  int stage = view.imported ? -1 : 0;  // the first fact says then where the verdict came from
  for (const review::Fact& f : question.facts) {
    TrustedHtml text;
    if (f.concern) text = html("%1 ", warned(review_tr("Look at this:"), "warning"));
    text += f.topic == review::Topic::spec && f.text.find('\n') != std::string::npos ? code_block(f.text)
                                                                                     : text_html(qs(f.text));
    if (f.line > 0) text += html(" %1", review_link(to_line, f.line, review_tr("Go to line %1").arg(f.line)));
    if (f.topic == review::Topic::evidence && stage < static_cast<int>(view.verdict.stages.size())) {
      if (stage >= 0 && has_evidence(view.verdict, stage)) text += stage_links(opened, stage);
      if (opened.shown.contains(stage)) text += opened_stage(view.verdict, stage, opened.complete.contains(stage));
      ++stage;
    }
    rows += review_row(f.concern ? review_icon("warning", "warning") : review_icon("info", "muted"), text);
  }
  return review_table(rows);
}

QString kind_title(ReviewKind kind) {
  switch (kind) {
    case ReviewKind::note: return review_tr("noted");
    case ReviewKind::changes: return review_tr("requested changes");
    case ReviewKind::rejected: return review_tr("refused it");
    case ReviewKind::accepted: return review_tr("signed it");
    case ReviewKind::countersigned: return review_tr("countersigned it");
    case ReviewKind::withdrawn: return review_tr("withdrew");
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

static TrustedHtml history_text(const ReviewView& view, const ReviewRow& row) {
  const store::ReviewRecord& r = row.record;
  TrustedHtml text = html("%1 %2", who(r.reviewer), kind_title(r.kind));
  if (r.kind == ReviewKind::withdrawn) {
    const auto of = std::find_if(view.rows.begin(), view.rows.end(),
                                 [&](const ReviewRow& other) { return other.record.id == row.withdraws; });
    text += html(": %1", of == view.rows.end() ? text_html(review_tr("an entry that is not in this workspace"))
                         : of->record.kind == ReviewKind::withdrawn
                             ? text_html(review_tr("a withdrawal; the entry that it withdrew is valid again"))
                             : text_html(review_tr("an entry by %1 (%2)"), who(of->record.reviewer),
                                         kind_title(of->record.kind)));
  }
  if (r.line > 0) text += html(", %1", review_link(to_line, r.line, review_tr("line %1").arg(r.line)));
  if (!r.text.empty() && r.kind != ReviewKind::withdrawn) text += html(": %1", r.text);
  if (r.imported) text += html(" %1", in_colour(review_tr("(imported, not decided here)"), "warning"));
  return row.stands ? text : html("<s>%1</s> %2", text, in_colour(review_tr("(withdrawn)"), "muted"));
}

TrustedHtml history_html(const ReviewView& view) {
  if (view.rows.empty())
    return html("<p>%1</p>",
                in_colour(review_tr("No notes or decisions yet. A note may refer to a line or to the whole candidate."),
                          "muted"));
  TrustedHtml rows;
  for (const ReviewRow& row : view.rows) {
    const store::ReviewRecord& r = row.record;
    TrustedHtml text = html("%1<br>%2", history_text(view, row), in_colour(when_text(r.created), "muted"));
    if (row.stands)
      text += html(" &nbsp; %1",
                   review_link("<a href='take:%1' style='color:%3'>%2</a>", r.id,
                               r.kind == ReviewKind::withdrawn ? review_tr("Put it back") : review_tr("Withdraw")));
    const auto [icon, token] = !row.stands  ? Badge{"skipped", "muted"}
                               : r.imported ? Badge{"info", "muted"}
                                            : kind_badge(r.kind);
    rows += review_row(review_icon(icon, token), text);
  }
  return review_table(rows);
}

static TrustedHtml signature_text(const SignatureView& s, std::size_t number, bool genuine) {
  TrustedHtml text =
      html("%1 %2, %3<br>%4 &nbsp; %5<br>%6", who(s.signature.reviewer), kind_title(s.signature.kind),
           when_text(s.signature.created),
           text_html(!s.signature.valid ? review_tr("The signature is invalid; key %1, %2")
                     : genuine          ? review_tr("The signature is valid; key %1, %2")
                               : review_tr("The signature is void: it was made for different content; key %1, %2"),
                     html("<span style='font-family:\"%1\"'>%2</span>", code_font().family(), s.fingerprint),
                     s.standing.standing == review::KeyStanding::known
                         ? warned(qs(review::standing_text(s.standing)), "accepted")
                         : warned(qs(review::standing_text(s.standing)), "warning")),
           review_link("<a href='copy:%1' style='color:%3'>%2</a>", s.fingerprint, review_tr("Copy the fingerprint")),
           in_colour(s.words, "muted"));
  if (genuine && s.signature.valid && s.standing.standing == review::KeyStanding::unknown)
    text += html(" &nbsp; %1",
                 review_link("<a href='trust:%1' style='color:%3'>%2</a>", number, review_tr("Trust this key\u2026")));
  for (const std::string& warning : s.standing.warnings) text += html("<br>%1", in_colour(warning, "warning"));
  return text;
}

TrustedHtml receipt_facts_html(const ReceiptView& receipt) {
  const review::Verification& v = receipt.verification;
  TrustedHtml rows;
  for (const std::string& problem : v.problems)
    rows += review_row(review_icon("rejected", "rejected"),
                       html("%1 %2", warned(review_tr("Not genuine:"), "rejected"), problem));
  for (std::size_t i = 0; i < receipt.signatures.size(); ++i) {
    const SignatureView& s = receipt.signatures[i];
    const char* look = !s.signature.valid || !v.genuine()                  ? "rejected"
                       : s.standing.standing == review::KeyStanding::known ? "accepted"
                                                                           : "warning";
    rows += review_row(review_icon(look, look), signature_text(s, i, v.genuine()));
  }
  for (const review::Change& c : v.changes)
    rows += review_row(c.against ? review_icon("warning", "warning") : review_icon("info", "muted"),
                       html("%1 %2",
                            c.against ? warned(review_tr("Changed since:"), "warning") : text_html(review_tr("Since:")),
                            c.text));
  if (receipt.compared && v.genuine() && v.changes.empty())
    rows += review_row(review_icon("info", "muted"),
                       text_html(review_tr("Nothing has changed in this workspace since it was signed.")));
  return review_table(rows);
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
