// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/verdict/evidence.h"
#include <QCoreApplication>
#include <QStringList>
#include "evidence/describe.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

constexpr int longest_log = 60000;  // characters shown of a compiler log

QString tr(const char* text) { return QCoreApplication::translate("Evidence", text); }
QString escaped(const std::string& text) { return qs(text).toHtmlEscaped(); }

// The parser of rich text takes a narrow no-break space for a place to break.
QString whole(QString number) { return number.replace(QChar(0x202f), QChar(0xa0)); }

QString row(const QString& name, const QString& value) {
  return "<tr><td style='color:" + Theme::instance().color("muted").name() +
         "; padding-right:14px; white-space:nowrap'>" + name + "</td><td>" + value + "</td></tr>";
}

QString code(const QString& text) {
  return "<span style='font-family:\"" + code_font().family() + "\"'>" + text + "</span>";
}

QString dims(const std::uint32_t (&d)[3]) { return QString("(%1, %2, %3)").arg(d[0]).arg(d[1]).arg(d[2]); }

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

QString stage_evidence(const evidence::StageResult& stage) {
  QString html =
      "<p style='margin-top:0'>" + (stage.message.empty() ? tr("Nothing to report.") : escaped(stage.message)) + "</p>";
  if (stage.failure) {
    const evidence::Failure& f = *stage.failure;
    html += "<table cellspacing='0' cellpadding='2'>";
    if (f.element) {
      const evidence::FailingElement& e = *f.element;
      QStringList index;
      for (const std::int64_t i : e.index) index += QString::number(i);
      html +=
          row(tr("Element"), code(escaped(e.tensor) + (index.isEmpty() ? QString() : "[" + index.join(", ") + "]")));
      html += row(tr("Expected"), code(number_text(e.expected)));
      html += row(tr("Actual"), "<b style='color:" + Theme::instance().color("rejected").name() + "'>" +
                                    code(number_text(e.actual)) + "</b>");
      html += row(tr("Tolerance"), code(number_text(e.tolerance)) + tr(" absolute"));
      html += row(tr("Error"), code(whole(count_text(e.error_ulps))) + tr(" ulps"));
      html += row(
          tr("Wrong elements"),
          whole(
              tr("%1 of %2").arg(count_text(static_cast<double>(e.wrong)), count_text(static_cast<double>(e.total)))));
    }
    if (f.fault) {
      const evidence::Fault& d = *f.fault;
      html += row(tr("Fault"), "<b style='color:" + Theme::instance().color("rejected").name() + "'>" +
                                   escaped(enum_string(d.kind)) + "</b>");
      if (!d.message.empty()) html += row(tr("What happened"), escaped(d.message));
      html += row(tr("Kernel"), code(escaped(d.kernel)));
      html +=
          row(tr("Line"), d.line > 0 ? QString("<a href='line:%1'>%1</a>").arg(d.line) : dash() + tr(" (not known)"));
      html += row(tr("Block, thread"), code(dims(d.block)) + ", " + code(dims(d.thread)));
      if (!d.buffer.empty()) html += row(tr("Buffer"), tr("%1, byte %2").arg(code(escaped(d.buffer))).arg(d.offset));
    }
    if (!f.case_name.empty()) {
      const QString shape = binding_text(f.binding);
      html +=
          row(tr("Case"), escaped(f.case_name) + (shape.isEmpty() ? QString() : ": " + code(shape.toHtmlEscaped())));
      const auto name = op::distribution_name(f.distribution);
      html +=
          row(tr("Inputs"),
              tr("%1, seed %2").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))).arg(f.seed));
    }
    html += "</table>";
  }
  if (!stage.detail.empty()) {
    QString log = qs(stage.detail);
    const bool cut = log.size() > longest_log;
    if (cut) log.truncate(longest_log);
    html += "<p style='margin-bottom:2px; color:" + Theme::instance().color("muted").name() + "'>" +
            (stage.stage == evidence::Stage::compile ? tr("Compiler log") : tr("Detail")) +
            "</p><pre style='font-family:\"" + code_font().family() + "\"; white-space:pre-wrap; margin-top:0'>" +
            log.toHtmlEscaped() + "</pre>";
    if (cut) html += "<p>" + tr("Only the first %1 characters are shown.").arg(longest_log) + "</p>";
  }
  return html;
}

