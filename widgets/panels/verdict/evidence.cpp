// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/verdict/evidence.h"
#include <QCoreApplication>
#include <QStringList>
#include <cmath>
#include "evidence/metric.h"
#include "evidence/describe.h"
#include "evidence/explain.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

constexpr int longest_log = 60000;  // characters shown of a compiler log

QString tr(const char* text) { return QCoreApplication::translate("Evidence", text); }

// The parser of rich text takes a narrow no-break space for a place to break.
QString whole(QString number) { return number.replace(QChar(0x202f), QChar(0xa0)); }

template <class Value>
TrustedHtml row(const QString& name, const Value& value) {
  return html("<tr><td style='color:%1; padding-right:14px; white-space:nowrap'>%2</td><td>%3</td></tr>",
              TrustedHtml::ink("muted"), name, value);
}

template <class Value>
TrustedHtml fact(const QString& name, const Value& value) {  // in one cell, so that it wraps in a narrow panel
  return html("<tr><td><span style='color:%1'>%2</span>&nbsp; %3</td></tr>", TrustedHtml::ink("muted"), name, value);
}

template <class Text>
TrustedHtml code(const Text& text) {
  return html("<span style='font-family:\"%1\"'>%2</span>", code_font().family(), text);
}

template <class Text>
TrustedHtml wrong(const Text& text) {
  return html("<b style='color:%1'>%2</b>", TrustedHtml::ink("rejected"), text);
}

TrustedHtml number(double value) {
  return html("<p align='right' style='margin:0'>%1</p>", code(whole(count_text(value))));
}

QString dims(const std::uint32_t (&d)[3]) { return QString("(%1, %2, %3)").arg(d[0]).arg(d[1]).arg(d[2]); }

constexpr double most_ulps = 1e15;  // larger values are useless as a number

TrustedHtml error_of(const evidence::FailingElement& e) {
  if (!std::isfinite(e.actual)) return text_html(tr("the result is not finite"));
  if (e.error_ulps > most_ulps) return text_html(tr("more than 10^15 ulps"));
  return html("%1%2", code(whole(count_text(e.error_ulps))), tr(" ulps"));
}

TrustedHtml failing_element(const evidence::FailingElement& e) {
  TrustedHtml rows = fact(tr("Element"), code(qs(evidence::element_name(e))));
  rows += fact(tr("Expected"), code(number_text(e.expected)));
  rows += fact(tr("Actual"), wrong(e.unwritten ? text_html(tr("never written")) : code(number_text(e.actual))));
  rows += fact(tr("Tolerance"), html("%1%2", code(QString::number(e.tolerance, 'g', 3)), tr(" absolute")));
  if (!e.unwritten) rows += fact(tr("Error"), error_of(e));
  rows += fact(
      tr("Wrong elements"),
      whole(tr("%1 of %2").arg(count_text(static_cast<double>(e.wrong)), count_text(static_cast<double>(e.total)))));
  return rows;
}

TrustedHtml fault_rows(const Fault& d) {
  TrustedHtml rows = fact(tr("Fault"), wrong(enum_text(d.kind)));
  if (!d.message.empty()) rows += fact(tr("What happened"), d.message);
  rows += fact(tr("Kernel"), code(d.kernel));
  rows +=
      fact(tr("Line"), d.line > 0 ? html("<a href='line:%1'>%1</a>", d.line) : text_html(dash() + tr(" (not known)")));
  rows += fact(tr("Block, thread"), html("%1, %2", code(dims(d.block)), code(dims(d.thread))));
  if (!d.buffer.empty()) rows += fact(tr("Buffer"), text_html(tr("%1, byte %2"), code(d.buffer), d.offset));
  return rows;
}

TrustedHtml failure_table(const evidence::Failure& f) {
  TrustedHtml rows;
  if (f.element) rows += failing_element(*f.element);
  if (f.fault) rows += fault_rows(*f.fault);
  if (const std::string what = evidence::depends_text(f.depends_on); !what.empty()) rows += fact(tr("Repeated"), what);
  if (!f.case_name.empty()) {
    const QString shape = binding_text(f.binding);
    rows += fact(tr("Case"), shape.isEmpty() ? text_html(qs(f.case_name)) : html("%1: %2", f.case_name, code(shape)));
    rows +=
        fact(tr("Inputs"), text_html(tr("%1, seed %2"), std::string(op::distribution_name(f.distribution)), f.seed));
  }
  return html("<table cellspacing='0' cellpadding='2'>%1</table>", rows);
}

}  // namespace

QString stage_title(evidence::Stage stage) {
  switch (stage) {
    case evidence::Stage::contract: return tr("Contract");
    case evidence::Stage::compile: return tr("Compile");
    case evidence::Stage::smoke: return tr("Smoke");
    case evidence::Stage::cases: return tr("Cases");
    case evidence::Stage::determinism: return tr("Determinism");
    case evidence::Stage::measure: return tr("Measure");
  }
  return {};
}

QString binding_text(const op::Binding& binding) {
  QStringList parts;
  for (const auto& [name, value] : binding.symbols) parts += qs(name) + " = " + QString::number(value);
  for (const auto& [name, value] : binding.constants) parts += qs(name) + " = " + number_text(value);
  return parts.join(", ");
}

