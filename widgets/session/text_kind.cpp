// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/text_kind.h"
#include <QRegularExpression>
#include <QSet>
#include <algorithm>
#include "candidate/directives.h"
#include "op/parse.h"
#include "session/language.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

// "y = F.softmax(x @ w.T, dim=-1)": a formula, with no module to import.
bool is_expression(const QString& code) {
  static const QRegularExpression statement("^\\s*(import|from|class|def|return|with|for|if)\\b");
  return !code.trimmed().contains('\n') && !statement.match(code).hasMatch();
}

}  // namespace

TextKind text_kind(const QString& text) {
  static const QRegularExpression ptx("^\\s*\\.(version|target|visible\\s+\\.entry)\\b",
                                      QRegularExpression::MultilineOption);
  static const QRegularExpression spec("^\\s*op\\s+[A-Za-z_]\\w*\\s*\\(", QRegularExpression::MultilineOption);
  static const QRegularExpression spec_start("^\\s*(//|#(?!\\s*include)|op\\s+[A-Za-z_]\\w*\\s*\\()");
  static const QRegularExpression python(
      "^\\s*(import\\s+\\w|from\\s+[\\w.]+\\s+import\\b|class\\s+\\w+\\s*(\\(.*\\))?:|def\\s+\\w+\\s*\\(|return\\b.*"
      "\\b(torch|F)\\.)|\\b(torch|nn|F)\\.\\w+\\s*\\(",
      QRegularExpression::MultilineOption);
  if (candidate::first_directive(text.toStdString(), "candidate")) return TextKind::candidate;
  if (text.contains("__global__")) return TextKind::cuda;
  if (ptx.match(text).hasMatch()) return TextKind::ptx;
  if (spec.match(text).hasMatch()) return TextKind::spec;
  if (python.match(text).hasMatch()) return is_expression(text) ? TextKind::sentence : TextKind::pytorch;
  return spec_start.match(text).hasMatch() ? TextKind::spec : TextKind::sentence;
}

namespace {

// "F.softmax(x, -1)" -> softmax; "a @ b.t()" -> @, t. Modules (nn.ReLU) are called as their functions are.
QSet<QString> calls_in(const QString& code) {
  static const QRegularExpression call("(?:\\b(?:torch|F|nn|functional)|[\\w\\])])\\.([A-Za-z_]\\w*)\\s*\\(");
  QSet<QString> names;
  for (auto found = call.globalMatch(code); found.hasNext();) {
    const QString name = found.next().captured(1).toLower();
    if (name != "contiguous" && name != "__init__" && name != "forward" && name != "size" && name != "to")
      names.insert(name);
  }
  static const QRegularExpression product("[\\w\\])]\\s*@\\s*[\\w(]");
  if (product.match(code).hasMatch()) names.insert("@");
  if (names.remove("mm")) names.insert("matmul");
  return names;
}

}  // namespace

QStringList ops_called(const QString& code, const std::vector<OpSummary>& ops, int most) {
  const QSet<QString> called = calls_in(code);
  struct Fit {
    QString name;
    qsizetype used;
  };
  std::vector<Fit> fits;
  for (const OpSummary& op : ops) {
    const QSet<QString> needed = calls_in(qs(op.torch));
    if (!needed.isEmpty() && called.contains(needed)) fits.push_back({qs(op.name), needed.size()});
  }
  std::stable_sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.used > b.used; });
  QStringList names;
  for (const Fit& fit : fits)
    if (names.size() < most) names += fit.name;
  return names;
}

}  // namespace ww::widgets
