// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/text_colours.h"
#include <QRegularExpression>
#include <QTextDocument>
#include "parts/editor/directive_line.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

struct ColourRule {
  QRegularExpression pattern;
  QString token;
};

const std::vector<ColourRule>& colour_rules(TextKind kind) {
  static const QString number = "\\b\\d[\\w.]*";
  static const std::vector<ColourRule> python = {
      {QRegularExpression(
           "\\b(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|if|import|in|"
           "is|lambda|None|not|or|pass|raise|return|self|True|False|try|while|with|yield)\\b"),
       "code-keyword"},
      {QRegularExpression("\\b(torch|nn|F|math)\\b(\\.\\w+)*"), "code-builtin"},
      {QRegularExpression(number), "code-number"},
      {QRegularExpression("\"[^\"]*\"|'[^']*'"), "code-string"},
      {QRegularExpression("#.*$"), "code-comment"}};
  static const std::vector<ColourRule> cuda = {
      {QRegularExpression("\\b(auto|bool|break|char|const|continue|do|double|else|extern|float|for|if|int|long|return|"
                          "short|size_t|static|struct|template|typename|unsigned|void|while|__\\w+__)\\b"),
       "code-keyword"},
      {QRegularExpression("\\b(threadIdx|blockIdx|blockDim|gridDim|__syncthreads|half|float[234]|\\w+f)(?=\\W)"),
       "code-builtin"},
      {QRegularExpression(number), "code-number"},
      {QRegularExpression("//.*$"), "code-comment"},
      {QRegularExpression("^\\s*#.*$"), "code-directive"}};
  static const std::vector<ColourRule> ptx = {{QRegularExpression("^\\s*\\.\\w+"), "code-directive"},
                                              {QRegularExpression("\\b[a-z]\\w*(\\.\\w+)+"), "code-keyword"},
                                              {QRegularExpression("%\\w+(\\.\\w+)?"), "code-type"},
                                              {QRegularExpression("//.*$"), "code-comment"}};
  static const std::vector<ColourRule> spec = {
      {QRegularExpression("\\b(op|default|in|if|pad|sum|prod|max|min|argmax|argmin|any|all|true|false|inf|pi)\\b"),
       "code-keyword"},
      {QRegularExpression("\\b(f64|f32|f16|bf16|i64|i32|i8|u8|u16|u32|bool)\\b"), "code-type"},
      {QRegularExpression(number), "code-number"},
      {QRegularExpression("(//|#).*$"), "code-comment"}};
  static const std::vector<ColourRule> none;
  switch (kind) {
    case TextKind::pytorch: return python;
    case TextKind::cuda:
    case TextKind::candidate: return cuda;
    case TextKind::ptx: return ptx;
    case TextKind::spec: return spec;
    case TextKind::sentence: return none;
  }
  return none;
}

}  // namespace

TextColours::TextColours(QTextDocument* document) : QSyntaxHighlighter(document) {
  connect(&Theme::instance(), &Theme::changed, this, &TextColours::rehighlight);
}

void TextColours::set_kind(TextKind kind) {
  if (kind == kind_) return;
  kind_ = kind;
  rehighlight();
}

void TextColours::highlightBlock(const QString& text) {
  for (const ColourRule& rule : colour_rules(kind_))
    for (auto found = rule.pattern.globalMatch(text); found.hasNext();) {
      const auto match = found.next();
      setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()),
                Theme::instance().color(rule.token));
    }
  static const QRegularExpression blanks("^\\s*");
  if (kind_ != TextKind::sentence && kind_ != TextKind::pytorch && directive_in(text.toStdString()))
    setFormat(static_cast<int>(blanks.match(text).capturedLength()), static_cast<int>(text.size()),
              Theme::instance().color(directive_token));
}

}  // namespace ww::widgets