TrustedHtml stage_evidence(const evidence::StageResult& stage) {
  TrustedHtml page =
      html("<p style='margin-top:0'>%1</p>", stage.message.empty() ? tr("Nothing to report.") : qs(stage.message));
  page += stage_details(stage);
  return page;
}

TrustedHtml stage_details(const evidence::StageResult& stage) {
  TrustedHtml page;
  if (stage.failure) page += failure_table(*stage.failure);
  if (!stage.detail.empty()) {
    QString log = qs(stage.detail);
    const bool cut = log.size() > longest_log;
    if (cut) log.truncate(longest_log);
    page += html(
        "<p style='margin-bottom:2px; color:%1'>%2</p><pre style='font-family:\"%3\"; white-space:pre-wrap; "
        "margin-top:0'>%4</pre>",
        TrustedHtml::ink("muted"), stage.stage == evidence::Stage::compile ? tr("Compiler log") : tr("Detail"),
        code_font().family(), log);
    if (cut) page += html("<p>%1</p>", tr("Only the first %1 characters are shown.").arg(longest_log));
  }
  return page;
}

TrustedHtml coverage_evidence(const evidence::Verdict& verdict) {
  if (verdict.coverage.empty()) return html("<p>%1</p>", tr("No case was reached."));
  TrustedHtml page;
  for (const evidence::CaseCoverage& c : verdict.coverage)
    page += html("<p style='margin:0 0 5px 0'><b>%1</b>: %2<br><span style='color:%3'>%4</span></p>", c.case_name,
                 qs(evidence::coverage_text(verdict, c)), TrustedHtml::ink("muted"), code(binding_text(c.binding)));
  for (const evidence::Unchecked& u : verdict.proof.unchecked)
    page += html("<p>%1</p>", qs(evidence::unchecked_text(u)));
  if (verdict.proof.surroundings)
    for (const std::string& text : evidence::surroundings_texts(*verdict.proof.surroundings))
      page += html("<p style='margin:0 0 5px 0; color:%1'>%2</p>", TrustedHtml::ink("muted"), qs(text));
  if (verdict.proof.also) page += html("<p>%1</p>", qs(evidence::also_text(*verdict.proof.also)));
  return page;
}

TrustedHtml metrics_evidence(const evidence::Metrics& metrics) {
  TrustedHtml rows;
  int zeros = 0;
  for (const auto& [name, value] : metrics.values) {
    if (value == 0) {
      ++zeros;
      continue;
    }
    QString title = qs(name);
    const bool hardware =
        evidence::is_hardware_counter(name);  // a counter by Nsight Compute's name, which people look up as it is
    if (!hardware) title.replace('_', ' ').replace('.', tr(", "));
    if (!hardware && !title.isEmpty()) title[0] = title[0].toUpper();
    rows += row(title, number(value));
  }
  if (zeros > 0) rows += row(tr("Others"), counted(zeros, tr("counter is 0"), tr("counters are 0")));
  if (metrics.floor) rows += row(tr("Floor us"), number(metrics.floor->us));
  for (const auto& [title, text] :
       {std::pair(tr("Floor"), evidence::floor_text(metrics)), std::pair(tr("Impossible"), metrics.impossible),
        std::pair(tr("Counters"), evidence::counters_text(metrics))})
    if (!text.empty()) rows += row(title, text);
  for (const auto& [name, text] : evidence::condition_rows(metrics.conditions)) {
    QString title = qs(name);
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    rows += row(title, text);
  }
  return html("<p style='margin-top:0'>%1</p><table cellspacing='0' cellpadding='2'>%2</table>",
              tr("%1 on %2, case \"%3\"").arg(enum_text(metrics.provenance), qs(metrics.device), qs(metrics.case_name)),
              rows);
}

TrustedHtml lines_evidence(const review::Unexecuted& unexecuted, const std::vector<std::string>& text,
                           const QSet<int>& marked) {
  if (!unexecuted.why_not.empty())
    return html("<p>%1</p>", tr("The executed lines are unknown: %1.").arg(qs(unexecuted.why_not)));
  if (unexecuted.lines.empty())
    return html("<p>%1</p>", unexecuted.every_case
                                 ? tr("Every line with machine code was executed in some case (simulated).")
                                 : tr("Every line with machine code was executed in the counted case (simulated)."));
  TrustedHtml rows;
  for (const int line : unexecuted.lines) {
    const std::string words = line > 0 && static_cast<std::size_t>(line) <= text.size()
                                  ? text[static_cast<std::size_t>(line) - 1]
                                  : std::string();
    rows += html(
        "<tr><td style='white-space:nowrap; padding-right:8px'><a href='line:%1'>%2</a></td><td "
        "style='white-space:nowrap; padding-right:8px'>%3<a href='mark:%1'>%4</a></td><td>%5</td></tr>",
        line, tr("line %1").arg(line), marked.contains(line) ? html("<b>%1</b> ", tr("read")) : TrustedHtml(),
        marked.contains(line) ? tr("not read") : tr("Mark as read"), code(words));
  }
  return html("<p>%1</p><table cellspacing='0' cellpadding='2'>%2</table>",
              unexecuted.every_case
                  ? tr("Not executed in any case (simulated).")
                  : tr("Not executed in the counted case (simulated). Another case may execute them."),
              rows);
}

}  // namespace ww::widgets