QString coverage_evidence(const evidence::Verdict& verdict) {
  if (verdict.coverage.empty()) return "<p>" + tr("No case was reached.") + "</p>";
  const QString muted = Theme::instance().color("muted").name();
  QString html;
  for (const evidence::CaseCoverage& c : verdict.coverage) {
    html += "<p style='margin:0 0 5px 0'><b>" + escaped(c.case_name) + "</b>: " +
            (c.claimed ? counted(c.seeds, tr("input set proved"), tr("input sets proved"))
                       : tr("not claimed by the candidate")) +
            "<br><span style='color:" + muted + "'>" + code(binding_text(c.binding).toHtmlEscaped()) + "</span></p>";
  }
  return html;
}

QString metrics_evidence(const evidence::Metrics& metrics) {
  QString html =
      "<p style='margin-top:0'>" +
      tr("%1 on %2, case \"%3\"")
          .arg(escaped(enum_string(metrics.provenance)), escaped(metrics.device), escaped(metrics.case_name)) +
      "</p><table cellspacing='0' cellpadding='2'>";
  for (const auto& [name, value] : metrics.values) {
    QString title = qs(name);
    const bool hardware = title.contains("__");  // a counter by Nsight Compute's name, which people look up as it is
    if (!hardware) title.replace('_', ' ');
    if (!hardware && !title.isEmpty()) title[0] = title[0].toUpper();
    html += row(title.toHtmlEscaped(), "<p align='right' style='margin:0'>" + code(whole(count_text(value))) + "</p>");
  }
  const auto number = [](double value) {
    return "<p align='right' style='margin:0'>" + code(whole(count_text(value))) + "</p>";
  };
  if (metrics.floor) html += row(tr("Floor us"), number(metrics.floor->us));
  for (const auto& [title, text] :
       {std::pair(tr("Floor"), evidence::floor_text(metrics)), std::pair(tr("Impossible"), metrics.impossible),
        std::pair(tr("Counters"), evidence::counters_text(metrics))})
    if (!text.empty()) html += row(title, escaped(text));
  for (const auto& [name, text] : metrics.conditions) {
    QString title = qs(name);
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    html += row(title.toHtmlEscaped(), escaped(text));
  }
  return html + "</table>";
}

QString lines_evidence(const review::Unexecuted& unexecuted, const std::vector<std::string>& text,
                       const QSet<int>& marked) {
  if (!unexecuted.why_not.empty())
    return "<p>" + tr("Which lines were executed is not known: %1.").arg(escaped(unexecuted.why_not)) + "</p>";
  if (unexecuted.lines.empty())
    return "<p>" + tr("Every line with machine code was executed in the counted case (simulated).") + "</p>";
  QString html =
      "<p>" + tr("Not executed in the counted case (simulated). Perhaps another case runs them, perhaps none does.") +
      "</p><table cellspacing='0' cellpadding='2'>";
  for (const int line : unexecuted.lines) {
    const QString words = line > 0 && static_cast<std::size_t>(line) <= text.size()
                              ? escaped(text[static_cast<std::size_t>(line) - 1])
                              : QString();
    html += QString(
                "<tr><td style='white-space:nowrap; padding-right:8px'><a href='line:%1'>%2</a></td><td "
                "style='white-space:nowrap; padding-right:8px'>%3<a href='mark:%1'>%4</a></td><td>%5</td></tr>")
                .arg(line)
                .arg(tr("line %1").arg(line), marked.contains(line) ? "<b>" + tr("read") + "</b> " : QString(),
                     marked.contains(line) ? tr("not read") : tr("Mark as read"), code(words));
  }
  return html + "</table>";
}

}  // namespace ww::widgets
